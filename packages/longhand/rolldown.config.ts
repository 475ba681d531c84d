import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig, type Plugin } from 'rolldown';
import {
  LEAN_OUTPUT,
  readClassesLater,
  takeBuiltinsDirectly,
  writeAscii,
} from '../../scripts/lean-bundle.ts';

/** SQL stays SQL: the migrations lie beside the module that applies them, where other tools find them too. */
function bringMigrations(): Plugin {
  const folder = 'stores/postgres/migrations';
  const from = join(import.meta.dirname, 'src', folder);
  return {
    name: 'bring-migrations',
    generateBundle() {
      for (const name of readdirSync(from))
        this.emitFile({
          type: 'asset',
          fileName: `${folder}/${name}`,
          source: readFileSync(join(from, name)),
        });
    },
  };
}

/** The styles of the chat panel lie beside it. */
function bringStyles(): Plugin {
  const name = 'react/chat-panel.css';
  return {
    name: 'bring-styles',
    generateBundle() {
      this.emitFile({
        type: 'asset',
        fileName: name,
        source: readFileSync(join(import.meta.dirname, 'src', name)),
      });
    },
  };
}

/**
 * A few files instead of a hundred: a process that starts, reads one memory and ends spends most of its time
 * loading modules (docs/decisions/0001-sources-run-as-they-are.md).
 */
const LIBRARY = defineConfig({
  input: {
    index: 'src/index.ts',
    'tools/index': 'src/tools/index.ts',
    'adapters/ai-sdk/index': 'src/adapters/ai-sdk/index.ts',
    'adapters/embedders/index': 'src/adapters/embedders/index.ts',
    'stores/postgres/index': 'src/stores/postgres/index.ts',
    'stores/redis/index': 'src/stores/redis/index.ts',
    'testing/index': 'src/testing/index.ts',
  },
  platform: 'node',
  external: [/^node:/, 'fs-native-extensions', 'koffi', 'longhand-vectors', /^gpt-tokenizer/, 'zod'],
  plugins: [takeBuiltinsDirectly(), readClassesLater(), writeAscii(), bringMigrations()],
  output: {
    ...LEAN_OUTPUT,
    dir: 'dist',
    // One file for all that every program needs, one for what the first query adds: each file costs a millisecond.
    codeSplitting: {
      groups: [
        { name: 'memory-manager', test: /\/src\/(memory-manager|index)\.ts$/, priority: 2 },
        { name: 'memory-search', test: /\/src\/layers\/search\/memory-search\.ts$/, priority: 1 },
      ],
    },
  },
});

/** Apart from the library: no file that a browser loads may hold what only Node has. */
export const FOR_BROWSERS = defineConfig({
  input: { 'client/index': 'src/client/index.ts', 'react/index': 'src/react/index.ts' },
  platform: 'browser',
  external: [/^react/, /^zustand/],
  plugins: [writeAscii(), bringStyles()],
  output: {
    ...LEAN_OUTPUT,
    cleanDir: false,
    dir: 'dist',
    chunkFileNames: 'chunks/browser-[name].js',
    // Frameworks that render on a server load it in the browser alone.
    banner: ({ name }) => (name === 'react/index' ? "'use client';" : ''),
  },
});

export default [LIBRARY, FOR_BROWSERS];
