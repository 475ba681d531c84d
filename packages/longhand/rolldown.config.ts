import { defineConfig } from 'rolldown';

/**
 * A few files instead of a hundred: a process that starts, reads one memory and ends spends most of its time
 * loading modules (docs/decisions/0001-sources-run-as-they-are.md). Not minified: people read stack traces.
 */
export default defineConfig({
  input: {
    index: 'src/index.ts',
    'tools/index': 'src/tools/index.ts',
    'testing/index': 'src/testing/index.ts',
  },
  platform: 'node',
  external: [/^node:/, 'fs-native-extensions', 'koffi', /^gpt-tokenizer/, 'zod'],
  output: { dir: 'dist', format: 'esm', chunkFileNames: 'chunks/[name].js', sourcemap: false },
});
