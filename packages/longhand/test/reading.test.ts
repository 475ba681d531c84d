/**
 * How texts and queries are read, against a reading that is slow and simple (`naive/`) and shares only lists with it.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutsOf } from '../src/recall/compounds.ts';
import { functionWordsOf } from '../src/recall/function-words.ts';
import { otherWays } from '../src/recall/other-ways.ts';
import {
  QueryError,
  readQueryText,
  requestVerb,
  sayOnlyThatItWasSaid,
  termsOf,
} from '../src/recall/query-text.ts';
import { DAY } from '../src/recall/time/calendar.ts';
import { numberedDays } from '../src/recall/time/numbered-days.ts';
import { mayStateDay } from '../src/recall/time/stated-dates.ts';
import { statedRanges } from '../src/recall/time/stated-ranges.ts';
import { MAX_CUTS } from '../src/recall/weights.ts';
import { forEachWholeWord, forEachWord, termOf, type VisitWord } from '../src/recall/words.ts';
import { sized, withSeed } from './campaign.ts';
import { evenCuts } from './naive/naive-meant.ts';
import { naiveNumbered } from './naive/naive-numbered.ts';
import {
  foreignWords,
  naiveOtherWays,
  naiveTerms,
  readNaively,
  saysOnlyThatItWasSaid,
  verbOfRequest,
} from './naive/naive-query.ts';
import { naiveRanges } from './naive/naive-ranges.ts';
import * as naive from './naive/naive-words.ts';
import { joinedText, longQuery, queryOfPieces, textOfNumbers, textOfRanges } from './reading-cases.ts';

type Read = (text: string, visit: VisitWord) => void;

/** Place → the words there. */
function placesBy(read: Read, text: string): string[][] {
  const places: string[][] = [];
  read(text, (word, _, isBeside) => {
    if (isBeside) places.at(-1)!.push(word);
    else places.push([word]);
  });
  return places;
}

const wordsOf = (places: readonly naive.Place[]): string[][] =>
  places.map((place) => place.map(({ word }) => word));

function readAsCode(text: string): unknown {
  try {
    return readQueryText(text);
  } catch (error) {
    if (error instanceof QueryError) return 'refused';
    throw error;
  }
}

/** Every run tries the same cases, the nights new ones. */
function check(property: fc.IRawProperty<unknown>, numRuns: number): Promise<void> {
  return withSeed(async (seed) => fc.assert(property as fc.IProperty<unknown>, { seed, numRuns }));
}

describe('words', () => {
  it('are cut as they are described', () => {
    return check(
      fc.property(joinedText, (text) => {
        expect(placesBy(forEachWholeWord, text)).toEqual(wordsOf(naive.wholePlaces(text)));
        expect(placesBy(forEachWord, text)).toEqual(wordsOf(naive.placesOf(text)));
        for (const word of wordsOf(naive.placesOf(text)).flat())
          expect(termOf(word)).toBe(naive.termOf(word));
      }),
      sized(3_000, 50_000),
    );
  });
});

describe('queries', () => {
  it.each([
    ['few words', fc.oneof(queryOfPieces, joinedText), sized(3_000, 50_000)],
    ['more than a query may have', longQuery, sized(100, 2_000)],
  ])('are read as they are described, of %s', (_, texts, numRuns) => {
    return check(
      fc.property(texts, (text) => {
        const expected = readNaively(text);
        expect(readAsCode(text)).toEqual(expected);
        if (expected === 'refused') return;
        const { words } = expected;
        expect(functionWordsOf(words)).toEqual(foreignWords(words));
        expect(requestVerb(words)).toBe(verbOfRequest(words));
        expect(sayOnlyThatItWasSaid(words)).toBe(saysOnlyThatItWasSaid(words));
        expect([...termsOf(words)]).toEqual([...naiveTerms(words)]);
        for (const [term, typed] of naiveTerms(words)) {
          const ways = otherWays(typed, term, expected);
          const naiveWays = naiveOtherWays(typed, term, expected);
          expect(new Set(ways.terms)).toEqual(new Set(naiveWays.terms));
          expect(new Set(ways.phrases.map(String))).toEqual(new Set(naiveWays.phrases.map(String)));
        }
      }),
      numRuns,
    );
  });
});

it('ranges of days are read as they are described', () => {
  return check(
    fc.property(textOfRanges, (text) => {
      const ranges = mayStateDay(text) ? statedRanges(text) : [];
      const naively = naiveRanges(text).map(({ days, ...others }) => ({
        ...others,
        firstDay: days[0]!.getTime() / DAY,
        lastDay: days.at(-1)!.getTime() / DAY,
      }));
      expect(ranges).toEqual(naively);
    }),
    sized(3_000, 50_000),
  );
});

it('days are read by their numbers as they are described', () => {
  return check(
    fc.property(textOfNumbers, (text) => {
      expect(numberedDays(text).map(({ to, day }) => ({ to, day }))).toEqual(naiveNumbered(text));
    }),
    sized(3_000, 50_000),
  );
});

it('a word that nobody wrote is cut into two that somebody did, the most even first', () => {
  const letters = fc.array(fc.constantFrom(...'abdeiku'), { minLength: 2, maxLength: 14 });
  return check(
    fc.property(letters, fc.nat(6), (word, kept) => {
      const isHeld = (term: string): boolean => kept === 0 || term.length % kept < 2;
      const expected = evenCuts(word.join('')).filter((cut) => cut.every(isHeld));
      expect(cutsOf(word.join(''), isHeld)).toEqual(expected.slice(0, MAX_CUTS));
    }),
    sized(1_000, 20_000),
  );
});
