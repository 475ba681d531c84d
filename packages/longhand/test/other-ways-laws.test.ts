/**
 * The ways in which one thing may be written, of values by chance: whichever way a memory has, every other finds it
 * (the table of other ways in docs/scoring.md). And every text is found by itself and by its parts.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OFTEN_APART } from '../src/recall/compounds.ts';
import { resolveDecayPolicy } from '../src/recall/decay.ts';
import { RecallIndex } from '../src/recall/recall-index.ts';
import { search } from '../src/recall/search.ts';
import { sized, withSeed } from './campaign.ts';
import { wholePlaces } from './naive/naive-words.ts';
import { anyWord, joinedText, queryOfPieces } from './reading-cases.ts';

const RUNS = sized(300, 10_000);
const NOW = Date.UTC(2026, 5, 20, 12);

interface Found {
  readonly text: string;
  /** What the words of the query are worth in it. */
  readonly words: number;
}

/** What a query finds of some texts, best first, in the tail and in a segment. */
function found(texts: readonly string[], text: string): Found[] {
  const index = new RecallIndex();
  for (const [number, said] of texts.entries()) {
    index.add(
      {
        schema_version: 1,
        id: `mem_${number}`,
        session_id: `sess_${number}`,
        timestamp: '2026-06-19T09:00:00Z',
        type: 'conversation',
        content: { text: said },
        importance: 0.5,
        decay_factor: 1,
        tags: [],
        references: [],
        provenance: { author: 'user', trust: 'owner' },
      },
      number,
      { log: 0, offset: number, length: 1 },
    );
  }
  const request = { text, nowMs: NOW, policy: resolveDecayPolicy(), sortBy: 'match', explain: true } as const;
  const ask = (): Found[] =>
    search(index, request).hits.map(({ id, matchParts }) => ({
      text: texts[Number(id.slice('mem_'.length))]!,
      words: matchParts!.words,
    }));
  const inTail = ask();
  const bytes = index.sealTail();
  index.replaceTail({ size: bytes.length, read: (from, length) => bytes.subarray(from, from + length) });
  expect(ask()).toEqual(inTail);
  return inTail;
}

const textsOf = (hits: readonly Found[]): string[] => hits.map(({ text }) => text).toSorted();
const inSentence = (written: string): string => `They wrote ${written} down.`;

/** Whichever way is asked for, every way is found, is worth the same, and comes before what is something else. */
function expectOneThing(ways: readonly string[], others: readonly string[] = []): void {
  const texts = ways.map(inSentence);
  for (const asked of ways) {
    const first = found([...texts, ...others.map(inSentence)], asked).slice(0, ways.length);
    expect(textsOf(first), `asked for ${asked}`).toEqual(texts.toSorted());
    expect(new Set(first.map(({ words }) => words)).size, `asked for ${asked}`).toBe(1);
  }
}

function check<Value>(values: fc.Arbitrary<Value>, law: (value: Value) => void): Promise<void> {
  return withSeed(async (seed) => fc.assert(fc.property(values, law), { seed, numRuns: RUNS }));
}

