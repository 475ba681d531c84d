import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseWithin, UTC_CALENDAR } from '../packages/longhand/src/time/index.ts';

const text = readFileSync(new URL('../docs/queries.md', import.meta.url), 'utf8');
const [, section = ''] = /### Times in words\n(.*?)\n## /s.exec(text) ?? [];
const wordings = [...section.matchAll(/^\|[^|]*\|([^|]*)\|/gm)].flatMap(([, cell]) =>
  [...cell!.matchAll(/`([^`]+)`/g)].map(([, wording]) => wording!),
);

const foreign = [
  .../Of German and French these are understood:(.*?)\n\n/s.exec(section)![1]!.matchAll(/`([^`]+)`/g),
].map(([, wording]) => wording!.replace('\n', ' '));

describe('docs/queries.md', () => {
  it('names wordings of time that are understood', () => {
    expect(wordings.length).toBeGreaterThan(60);
    expect(foreign.length).toBeGreaterThan(20);
    for (const wording of [...wordings, ...foreign])
      expect(parseWithin(wording, Date.UTC(2026, 4, 20, 15, 30), UTC_CALENDAR), wording).toMatchObject({
        ok: true,
      });
  });
});
