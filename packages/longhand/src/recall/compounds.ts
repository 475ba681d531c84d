/**
 * Words that some write together and some apart: "login" and "log in", "database" and "data base".
 *
 * Two words of a query that follow one another may be one in a memory: the dictionary tells. The other way round, every word
 * could be cut in many places, and "cabin" is found in "a cab in". So a word is cut where a list says that it is often
 * written apart; and one that is in no memory anywhere, because then nothing else is found.
 */

import { isStopword } from './stopwords.ts';
import { MAX_CUTS } from './weights.ts';
import { termOf } from './words.ts';

const LETTERS = /^[a-z]+$/;
const MIN_PART_LETTERS = 2;
const MIN_LETTERS = 5;

/** Words without a meaning of their own that end a compound ("set up"), and that begin one ("over view"). */
const LAST = new Set('down in off on out over up'.split(' '));
const FIRST = new Set('down off on out over under up'.split(' '));

/** Words that are written in both ways, cut. */
export const OFTEN_APART = `
  add-on air-port back-end back-log back-up break-down build-up buy-out call-back cash-back catch-up check-in check-list
  check-out check-up clean-up code-base come-back count-down cross-over cut-off data-base data-set day-care draw-back drop-off
  drop-out fall-back feed-back file-name flash-back follow-up front-end grown-up hand-out hand-over hang-over head-phones
  health-care home-page home-work host-name kick-off knock-out lay-off lay-out lay-over left-over line-up lock-down
  lock-out log-in log-off log-on log-out make-over mark-down mark-up mock-up name-space pay-back pay-off pay-out pick-up
  play-back play-list play-off plug-in pop-up print-out push-back road-map roll-back roll-out roll-over run-down run-time
  set-back set-up show-down shut-down sign-in sign-off sign-up slow-down smart-phone start-up take-off take-out take-over
  time-line time-out time-stamp time-zone trade-off turn-out turn-over up-load user-name voice-mail wake-up warm-up web-page
  web-site week-end white-board work-flow work-out work-shop
`;

/** A stem begins as its word does. To stem all of them would take milliseconds of a start. */
const STEM_START = 4;
const CUT_BY_START = Map.groupBy(OFTEN_APART.trim().split(/\s+/), (parts) =>
  parts.replace('-', '').slice(0, STEM_START),
);

function cutOf(term: string): string | undefined {
  const alike = CUT_BY_START.get(term.slice(0, STEM_START));
  return alike?.find((parts) => termOf(parts.replace('-', '')) === term);
}

/** Whether two words may be one. In "is land" and "as set" they are not: there the first is a word of the sentence. */
export function mayBeCompound(first: string, last: string): boolean {
  if (first.length < MIN_PART_LETTERS || last.length < MIN_PART_LETTERS) return false;
  if (first.length + last.length < MIN_LETTERS) return false;
  if (!LETTERS.test(first) || !LETTERS.test(last)) return false;
  if (isStopword(first)) return FIRST.has(first) && !isStopword(last);
  return !isStopword(last) || LAST.has(last);
}

/** "nodejs": what is written in that language has its name from it, and mostly a point before it. */
const IN_JAVASCRIPT = /^([a-z]{2,})js$/;

/** The terms of the two words that a compound is often written as, or `undefined`. */
export function oftenApart(word: string, term: string): readonly string[] | undefined {
  const [, name] = word.endsWith('js') ? (IN_JAVASCRIPT.exec(word) ?? []) : [];
  if (name !== undefined) return [termOf(name), 'js'];
  return cutOf(term)?.split('-').map(termOf);
}

/**
 * The terms of the pairs of words that a word can be cut into, those in the middle first: of those that memories hold, the
 * first few are looked for, because each is a walk through the places of both words.
 */
export function cutsOf(
  word: string,
  isHeld: (term: string) => boolean,
): readonly (readonly [string, string])[] {
  const cuts: (readonly [string, string])[] = [];
  const places = Array.from({ length: word.length }, (_, at) => at).slice(MIN_PART_LETTERS, -1);
  const fromMiddle = (at: number): number => Math.abs(2 * at - word.length);
  for (const at of places.sort((left, right) => fromMiddle(left) - fromMiddle(right))) {
    const [first, last] = [word.slice(0, at), word.slice(at)];
    if (!mayBeCompound(first, last)) continue;
    const cut = [termOf(first), termOf(last)] as const;
    if (cut.every(isHeld)) cuts.push(cut);
    if (cuts.length === MAX_CUTS) break;
  }
  return cuts;
}
