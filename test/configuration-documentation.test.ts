import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { configKeys, resolveConfig } from '../packages/longhand/src/core/config.ts';

const text = readFileSync(new URL('../docs/configuration.md', import.meta.url), 'utf8');
const [settings] = text.split('## Durability');
const rows = [...settings!.matchAll(/^\| `([a-z_.]+)` *\| ([^|]+) \|/gm)].map(([, key, value]) => [
  key!,
  value!.trim(),
]);

function defaultOf(key: string): unknown {
  let value: unknown = resolveConfig([]);
  for (const part of key.split('.')) value = (value as Record<string, unknown>)[part];
  return value;
}

describe('docs/configuration.md', () => {
  it('lists every setting, and no other', () => {
    expect(rows.map(([key]) => key).sort()).toEqual(configKeys().sort());
  });

  it('tells the defaults as they are', () => {
    for (const [key, documented] of rows) {
      const value = defaultOf(key!);
      expect(documented, key).toBe(
        value === undefined ? '–' : typeof value === 'string' ? `\`"${value}"\`` : String(value),
      );
    }
  });
});
