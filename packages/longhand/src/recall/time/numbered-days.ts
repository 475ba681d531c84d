import { lazily } from '../../core/lazily.ts';

/**
 * Days that a text says by their numbers alone: "on the 18th", "am 18.", "le 18".
 *
 * Which month is meant follows from when it was written. Most numbers are no days: only a word before one says that it is, and
 * a noun behind it takes that back ("on the 18th floor"). English and French have no sign for nouns, so that a list says which
 * words are none; German writes nouns with a capital letter.
 */

export interface NumberedDay {
  /** Where it stands: `text.slice(from, to)`. */
  readonly from: number;
  readonly to: number;
  readonly day: number;
}

/** Numbers are rarer than these words, and looked for first. */
const MAY_BE_NUMBERED = / \d(?<=(?:the|am|zum|vom|dem|le|du|au) \d)/i;
/** "I am 18", "10 am 18 people came" and "Bist du 18?" are of something else. */
const numbered = lazily(
  () =>
    /(?<![\p{L}\p{N}])(?:(?:on|by|until|till|before|after|since|from) the (?<english>\d{1,2})(?:st|nd|rd|th)|(?:(?<!(?<![\p{L}\p{N}])i |\d )am|bis zum|vom|ab dem) (?<german>\d{1,2})\.|(?:le|au|(?<!(?:bist|wirst|warst) )du) (?<french>\d{1,2}))/giu,
);
/** Of "on the 1st and 2nd floor" the noun comes later. */
const NO_MORE = '(?! (?:the |le |au |den |dem |zum )?\\d)';
const END = '$|[\\n\\r;!?)\\u2026]|[.,:](?!\\d)| [-\\u2013\\u2014(]';
const behindEnglish = lazily(
  () =>
    new RegExp(
      `^(?:${END}| (?:at|in|for|with|we|i|he|she|they|it|you|there|is|was|will|because|but|so|(?:and|or)${NO_MORE})(?![\\p{L}\\p{N}'\\u2019]))`,
      'iu',
    ),
);
const behindFrench = lazily(
  () =>
    new RegExp(
      `^(?:${END}| (?:\\u00e0|pour|avec|chez|dans|on|nous|je|il|elle|ils|elles|mais|(?:et|ou)${NO_MORE})(?![\\p{L}\\p{N}'\\u2019]))`,
      'iu',
    ),
);
const behindGerman = lazily(
  () => new RegExp(`^(?:${END}| (?!(?:und|oder|bis)(?: zum| den| dem)? \\d)\\p{Ll})`, 'u'),
);
/** As far as these look, at least. */
const BEHIND_LENGTH = 20;
const MAX_DAY = 31;

/** In the order of the text. Some may be part of a date. */
export function numberedDays(text: string): readonly NumberedDay[] {
  if (!MAY_BE_NUMBERED.test(text)) return NONE;
  const days: NumberedDay[] = [];
  for (const { 0: said, groups, index: from } of text.matchAll(numbered())) {
    const { english, german, french } = groups as Readonly<Record<string, string | undefined>>;
    const to = from + said.length;
    const behind = text.slice(to, to + BEHIND_LENGTH);
    const isNoNoun = english ? behindEnglish() : german ? behindGerman() : behindFrench();
    const day = Number(english ?? german ?? french);
    if (day >= 1 && day <= MAX_DAY && isNoNoun.test(behind)) days.push({ from, to, day });
  }
  return days;
}

const NONE: readonly NumberedDay[] = [];