describe('one thing in many ways', () => {
  it('is a number', async () => {
    const groupsIn = (value: number): string[] => value.toLocaleString('en').split(',');
    // A group that comes twice is said twice where it is a word.
    const values = fc
      .integer({ min: 1_000, max: 99_999_999 })
      .filter((value) => new Set(groupsIn(value)).size === groupsIn(value).length);
    await check(values, (value) => {
      const grouped = value.toLocaleString('en');
      const inThousands = `${value / 1_000}k`;
      const ways = [
        `${value}`,
        grouped,
        ...["'", '.', ' ', '\u202f'].map((mark) => grouped.replaceAll(',', mark)),
        `${value}.00`,
        `$${grouped}.00`,
        inThousands,
      ];
      expectOneThing(ways, [`${value + 1}`, `${value * 10}`]);
    });
  });

  it('is a version', async () => {
    const part = fc.nat(120);
    await check(fc.tuple(part, part, part), (parts) => {
      const version = parts.join('.');
      expectOneThing([version, `v${version}`, `V${version}`], [`${version}.1`, `${parts[0]}.${parts[1]}`]);
    });
  });

  it('is a number to call, however it is cut', async () => {
    const digits = fc.array(fc.nat(9), { minLength: 7, maxLength: 12 }).map((all) => all.join(''));
    const cuts = fc.array(fc.integer({ min: 2, max: 5 }), { minLength: 6, maxLength: 6 });
    await check(fc.tuple(digits, cuts, cuts), ([whole, one, other]) => {
      const ways = [whole];
      for (const [sizes, signs] of [
        [one, [' ', '-']],
        [other, ['.', '-']],
      ] as const) {
        const groups = groupsOf(whole, sizes);
        if (groups === undefined) continue;
        ways.push(...signs.map((sign) => groups.join(sign)), `(${groups[0]}) ${groups.slice(1).join('-')}`);
      }
      const last = (Number(whole.at(-1)) + 1) % 10;
      expectOneThing([...new Set(ways)], [`${whole.slice(0, -1)}${last}`]);
    });
  });

  it('is a time of the day', async () => {
    await check(fc.tuple(fc.nat(23), fc.integer({ min: 1, max: 59 })), ([hours, minutes]) => {
      const padded = String(minutes).padStart(2, '0');
      const hour = [...new Set([String(hours), String(hours).padStart(2, '0')])];
      expectOneThing(hour.flatMap((each) => [`${each}:${padded}`, `${each}.${padded}`]));
    });
  });

  it('is a full hour', async () => {
    await check(fc.integer({ min: 1, max: 23 }), (hours) => {
      const padded = String(hours).padStart(2, '0');
      expectOneThing(
        [...new Set([`${hours}:00`, `${padded}:00`])],
        [`${hours}`, `${hours + 1}:00`, `${hours}:30`],
      );
    });
  });

  it('is a share', async () => {
    await check(fc.tuple(fc.nat(999), fc.constantFrom('', '.5', '.25')), ([whole, decimals]) => {
      const value = `${whole}${decimals}`;
      expectOneThing([`${value}%`, `${value} percent`]);
    });
  });

  it('is a number and its unit', async () => {
    const unit = fc.constantFrom('km', 'GB', 'ms', 'kg', 'mph', 'kWh', 'min');
    await check(fc.tuple(fc.integer({ min: 32, max: 9_999 }), unit), ([value, name]) => {
      expectOneThing([`${value}${name}`, `${value} ${name}`, `${value}${name.toLowerCase()}`]);
    });
  });

  it('is a word with umlauts', async () => {
    const letters = fc.constantFrom(...'äöüøåßéèbdfgklmnprtz');
    const word = fc.array(letters, { minLength: 4, maxLength: 9 }).map((all) => all.join(''));
    const spelt: Record<string, string> = {
      ä: 'ae',
      ö: 'oe',
      ü: 'ue',
      ø: 'oe',
      å: 'aa',
      ß: 'ss',
      é: 'e',
      è: 'e',
    };
    await check(
      word.filter((each) => /[äöüøå]/.test(each)),
      (each) => {
        const speltOut = [...each].map((letter) => spelt[letter] ?? letter).join('');
        const [capital] = [each[0]!.toUpperCase() + each.slice(1)];
        const bare = each.replaceAll('ß', 'ss').replaceAll('ø', 'o').normalize('NFD').replace(/\p{M}/gu, '');
        for (const asked of [each, capital]) {
          const texts = [each, speltOut, bare].map(inSentence);
          expect(textsOf(found([...texts, inSentence('nothing')], asked))).toEqual(texts.toSorted());
        }
        for (const asked of [speltOut, bare])
          expect(textsOf(found([inSentence(each), inSentence('nothing')], asked))).toEqual([
            inSentence(each),
          ]);
      },
    );
  });

  it('is a word together and apart', () => {
    for (const joined of OFTEN_APART.trim().split(/\s+/))
      expectOneThing([joined.replace('-', ''), joined.replace('-', ' '), joined]);
  });

  it('is a name of code', async () => {
    const part = fc.constantFrom('order', 'invoice', 'total', 'parse', 'cache', 'token', 'remote');
    await check(fc.uniqueArray(part, { minLength: 2, maxLength: 4 }), (parts) => {
      const camel = parts
        .map((each, at) => (at === 0 ? each : each[0]!.toUpperCase() + each.slice(1)))
        .join('');
      const pascal = camel[0]!.toUpperCase() + camel.slice(1);
      const ways = [camel, pascal, parts.join('_'), parts.join(' '), parts.join('.')];
      for (const asked of [...parts, parts.join(' ')])
        expect(textsOf(found([...ways, 'nothing'].map(inSentence), asked))).toEqual(
          ways.map(inSentence).toSorted(),
        );
      for (const asked of [camel, pascal, camel.toLowerCase()])
        expect(found([camel, pascal, 'nothing'].map(inSentence), asked)).toHaveLength(2);
    });
  });
});

