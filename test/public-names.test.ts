import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { entryPoints, exportsOf } from './source-tree.ts';

/** A name that users import changes on purpose alone: `npx vitest run --project fast test/public-names -u` writes the list again. */
it('the library exports the names that test/public-names.txt lists', async () => {
  const library = resolve(import.meta.dirname, '../packages/longhand');
  const lines = Array.from(entryPoints(library), ([entry, path]) => {
    const names = [...exportsOf(path)].map(([name, kind]) => `  ${name}: ${kind}`).sort();
    return [entry, ...names].join('\n');
  });
  await expect(`${lines.join('\n\n')}\n`).toMatchFileSnapshot(join(import.meta.dirname, 'public-names.txt'));
});
