import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const read = (name: string): string => readFileSync(join(import.meta.dirname, '..', name), 'utf8');

test('the example of the README, saved under its name, leaves nothing to format, check or commit', () => {
  const [, name] = /`npx node (\S+\.ts)`/.exec(read('README.md'))!;
  expect(read('.gitignore').split('\n')).toContain(`/${name}`);
  const biome = JSON.parse(read('biome.json')) as { files: { includes: readonly string[] } };
  expect(biome.files.includes).toContain(`!${name}`);
  const types = JSON.parse(read('tsconfig.json')) as { exclude: readonly string[] };
  expect(types.exclude).toContain(name);
});
