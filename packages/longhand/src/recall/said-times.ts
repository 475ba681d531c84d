/**
 * Memories that say when: "the demo is on Wednesday at 4 pm", "she left last week".
 *
 * Who asks when something is wants one of them. What repeats the words of the question and says no time is no answer.
 */

import { lazily } from '../core/lazily.ts';
import { monthTerm, weekdayTerm } from './entry-text.ts';
import type { Part } from './part.ts';
import { documentsOf } from './postings.ts';
import { namesElsewhere, postingsInTexts } from './query-dates.ts';
import { termOf } from './words.ts';

const WORDS = `today tonight tomorrow yesterday ago last next week weekend month year pm
  heute morgen gestern vorgestern woche wochenende monat uhr demain semaine mois`.split(/\s+/);
const DAYS_OF_WEEK = 7;
const MONTHS_OF_YEAR = 12;
/** "May" is a verb more often than not. */
const MAY = 5;

const termsOfTimes = lazily((): ReadonlySet<string> => {
  const names = [
    ...Array.from({ length: DAYS_OF_WEEK }, (_, day) => weekdayTerm(day)),
    ...Array.from({ length: MONTHS_OF_YEAR }, (_, at) => (at + 1 === MAY ? '' : monthTerm(at + 1)!)),
  ].filter((name) => name !== '');
  return new Set([
    ...WORDS.map(termOf),
    ...names.flatMap((name) => [name, ...(namesElsewhere().get(name) ?? [])]),
  ]);
});

/** Document → 1 when it says a time in its texts. */
export function saidTimes(part: Part): Uint8Array {
  const says = new Uint8Array(part.count);
  for (const term of termsOfTimes()) {
    for (const document of documentsOf(postingsInTexts(term, part))) says[document] = 1;
  }
  return says;
}
