import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { DEFAULT_DECAY_CONFIG } from '../packages/longhand/src/core/decay-config.ts';
import * as weights from '../packages/longhand/src/recall/analysis/weights.ts';

const text = readFileSync(new URL('../docs/scoring.md', import.meta.url), 'utf8');

/** Rows of the table of constants: names and values in the same order. */
const documented = Object.fromEntries(
  [...text.matchAll(/^\| ((?:`[A-Z_]+`(?:, )?)+) \| ([\d., ]+) \|/gm)].flatMap(([, names, values]) => {
    const numbers = values!.split(', ').map(Number);
    return names!.split(', ').map((name, at) => [name.replaceAll('`', ''), numbers[at]]);
  }),
);

describe('docs/scoring.md', () => {
  it('has at most 1,500 words', () => {
    expect(text.split(/\s+/).length).toBeLessThanOrEqual(1_500);
  });

  it('gives every constant of the ranking with its present value, and no other', () => {
    expect(documented).toEqual({ ...weights });
  });

  it('gives the half lives, the floor and the refinements as they are', () => {
    const { type_specific, min_decay_factor, reinforcement, related } = DEFAULT_DECAY_CONFIG;
    for (const type of ['conversation', 'finding', 'decision'] as const) {
      const hours = type_specific[type].half_life_hours;
      expect(text).toMatch(new RegExp(`^\\| ${type} +\\| ${hours} hours \\(${hours / 24} days\\)`, 'm'));
    }
    expect(type_specific.preference.decay_enabled).toBe(false);
    expect(text).toContain(`The floor is ${min_decay_factor}.`);
    expect(text).toContain(`factor of ${reinforcement.max_half_life_multiplier})`);
    expect(text).toContain(`half way, ${related.share},`);
  });

  it('names every part of a match', () => {
    const source = readFileSync(
      new URL('../packages/longhand/src/recall/ranking/strength.ts', import.meta.url),
      'utf8',
    );
    const [, body] = /interface MatchParts \{(.*?)^\}/ms.exec(source)!;
    const parts = [...body!.matchAll(/readonly (\w+)\??: number/g)].map(([, name]) => name!);
    expect(parts).toHaveLength(7);
    for (const part of parts) expect(text).toMatch(new RegExp(`^\\| \`${part}\` +\\|`, 'm'));
  });
});
