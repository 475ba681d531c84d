import { readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { codeFiles, entryPoints, exportsOf, importsOf, sourceFiles } from './source-tree.ts';

/** An export that no other file imports, tests included, is dead or is needed only in its own file. */
const ROOT = resolve(import.meta.dirname, '..');
const CHECKED = ['packages/longhand/src', 'packages/server/src'];
const IMPORTING = ['bench', 'examples', 'packages', 'scripts', 'test'];
const GENERATED = /\.generated\.ts$/;

const used = new Set(entryPoints(join(ROOT, 'packages/longhand')).values());

it('no export is left that no other file imports', () => {
  const files = IMPORTING.flatMap((folder) => codeFiles(join(ROOT, folder)));
  const importers = new Map<string, Set<string>[]>();
  for (const path of files) {
    const text = readFileSync(path, 'utf8');
    const words = new Set(text.match(/\w+/g));
    for (const specifier of importsOf(path)) {
      if (!specifier.startsWith('.')) continue;
      const target = resolve(dirname(path), specifier);
      // All names of it, under whatever name.
      if (new RegExp(`\\*(?: as \\w+)? from '${specifier}'`).test(text)) used.add(target);
      importers.set(target, [...(importers.get(target) ?? []), words]);
    }
  }
  const checked = CHECKED.flatMap((folder) => sourceFiles(join(ROOT, folder)));
  const dead = checked.flatMap((path) => {
    if (used.has(path) || GENERATED.test(path)) return [];
    // What it exports of another file by `*`, that file exports as well.
    const own = new Set(readFileSync(path, 'utf8').match(/\w+/g));
    const names = [...exportsOf(path).keys()].filter((name) => own.has(name));
    const isDead = (name: string): boolean => !importers.get(path)?.some((words) => words.has(name));
    return names.filter(isDead).map((name) => `${relative(ROOT, path)}: ${name}`);
  });
  expect(dead).toEqual([]);
});
