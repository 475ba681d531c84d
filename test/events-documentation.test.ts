import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { EVENT_LEVELS } from '../packages/longhand/src/index.ts';

test('docs/events.md lists every kind of event with its level, and no other', () => {
  const text = readFileSync(new URL('../docs/events.md', import.meta.url), 'utf8');
  const rows = text.matchAll(/^\| `([a-z-]+)` *\| ([A-Z]+) *\|/gm);
  expect(Object.fromEntries(Array.from(rows, ([, kind, level]) => [kind, level]))).toEqual(EVENT_LEVELS);
});
