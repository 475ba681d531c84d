import { defineConfig, type Plugin } from 'rolldown';

/**
 * A few files instead of a hundred: a process that starts, reads one memory and ends spends most of its time
 * loading modules (docs/decisions/0001-sources-run-as-they-are.md). Of names only those of variables and private
 * members are shortened, and lines stay lines: people read stack traces.
 */
export default defineConfig({
  input: {
    index: 'src/index.ts',
    'tools/index': 'src/tools/index.ts',
    'adapters/embedders/index': 'src/adapters/embedders/index.ts',
    'testing/index': 'src/testing/index.ts',
  },
  platform: 'node',
  external: [/^node:/, 'fs-native-extensions', 'koffi', /^gpt-tokenizer/, 'zod'],
  plugins: [takeBuiltinsDirectly()],
  output: {
    dir: 'dist',
    // What an earlier build left would be published too.
    cleanDir: true,
    format: 'esm',
    chunkFileNames: 'chunks/[name].js',
    sourcemap: false,
    // An eighth of what it takes to load the library.
    minify: { compress: true, mangle: { toplevel: false, keepNames: true }, codegen: false },
    // A fifth of the text, which every start would read past. The declarations keep them.
    comments: { legal: true, annotation: true, jsdoc: false },
    // One file for all that every program needs, one for what the first query adds: each file costs a millisecond.
    codeSplitting: {
      groups: [
        { name: 'memory-manager', test: /\/src\/(memory-manager|index)\.ts$/, priority: 2 },
        { name: 'memory-search', test: /\/src\/layers\/search\/memory-search\.ts$/, priority: 1 },
      ],
    },
  },
});

/**
 * Takes Node's modules from `process.getBuiltinModule` in place of importing them. An import reads every export
 * of a module, and some of them load half of Node when they are read: `fs.promises`, `fs.ReadStream`,
 * `util.TextDecoder`, `crypto.webcrypto`. That is 8 ms of a start.
 */
function takeBuiltinsDirectly(): Plugin {
  const IMPORT = /^import (\* as (\w+)|\{[^}]*\}) from "(node:[\w/]+)";$/gm;
  return {
    name: 'take-builtins-directly',
    renderChunk: (code) =>
      code.replace(IMPORT, (_, names: string, namespace: string | undefined, module: string) => {
        const target = namespace ?? names.replaceAll(' as ', ': ');
        return `const ${target} = process.getBuiltinModule("${module}");`;
      }),
  };
}
