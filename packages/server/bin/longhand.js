#!/usr/bin/env node
// The `longhand` command. It stands beside what is built, so that npm finds it in a clone that is not built yet.
import './check-node.cjs';

const BUILT = new URL('../dist/longhand.js', import.meta.url);

import('node:fs').then(({ existsSync }) => {
  if (existsSync(BUILT)) return import(BUILT.href);
  console.error('Longhand is not built here yet. Run: npm install && npm run build');
  process.exitCode = 1;
  return undefined;
});
