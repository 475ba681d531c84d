import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** Every source of a folder, without its tests. */
export function sourceFiles(folder: string): string[] {
  return codeFiles(folder).filter((path) => !/\.test\.tsx?$/.test(path));
}

/** The same with tests; nothing that is built or installed. */
export function codeFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return /^(?:dist|node_modules)$/.test(entry.name) ? [] : codeFiles(path);
    return /\.tsx?$/.test(path) ? [path] : [];
  });
}

/** What a file imports, at once or later, as it is written there. */
export function importsOf(path: string): string[] {
  const text = readFileSync(path, 'utf8');
  const found = text.matchAll(
    /\b(?:from|import) '([^']+)'|(?<!#)\b(?:import|require|load)\('([^']+)'\)|\bcreateRequire\([\w.]+\)\('([^']+)'\)/g,
  );
  return [...found].map(([, statement, call, required]) => (statement ?? call ?? required)!);
}

/** Of the files or rooms in a graph of imports, those that import each other in a circle, or lie between two circles. */
export function circlesIn(imports: ReadonlyMap<string, readonly string[]>): string[] {
  let left = [...imports.keys()];
  // All are taken away, again and again, that import nothing that is left or that nothing left imports.
  for (let before = Number.POSITIVE_INFINITY; left.length < before; ) {
    before = left.length;
    const here = new Set(left);
    const imported = new Set(left.flatMap((one) => imports.get(one)!));
    left = left.filter((one) => imported.has(one) && imports.get(one)!.some((target) => here.has(target)));
  }
  return left;
}

const DECLARED = /^export (?:abstract |async )*(const|function|class|interface|type|enum)\*? (\w+)/gm;
const LISTED = /^export (const |type )?\{([^}]*)\}(?: from '([^']+)')?/gm;

/** The names that a file exports, each with the kind of what it names. */
export function exportsOf(path: string): ReadonlyMap<string, string> {
  const text = readFileSync(path, 'utf8');
  const found = new Map(Array.from(text.matchAll(DECLARED), ([, kind, name]) => [name!, kind!]));
  for (const [, from] of text.matchAll(/^export \* from '([^']+)'/gm))
    for (const [name, kind] of exportsOf(resolve(dirname(path), from!))) found.set(name, kind);
  for (const [, word = 'const', names, from] of text.matchAll(LISTED)) {
    const others = from === undefined ? undefined : exportsOf(resolve(dirname(path), from));
    for (const entry of names!.split(',').map((each) => each.trim().replace(/^type /, ''))) {
      const [own = '', name = own] = entry.split(/ as |: /);
      if (name !== '') found.set(name, others?.get(own) ?? word.trim());
    }
  }
  return found;
}

/** Where a program of a user begins: the files that the library's package.json names, by the name to import. */
export function entryPoints(library: string): ReadonlyMap<string, string> {
  const { exports } = JSON.parse(readFileSync(join(library, 'package.json'), 'utf8')) as {
    readonly exports: Readonly<Record<string, { readonly 'longhand-source'?: string }>>;
  };
  const found = new Map<string, string>();
  for (const [name, { 'longhand-source': source }] of Object.entries(exports))
    if (source !== undefined) found.set(name.replace(/^\./, 'longhand'), join(library, source));
  return found;
}