/**
 * Digits in groups of some sizes, the last of which takes what is left; `undefined` when nobody writes them so, or
 * they would be taken for a date.
 */
function groupsOf(digits: string, sizes: readonly number[]): readonly string[] | undefined {
  const groups: string[] = [];
  let rest = digits;
  for (const size of sizes) {
    if (rest.length <= 5) break;
    groups.push(rest.slice(0, size));
    rest = rest.slice(size);
  }
  if (rest !== '') groups.push(rest);
  const isWritten =
    groups.length >= 2 && groups.length <= 5 && groups.every(({ length }) => length >= 2 && length <= 5);
  const isDate = ['2 2 4', '4 2 2'].includes(groups.map(({ length }) => length).join(' '));
  // A group that comes twice, or is a day, is worth more where it stands by itself.
  const isPlain = new Set(groups).size === groups.length && groups.every((group) => Number(group) > 31);
  return isWritten && !isDate && isPlain ? groups : undefined;
}

describe('every text', () => {
  // Without phrases and wildcards, and without months that may be no months: whether one is meant decides what is found.
  const texts = fc
    .oneof(anyWord, joinedText, queryOfPieces)
    .filter((text) => !/["\u201c\u201d*]|may|march/i.test(text));
  const hasWords = (text: string): boolean => wholePlaces(text).length > 0;
  const others = ['Elephants never forget', 'Zebras sleep upright'];
  const first = (text: string, asked: string): string | undefined => found([...others, text], asked)[0]?.text;

  it('finds itself, whole and as a phrase', async () => {
    await check(texts.filter(hasWords), (text) => {
      expect(first(text, text)).toBe(text);
      expect(first(text, `"${text}"`)).toBe(text);
    });
  });

  it('is found by whatever stands between its spaces', async () => {
    await check(texts, (text) => {
      for (const asked of text.split(/\s+/).filter(hasWords)) expect(first(text, asked), asked).toBe(text);
    });
  });

  it('is found by wildcards in place of the end and of the beginning of its words', async () => {
    await check(texts, (text) => {
      for (const [{ word }] of wholePlaces(text)) {
        const letters = [...word];
        const patterns = [`${letters.slice(0, 2).join('')}*`, `*${letters.slice(-2).join('')}`];
        // A name with signs is looked for as a whole alone, and an apostrophe before all letters is none.
        const isPattern = letters.length > 2 && !/[+#]$/.test(word) && !/'.$/.test(word);
        for (const asked of isPattern ? patterns : [])
          expect(found([...others, text], asked).map((each) => each.text)).toContain(text);
      }
    });
  });
});
