/**
 * Memories that speak of a day of every month: "rent is due on the 1st of every month", "monatlich am 1.".
 */

import { lazily } from '../core/lazily.ts';
import type { DayHolders, Note } from './day-holders.ts';
import { DAY } from './time/calendar.ts';
import { SPOKEN_WEEKDAY } from './weights.ts';
import { phrasePieces } from './words.ts';

/** With the first day of a month in the place of any, by what says that it is every month. */
const FIRST = '1';
const phrases = lazily(() =>
  Object.entries({
    'every month': ['1 of every month', 'every month on the 1'],
    'each month': ['1 of each month', 'each month on the 1'],
    monthly: ['monthly on the 1'],
    'jeden Monats': ['1 jeden Monats', 'jeden Monat am 1'],
    'jedes Monats': ['1 jedes Monats'],
    monatlich: ['monatlich am 1'],
    'chaque mois': ['1 de chaque mois', '1er de chaque mois', 'chaque mois le 1'],
  }).map(([every, all]) => ({ every: phrasePieces(every), all: all.map(phrasePieces) })),
);

/** Notes what speaks of a day by its number in every month, from when it was written on. */
export function noteMonthly(holders: DayHolders, day: number, note: Note): void {
  const number = String(new Date(day * DAY).getUTCDate());
  for (const { every, all } of phrases()) {
    // Few speak of every month, and "of" and "the" stand everywhere.
    if (holders.ofKnownPhrase(every).length === 0) continue;
    for (const phrase of all) {
      for (const document of holders.ofPhrase(phrase.map((piece) => (piece === FIRST ? number : piece))))
        if (holders.writtenOn(document) < day) note(document, SPOKEN_WEEKDAY);
    }
  }
}
