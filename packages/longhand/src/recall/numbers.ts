/**
 * One term for numbers that are written in several ways: 8th and 08, 1'200 and 1.2k, 1200.00, v1.2.3.
 *
 * Commas between thousands are no part of a word at all (`words.ts`). What stays apart is what may mean something else: 1.200 is
 * a little more than one to half of the world, 2m may be metres or millions, and v2 is more than any 2.
 */

const ORDINAL = /^(\d+)(?:st|nd|rd|th)$/;
const ZERO_FIRST = /^0\d$/;
const THOUSANDS = /^\d{1,3}(?:'\d{3})+(?:\.\d+)?$/;
const KILO = /^(\d{1,6}(?:\.\d{1,3})?)k$/;
const WITHOUT_CENTS = /^(\d+)\.00$/;
const VERSION = /^v\d+(?:\.\d+)+$/;

export function isOrdinal(word: string): boolean {
  return ORDINAL.test(word);
}

/** The term of a word that begins with a digit. */
export function numberTerm(word: string): string {
  const [, number = word] = ORDINAL.exec(word) ?? WITHOUT_CENTS.exec(word) ?? [];
  if (ZERO_FIRST.test(number)) return number.slice(1);
  if (THOUSANDS.test(number)) return numberTerm(number.replaceAll("'", ''));
  const [, thousands] = KILO.exec(number) ?? [];
  return thousands === undefined ? number : String(Math.round(Number(thousands) * 1000));
}

/** Of a word that begins with a "v": the version that it is, or `undefined`. */
export function versionTerm(word: string): string | undefined {
  return VERSION.test(word) ? word.slice(1) : undefined;
}
