import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { DEFAULT_DECAY_CONFIG } from '../packages/longhand/src/core/decay-config.ts';
import * as decay from '../packages/longhand/src/recall/decay.ts';
import * as weights from '../packages/longhand/src/recall/weights.ts';

const text = readFileSync(new URL('../docs/scoring.md', import.meta.url), 'utf8');
const documented = new Map(
  [...text.matchAll(/^\| `([A-Z_]+)` *\| ([\d.]+) *\|/gm)].map(([, name, value]) => [name!, Number(value)]),
);
const constants = Object.entries({ ...decay, ...weights }).filter(([, value]) => typeof value === 'number');

describe('docs/scoring.md', () => {
  it('gives every constant of the ranking with its present value, and no other', () => {
    expect(Object.fromEntries(documented)).toEqual(Object.fromEntries(constants));
  });

  it('gives the half lives, the floor and the refinements as they are', () => {
    const { type_specific, min_decay_factor, reinforcement, related } = DEFAULT_DECAY_CONFIG;
    for (const type of ['conversation', 'finding', 'decision'] as const) {
      const hours = type_specific[type].half_life_hours;
      expect(text).toMatch(new RegExp(`^\\| ${type} +\\| ${hours} hours \\(${hours / 24} days\\)`, 'm'));
    }
    expect(type_specific.preference.decay_enabled).toBe(false);
    expect(text).toMatch(/^\| preference +\| does not decay/m);
    expect(text).toContain(`The floor is ${min_decay_factor}:`);
    expect(text).toContain(`where max is ${reinforcement.max_half_life_multiplier}:`);
    expect(text).toContain(`half way (${related.share})`);
    expect([reinforcement.enabled, related.enabled]).toEqual([false, false]);
  });

  it('names every part of a match', () => {
    const source = readFileSync(
      new URL('../packages/longhand/src/recall/strength.ts', import.meta.url),
      'utf8',
    );
    const [, body] = /interface MatchParts \{(.*?)^\}/ms.exec(source)!;
    const parts = [...body!.matchAll(/readonly (\w+)\??: number/g)].map(([, name]) => name!);
    expect(parts).toHaveLength(7);
    for (const part of parts) expect(text).toMatch(new RegExp(`^\\| \`${part}\` +\\|`, 'm'));
  });
});
