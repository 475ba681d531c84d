import { defineConfig } from 'rolldown';
import manifest from './package.json' with { type: 'json' };

/** One file for the command, and one for each thing that it loads only when it is needed. */
export default defineConfig({
  input: { longhand: 'src/longhand.ts' },
  platform: 'node',
  external: [/^node:/, ...Object.keys(manifest.dependencies).map((name) => new RegExp(`^${name}(/|$)`))],
  output: {
    dir: 'dist',
    format: 'esm',
    chunkFileNames: 'chunks/[name].js',
    sourcemap: false,
    banner: (chunk) => (chunk.isEntry ? '#!/usr/bin/env node' : ''),
  },
});
