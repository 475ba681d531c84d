import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { codeFiles } from './source-tree.ts';

/** A page that describes the house is read before the house: what it names must be there, and it stays short. */
const ROOT = join(import.meta.dirname, '..');
const MOST_WORDS = 1_760;

const text = readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8');
const files = ['packages', 'scripts', 'test'].flatMap((folder) => codeFiles(join(ROOT, folder)));

describe('ARCHITECTURE.md', () => {
  it('names files that are there', () => {
    const named = new Set(text.match(/[\w/.-]+\.tsx?\b/g));
    expect(named.size).toBeGreaterThan(40);
    expect([...named].filter((name) => !files.some((path) => path.endsWith(`/${name}`)))).toEqual([]);
  });

  it('names classes and functions that are there', () => {
    const words = new Set(files.flatMap((path) => readFileSync(path, 'utf8').match(/\w+/g) ?? []));
    const named = new Set(Array.from(text.matchAll(/`(\w+(?:\.\w+)*)`/g), ([, name]) => name!));
    const parts = [...named].flatMap((name) => name.split('.')).filter((part) => !/^\d+$/.test(part));
    expect(parts).toContain('LogStore');
    expect(parts.filter((part) => !words.has(part))).toEqual([]);
  });

  it('names every room of the library', () => {
    const [house] = text.split('packages/vectors/');
    const rooms = readdirSync(join(ROOT, 'packages/longhand/src'), { withFileTypes: true });
    const missing = rooms.filter((entry) => entry.isDirectory() && !house!.includes(`  ${entry.name}/`));
    expect(missing.map(({ name }) => name)).toEqual([]);
  });

  it('stays short', () => {
    expect(text.split(/\s+/).filter((word) => word !== '').length).toBeLessThanOrEqual(MOST_WORDS);
  });
});
