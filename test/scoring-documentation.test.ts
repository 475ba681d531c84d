import { globSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { DEFAULT_DECAY_CONFIG } from '../packages/longhand/src/core/decay-config.ts';

const text = readFileSync(new URL('../docs/scoring.md', import.meta.url), 'utf8');
const documented = new Map(
  [...text.matchAll(/^\| `([A-Z_]+)` *\| ([\d.]+) *\|/gm)].map(([, name, value]) => [name!, Number(value)]),
);

/**
 * Numbers of `recall/` that change no score: layouts of bytes, letters, marks, bounds that only save work, and memory.
 * Of a file, or of one constant in it. All others are in the document.
 */
const NO_SCORE: readonly string[] = [
  'ascii-table.ts',
  'candidates.ts',
  'cursor.ts',
  'decay.ts RECENCY_GONE_HOURS',
  'entry-text.ts KIND_',
  'filter.ts',
  'frame-memory.ts',
  'freshness.ts',
  'letters-phrase.ts',
  'lexicon.ts',
  'match.ts DOCUMENTS_A_MATCH',
  'match.ts SCORE_ROUNDING',
  'phrase.ts BITS',
  'posting-chunks.ts',
  'postings.ts',
  'preview.ts',
  'query-dates.ts AND_MORE',
  'recall-index.ts WORDS_OF_DOCUMENT',
  'search.ts DEFAULT_LIMIT',
  'segment-format.ts',
  'segment.ts',
  'compounds.ts STEM_START',
  'spelling.ts LETTER_A',
  'asking-words.ts FIRST_WORDS',
  'said-times.ts',
  'day-holders.ts FURTHEST_DAYS',
  'spoken-days.ts DAYS_OF_WEEK',
  'spoken-weekdays.ts DAYS_OF_WEEK',
  'signs.ts SIGN_',
  'stem.ts LETTER_',
  'strength.ts TURN',
  'tail.ts',
  'time/calendar.ts',
  'time/languages.ts',
  'time/numbered-days.ts',
  'time/recurrence.ts',
  'time/filter-wordings.ts',
  'time/scan.ts CURLY_APOSTROPHE',
  'time/scan.ts EN_DASH',
  'time/scan.ts MAX_WORD_LENGTH',
  'time/spans.ts MAX_QUANTITY',
  'time/stated-dates.ts',
  'time/stated-ranges.ts BETWEEN_LENGTH',
  'time/stated-ranges.ts MOVED_LENGTH',
  'time/stated-ranges.ts NUMBERED_LENGTH',
  'time/stated-ranges.ts BEHIND_LENGTH',
  'time/stated-ranges.ts FOUR_DIGITS',
  'time/stated-ranges.ts TWO_DIGITS',
  'time/vocabulary.ts MAX_HOLIDAY_WORDS',
  'time/within.ts',
  'time/zones.ts',
  'vectors/dot-kernel.ts',
  'vectors/similarity.ts NO_COSINE',
  'vectors/vector-block.ts',
  'vectors/vector-table.ts',
  'whole-dates.ts',
  'words.ts HYPHEN',
  'words.ts STAR',
  'words.ts OTHER',
  'words.ts LETTER',
  'words.ts LETTER_V',
  'words.ts UNSPACED_LETTER',
  'words.ts MARK',
  'words.ts SINGLE',
];

/** `0.4`, `1_024`, `54 * 24`, `1 / 4`; NaN for everything else. */
function numberOf(written: string): number {
  const [first, ...rest] = written.replaceAll('_', '').split(/ (?=[*/] )/);
  return rest.reduce(
    (value, part) => (part.startsWith('*') ? value * Number(part.slice(1)) : value / Number(part.slice(1))),
    Number(first),
  );
}

/** Every constant that is a number, whether a file shares it or not: file and name → value. */
async function constantsOfRecall(): Promise<Map<string, number>> {
  const folder = fileURLToPath(new URL('../packages/longhand/src/recall/', import.meta.url));
  const found = new Map<string, number>();
  for (const path of globSync(`${folder}**/*.ts`).toSorted()) {
    if (path.endsWith('.test.ts')) continue;
    const shared = (await import(path)) as Readonly<Record<string, unknown>>;
    const source = readFileSync(path, 'utf8');
    for (const [, name, literal] of source.matchAll(/^(?:export )?const ([A-Z][A-Z_\d]*) = ([^;]+);/gm)) {
      const value = shared[name!] ?? numberOf(literal!);
      if (typeof value === 'number' && !Number.isNaN(value))
        found.set(`${relative(folder, path)} ${name}`, value);
    }
  }
  return found;
}

const isMeant = (left: string, name: string): boolean =>
  name === left || (/(\.ts|_)$/.test(left) && name.startsWith(left));
const decidesScores = (name: string): boolean => !NO_SCORE.some((left) => isMeant(left, name));

const constants = await constantsOfRecall();

describe('docs/scoring.md', () => {
  it('gives every constant of the ranking with its present value, and no other', () => {
    const all = [...constants].filter(([name]) => decidesScores(name));
    expect(Object.fromEntries(documented)).toEqual(
      Object.fromEntries(all.map(([name, value]) => [name.split(' ')[1], value])),
    );
    expect(documented.size).toBe(all.length);
    expect(NO_SCORE.filter((left) => ![...constants.keys()].some((name) => isMeant(left, name)))).toEqual([]);
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
