/** Days by their numbers alone: "on the 18th", "am 18.", "le 18". */

export interface NaiveNumber {
  /** Where it ends. */
  readonly to: number;
  readonly day: number;
}

const BEFORE_ENGLISH = 'on by until till before after since from'.split(' ').map((word) => `${word} the`);
const BEHIND_ENGLISH = 'at in for with we i he she they it you there is was will because but so and or'.split(
  ' ',
);
const BEHIND_FRENCH = '\u00e0 pour avec chez dans on nous je il elle ils elles mais et ou'.split(' ');
const JOINING = ['and', 'or', 'et', 'ou', 'und', 'oder', 'bis'];

/** Whether a text ends with some words and a space. */
function endsWith(text: string, words: string): boolean {
  const lower = text.toLowerCase();
  return lower.endsWith(`${words} `) && !/[\p{L}\p{N}]$/u.test(lower.slice(0, -words.length - 1));
}

const isEnd = (behind: string): boolean =>
  behind === '' ||
  [...'\n\r;!?)\u2026'].includes(behind[0]!) ||
  ('.,:'.includes(behind[0]!) && !/^[0-9]$/.test(behind[1] ?? '')) ||
  [' -', ' \u2013', ' \u2014', ' ('].some((sign) => behind.startsWith(sign));

/** The word behind a space, in small letters, unless another number follows it. */
function wordBehind(behind: string, articles: readonly string[]): string {
  const [, word = '', rest = ''] = /^ ([\p{L}\p{N}'\u2019]+)(.*)$/su.exec(behind) ?? [];
  const leadsOn = ['', ...articles.map((article) => `${article} `)].some((article) =>
    new RegExp(`^ ${article}[0-9]`, 'i').test(rest),
  );
  return leadsOn && JOINING.includes(word.toLowerCase()) ? '' : word.toLowerCase();
}

const ARTICLES = ['the', 'le', 'au', 'den', 'dem', 'zum'];

function isEnglish(before: string, rest: string): boolean {
  const behind = rest.slice(2);
  const isPlaced = BEFORE_ENGLISH.some((words) => endsWith(before, words)) && /^(?:st|nd|rd|th)/i.test(rest);
  return isPlaced && (isEnd(behind) || BEHIND_ENGLISH.includes(wordBehind(behind, ARTICLES)));
}

function isGerman(before: string, rest: string): boolean {
  const behind = rest.slice(1);
  const beforeAm = before.slice(0, -'am '.length);
  const isTimeOrAge = endsWith(beforeAm, 'i') || /[0-9] $/.test(beforeAm);
  const isPlaced =
    (endsWith(before, 'am') && !isTimeOrAge) ||
    ['bis zum', 'vom', 'ab dem'].some((words) => endsWith(before, words));
  if (!isPlaced || !rest.startsWith('.')) return false;
  const isSmall = /^ \p{Ll}/u.test(behind);
  const leadsOn = /^ (?:und|oder|bis) (?:zum |den |dem )?[0-9]/.test(behind);
  return isEnd(behind) || (isSmall && !leadsOn);
}

function isFrench(before: string, rest: string): boolean {
  const isAge = ['bist', 'wirst', 'warst'].some((verb) => before.toLowerCase().endsWith(`${verb} du `));
  const isPlaced = ['le', 'au', 'du'].some((word) => endsWith(before, word)) && !isAge;
  return isPlaced && (isEnd(rest) || BEHIND_FRENCH.includes(wordBehind(rest, ARTICLES)));
}

export function naiveNumbered(text: string): NaiveNumber[] {
  return [...text.matchAll(/[0-9]+/g)].flatMap(({ 0: number, index }) => {
    const [before, rest] = [text.slice(0, index), text.slice(index + number.length)];
    const day = Number(number);
    if (number.length > 2 || day < 1 || day > 31) return [];
    const end = index + number.length;
    if (isEnglish(before, rest)) return [{ to: end + 2, day }];
    if (isGerman(before, rest)) return [{ to: end + 1, day }];
    return isFrench(before, rest) ? [{ to: end, day }] : [];
  });
}
