import { readFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { circlesIn, importsOf, sourceFiles } from './source-tree.ts';

/**
 * The console talks to the server through `longhand/client` alone. Its rooms: `api` ← `parts` ← `pages/*` ← `pages.ts` ←
 * `shell` ← `main.tsx`. A page imports no other page.
 */
const SOURCE = resolve(import.meta.dirname, '../packages/console/src');

const ROOMS: Readonly<Record<string, readonly string[]>> = {
  'css.d.ts': [],
  api: [],
  parts: ['api'],
  pages: ['api', 'parts'],
  'pages.ts': ['pages'],
  shell: ['api', 'parts', 'pages.ts'],
  'main.tsx': ['api', 'shell'],
};

/** Everything is bundled: what is not listed here does not get into the page. */
const PACKAGES =
  /^(?:longhand\/(?:client|react)|react(?:-dom\/client)?|zustand(?:\/vanilla)?|wouter|lucide-react|d3-(?:force|shape)|marked|@(?:tanstack\/react-(?:query|virtual)|codemirror\/[a-z-]+|lezer\/[a-z-]+))$/;

const files = sourceFiles(SOURCE);
const roomOf = (path: string): string => relative(SOURCE, path).split('/')[0]!;
const pageOf = (path: string): string => relative(SOURCE, path).split('/').slice(0, 2).join('/');

describe('the walls of the console', () => {
  it.each(files.map((path) => [relative(SOURCE, path), path]))('hold for %s', (_name, path) => {
    const room = roomOf(path!);
    expect(ROOMS[room], `${room} is a room without a rule`).toBeDefined();
    for (const specifier of importsOf(path!)) {
      if (specifier.endsWith('.css')) continue;
      if (!specifier.startsWith('.')) {
        expect(specifier, 'imports a package').toMatch(PACKAGES);
        continue;
      }
      const target = resolve(dirname(path!), specifier);
      if (roomOf(target) !== room)
        expect(ROOMS[room], `${room} imports another room`).toContain(roomOf(target));
      else if (room === 'pages') expect(pageOf(target), 'a page imports another page').toBe(pageOf(path!));
    }
  });

  it('let no files import each other in a circle', () => {
    const imports = files.map((path) => {
      const local = importsOf(path).filter((specifier) => specifier.startsWith('.'));
      return [path, local.map((specifier) => resolve(dirname(path), specifier))] as const;
    });
    expect(circlesIn(new Map(imports)).map((path) => relative(SOURCE, path))).toEqual([]);
  });

  it('let no text become HTML', () => {
    for (const path of files)
      expect(readFileSync(path, 'utf8'), path).not.toMatch(
        /dangerouslySetInnerHTML|\.(?:inner|outer)HTML|insertAdjacentHTML|document\.write|\beval\(|new Function/,
      );
  });
});
