/**
 * The words in a name of code: `get`, `User` and `Name` of `getUserName`, `HTTP` and `Server` of `HTTPServer`.
 *
 * A capital letter behind a small one or a digit begins a word, and so does the last one of several before small letters;
 * of these there must be two, because `URLs` are several of a `URL`. A single letter says nothing at the beginning
 * (`tShirtSize`, `iPhone`); anywhere else it is a sign of data (`PhD`, `B2B`, tokens), which stays whole, and so does what
 * begins with a digit.
 */

const NO_HUMPS: readonly string[] = [];
const MIN_HUMP_LETTERS = 2;
/** What is longer is data: keys and tokens have capital letters anywhere. */
const MAX_NAME_LENGTH = 64;

/** The words of a name; none for any other word. @param raw as it stands in a text */
export function humpsOf(raw: string): readonly string[] {
  if (raw.length > MAX_NAME_LENGTH || isDigit(raw, 0)) return NO_HUMPS;
  const humps: string[] = [];
  let start = 0;
  for (let at = 1; at < raw.length; at++) {
    if (!beginsHump(raw, at)) continue;
    humps.push(raw.slice(start, at));
    start = at;
  }
  // In `McDonald` no part is a name by itself.
  if (start === 0 || humps[0] === 'Mc') return NO_HUMPS;
  humps.push(raw.slice(start));
  if (humps[0]!.length === 1) humps.shift();
  return humps.every(({ length }) => length >= MIN_HUMP_LETTERS) ? humps : NO_HUMPS;
}

function beginsHump(raw: string, at: number): boolean {
  if (!isCapital(raw, at)) return false;
  if (isCapital(raw, at - 1)) return isSmall(raw, at + 1) && isSmall(raw, at + 2);
  return isSmall(raw, at - 1) || isDigit(raw, at - 1);
}

function isCapital(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  if (code < 128) return code >= 65 && code <= 90;
  return text.charAt(at).toLowerCase() !== text.charAt(at);
}

function isSmall(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  if (code < 128) return code >= 97 && code <= 122;
  return text.charAt(at).toUpperCase() !== text.charAt(at);
}

function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 48 && code <= 57;
}
