/**
 * Letters that are spelt out where the keyboard lacks them: Müller is Mueller, and without its points Muller.
 *
 * All accents go from a word (`words.ts`), so that Müller and Muller are one. The word with its letters spelt out stands beside
 * it. The other way round nothing can be done: an "oe" is one letter in Goethe and two in "poet".
 */

const SPELT: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue', ø: 'oe', å: 'aa' };
const LETTER = /[äöüøå]/g;

/** A word in small letters with these letters spelt out; empty when it has none. @param raw as it stands in the text */
export function speltOut(raw: string): string {
  const lower = raw.toLowerCase();
  const spelt = lower.replace(LETTER, (letter) => SPELT[letter]!);
  return spelt === lower ? '' : spelt;
}
