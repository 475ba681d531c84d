/**
 * Which memories of a part say what speaks of days, and when they were written: what weekdays, relative days and dates share.
 */

import { intersectLists } from './filter.ts';
import { WRITTEN_MARK } from './lexicon.ts';
import type { Part } from './part.ts';
import { findPhrases } from './phrase.ts';
import { documentsOf } from './postings.ts';
import { dayTerm } from './term-names.ts';
import { type Calendar, DAY } from './time/calendar.ts';
import { termOf } from './words.ts';

/** Days as a calendar counts them, both included. */
export interface Days {
  readonly first: number;
  readonly last: number;
}

export type Note = (document: number, surely: number) => void;

/** A day without its year is the one that is nearest to when it was written. */
export const HALF_YEAR = 183;
/** Days: of weeks nobody counts more than six, and in places a day begins earlier or later than in UTC. */
const FURTHEST_DAYS = 44;
const NOBODY = new Int32Array(0);

export class DayHolders {
  readonly part: Part;
  /** Of the place where it is asked. */
  readonly calendar: Calendar;
  /** Many phrases share a word that nobody wrote: it is asked for once. */
  readonly #isHeld = new Map<string, boolean>();

  readonly #ofPhrase = new Map<string, Int32Array>();

  constructor(part: Part, calendar: Calendar) {
    this.part = part;
    this.calendar = calendar;
  }

  /** @param days if given, only what was written so near to them that it may speak of them */
  ofPhrase(pieces: readonly string[], days?: Days): Int32Array {
    if (!pieces.every((piece) => this.#holds(piece))) return NOBODY;
    const isWanted = days && ((_: Part, document: number) => this.isNear(days, document));
    return findPhrases([this.part], [pieces], this.calendar, isWanted)[0]!.documents[0]!;
  }

  /** Those that have a phrase, looked for once. */
  ofKnownPhrase(pieces: readonly string[]): Int32Array {
    const name = pieces.join(' ');
    const known = this.#ofPhrase.get(name) ?? this.ofPhrase(pieces);
    this.#ofPhrase.set(name, known);
    return known;
  }

  /** Those that hold a word as it is, and not only another of its stem. */
  ofWritten(word: string): Int32Array {
    const term = termOf(word);
    return documentsOf(this.part.postings(term === word ? term : WRITTEN_MARK + word));
  }

  stating(day: number): readonly number[] {
    const date = new Date(day * DAY);
    const [year, month, dayOfMonth] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
    const near = documentsOf(this.part.postings(dayTerm('unsaid', month, dayOfMonth))).filter(
      (document) => Math.abs(this.writtenOn(document) - day) <= HALF_YEAR,
    );
    return [...documentsOf(this.part.postings(dayTerm(year, month, dayOfMonth))), ...near];
  }

  writtenOn(document: number): number {
    return this.calendar.dayOf(this.part.time[document]!);
  }

  isNear({ first, last }: Days, document: number): boolean {
    const ms = this.part.time[document]!;
    return ms > (first - FURTHEST_DAYS) * DAY && ms < (last + 1 + FURTHEST_DAYS) * DAY;
  }

  /** Whether any of some days is meant by days that are so far away from the day of writing. */
  meets(document: number, away: Days, days: Days): boolean {
    // Most are of another time, and to look at the clocks of a place costs.
    const inUtc = Math.floor(this.part.time[document]! / DAY);
    if (!(inUtc + away.last >= days.first - 1 && inUtc + away.first <= days.last + 1)) return false;
    const written = this.writtenOn(document);
    return written + away.last >= days.first && written + away.first <= days.last;
  }

  /** Document → the places at which it has any of some terms. @param among of these documents alone */
  places(terms: readonly string[], among: Int32Array): ReadonlyMap<number, ReadonlySet<number>> {
    const places = new Map<number, Set<number>>();
    if (among.length === 0) return places;
    for (const term of new Set(terms)) {
      const holders = intersectLists(among, documentsOf(this.part.postings(term)));
      if (holders.length === 0) continue;
      for (const [at, positions] of this.part.positions(term, holders).entries()) {
        const known = places.get(holders[at]!) ?? new Set();
        for (const position of positions) known.add(position);
        places.set(holders[at]!, known);
      }
    }
    return places;
  }

  #holds(term: string): boolean {
    const known = this.#isHeld.get(term) ?? this.part.postings(term).count > 0;
    this.#isHeld.set(term, known);
    return known;
  }
}
