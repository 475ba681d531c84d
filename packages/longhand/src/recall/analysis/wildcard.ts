/**
 * Wildcards: `auth*`, `*token`, `re*ion`. `*` stands for any run of characters, or none. There is no other special character: a
 * question mark ends questions. Both sides come folded.
 */

const STAR = '*';

/** A pattern ready for matching, from `compileWildcard`. */
interface WildcardPattern {
  /** What every match begins with: the part of a sorted dictionary to walk through. */
  readonly prefix: string;
  /** What follows each star; none when the pattern has no star. */
  readonly pieces: readonly string[];
}

/** Whether a word is a pattern. Stars alone are none: they name nothing to look for. */
export function hasWildcard(word: string): boolean {
  return word.includes(STAR) && /[^*]/.test(word);
}

export function compileWildcard(pattern: string): WildcardPattern {
  const [prefix = '', ...pieces] = pattern.split(STAR);
  return { prefix, pieces };
}

/** Whether the whole text matches. There is no backtracking: a piece further left only leaves more room for the next. */
export function matchesWildcard({ prefix, pieces }: WildcardPattern, text: string): boolean {
  const suffix = pieces.at(-1);
  if (suffix === undefined) return text === prefix;
  if (!text.startsWith(prefix) || !text.endsWith(suffix)) return false;
  let at = prefix.length;
  for (let piece = 0; piece < pieces.length - 1; piece++) {
    const found = text.indexOf(pieces[piece]!, at);
    if (found === -1) return false;
    at = found + pieces[piece]!.length;
  }
  return at <= text.length - suffix.length;
}
