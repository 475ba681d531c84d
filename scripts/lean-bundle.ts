import type { OutputOptions, Plugin } from 'rolldown';
import { parseSync, Visitor } from 'rolldown/utils';

/**
 * How the packages are written to be loaded quickly, and to be read all the same: of names only those of variables and
 * private members are shortened, and lines stay lines, because people read stack traces.
 */
export const LEAN_OUTPUT = {
  // What an earlier build left would be published too.
  cleanDir: true,
  format: 'esm',
  chunkFileNames: 'chunks/[name].js',
  sourcemap: false,
  // An eighth of what it takes to load the library.
  minify: { compress: true, mangle: { toplevel: false, keepNames: true }, codegen: false },
  // A fifth of the text, which every start would read past. The declarations keep them.
  comments: { legal: true, annotation: true, jsdoc: false },
} as const satisfies OutputOptions;

const IMPORT = /^import (\* as (\w+)|\{([^}]*)\}) from "(node:[\w/]+)";$/gm;
/** 10 ms to load, and all that is imported of it are functions. */
const LOADED_BY_ITS_FIRST_CALL = 'node:crypto';

/**
 * Takes Node's modules from `process.getBuiltinModule` in place of importing them. An import reads every export
 * of a module, and some of them load half of Node when they are read: `fs.promises`, `fs.ReadStream`,
 * `util.TextDecoder`, `crypto.webcrypto`. That is 8 ms of a start.
 */
export function takeBuiltinsDirectly(): Plugin {
  return {
    name: 'take-builtins-directly',
    renderChunk: (code) =>
      code.replace(
        IMPORT,
        (_, names: string, namespace: string | undefined, members: string | undefined, module: string) => {
          const builtin = `process.getBuiltinModule("${module}")`;
          if (module === LOADED_BY_ITS_FIRST_CALL && members !== undefined)
            return callLater(members, builtin);
          return `const ${namespace ?? names.replaceAll(' as ', ': ')} = ${builtin};`;
        },
      ),
  };
}

function callLater(members: string, builtin: string): string {
  const functions = members.split(',').map((member) => {
    const [name, alias = name] = member.trim().split(' as ');
    return `const ${alias} = (...values) => ${builtin}.${name}(...values);`;
  });
  return functions.join('\n');
}

/** A class of letters, which V8 gathers from all of Unicode. */
const CLASS_OF_UNICODE = '\\p{';

/**
 * Writes expressions with classes of Unicode as calls. V8 compiles a literal together with the file around it, even when
 * it is never reached: 3 ms of a first search. The sources make those that a start would reach when they are first used.
 */
export function readClassesLater(): Plugin {
  return {
    name: 'read-classes-later',
    generateBundle: (_, bundle) => {
      for (const file of Object.values(bundle)) if (file.type === 'chunk') file.code = withCalls(file.code);
    },
  };
}

function withCalls(code: string): string {
  let written = '';
  let end = 0;
  const visitor = new Visitor({
    Literal: (literal) => {
      if (!('regex' in literal) || !literal.regex.pattern.includes(CLASS_OF_UNICODE)) return;
      const { pattern, flags } = literal.regex;
      written += `${code.slice(end, literal.start)}RegExp(${JSON.stringify(pattern)}, "${flags}")`;
      end = literal.end;
    },
  });
  visitor.visit(parseSync('chunk.js', code).program);
  return written + code.slice(end);
}

/**
 * Writes all that is no ASCII as escapes: a single other letter makes V8 keep, and read, the whole file with two bytes
 * for each of its letters. That is a fortieth of a start, and half a megabyte.
 */
export function writeAscii(): Plugin {
  return {
    name: 'write-ascii',
    generateBundle: (_, bundle) => {
      for (const file of Object.values(bundle)) {
        if (file.type === 'chunk') file.code = file.code.replace(NOT_ASCII, escapeOf);
      }
    },
  };
}

/** Code units, so that what stands outside the basic plane becomes two escapes, which any string and pattern takes. */
const NOT_ASCII = /[^\0-\x7f]/g;

function escapeOf(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
