import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ERROR_CODES } from '../packages/longhand/src/index.ts';

const text = readFileSync(new URL('../docs/errors.md', import.meta.url), 'utf8');

describe('docs/errors.md', () => {
  it('lists every code below its class, and no other', () => {
    const documented: Record<string, string> = {};
    let heading = '';
    for (const line of text.split('\n')) {
      heading = /^## (\w+)/.exec(line)?.[1] ?? heading;
      const code = /^\| `([A-Z_]+)` *\|/.exec(line)?.[1];
      if (code !== undefined) documented[code] = heading;
    }
    expect(documented).toEqual({ ...ERROR_CODES });
  });
});
