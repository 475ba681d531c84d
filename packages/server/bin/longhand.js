#!/usr/bin/env node
// The `longhand` command. It stands beside what is built, so that npm finds it in a clone that is not built yet.
import './check-node.cjs';

const BUILT = new URL('../dist/longhand.js', import.meta.url);

// An `import` of it would load half of Node.
if (process.getBuiltinModule('node:fs').existsSync(BUILT)) {
  await import(BUILT.href);
} else {
  console.error('Longhand is not built here yet. Run: npm install && npm run build');
  process.exitCode = 1;
}
