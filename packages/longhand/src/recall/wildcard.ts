/**
 * Words with gaps: `auth*`, `*token`, `re*ion`.
 *
 * `*` stands for any run of characters, none included; there is no other special character. A question mark in
 * particular is an ordinary one: people end questions with it, and "did we rotate the token?" must not start
 * to look for `tokens`.
 *
 * The pattern is cut at its stars. The first piece must begin the text, the last one end it, and the pieces
 * between follow each other from the left without overlap. Taking each at its leftmost place is always right,
 * because what comes later can only lose by a later place. The leftmost place is found by the method of
 * Knuth, Morris and Pratt, which never steps back in the text: matching takes time proportional to pattern and
 * text together, whatever they are.
 *
 * Case and other variants are the caller's: both sides come folded the same way.
 */

const STAR = '*';

interface Piece {
  readonly text: string;
  /** For each length of a partial match, the length of the longest one that survives a mismatch after it. */
  readonly fallback: Int32Array;
}

/** A pattern ready for matching. Comes from `compileWildcard`. */
export interface WildcardPattern {
  /** What every match begins with: the range of a sorted dictionary that has to be looked at. */
  readonly prefix: string;
  /** What every match ends with. Empty for a pattern without a star, which is all prefix. */
  readonly suffix: string;
  /** The length of the shortest match. */
  readonly minLength: number;
  /** Whether a match is the prefix and nothing else, because the pattern has no star. */
  readonly isLiteral: boolean;
  /** What lies between prefix and suffix, in order. */
  readonly pieces: readonly Piece[];
}

/** Whether a word asks for gaps at all. A lone run of stars does not: it names nothing to look for. */
export function hasWildcard(word: string): boolean {
  if (!word.includes(STAR)) return false;
  for (let at = 0; at < word.length; at++) if (word[at] !== STAR) return true;
  return false;
}

/** Prepares a pattern. Any string is one; a run of stars is the same as one star. */
export function compileWildcard(pattern: string): WildcardPattern {
  const firstStar = pattern.indexOf(STAR);
  if (firstStar === -1) {
    return { prefix: pattern, suffix: '', minLength: pattern.length, isLiteral: true, pieces: [] };
  }
  const lastStar = pattern.lastIndexOf(STAR);
  const prefix = pattern.slice(0, firstStar);
  const suffix = pattern.slice(lastStar + 1);
  const between = pattern.slice(firstStar, lastStar).split(STAR);
  const pieces = between
    .filter((text) => text.length > 0)
    .map((text) => ({ text, fallback: fallbackOf(text) }));
  const minLength = pieces.reduce(
    (length, piece) => length + piece.text.length,
    prefix.length + suffix.length,
  );
  return { prefix, suffix, minLength, isLiteral: false, pieces };
}

/** Whether the whole text matches, in time linear in text and pattern. */
export function matchesWildcard(pattern: WildcardPattern, text: string): boolean {
  if (pattern.isLiteral) return text === pattern.prefix;
  // Long enough means that prefix and suffix cannot overlap.
  if (text.length < pattern.minLength) return false;
  if (!text.startsWith(pattern.prefix) || !text.endsWith(pattern.suffix)) return false;
  let at = pattern.prefix.length;
  const end = text.length - pattern.suffix.length;
  for (const piece of pattern.pieces) {
    at = endOfFirst(piece, text, at, end);
    if (at === -1) return false;
  }
  return true;
}

/** The position after the leftmost occurrence of a piece in `text[from…end)`, or −1. */
function endOfFirst(piece: Piece, text: string, from: number, end: number): number {
  let matched = 0;
  for (let at = from; at < end; at++) {
    const code = text.charCodeAt(at);
    while (matched > 0 && piece.text.charCodeAt(matched) !== code) matched = piece.fallback[matched]!;
    if (piece.text.charCodeAt(matched) === code) matched++;
    if (matched === piece.text.length) return at + 1;
  }
  return -1;
}

function fallbackOf(text: string): Int32Array {
  const fallback = new Int32Array(text.length + 1);
  let matched = 0;
  for (let at = 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    while (matched > 0 && text.charCodeAt(matched) !== code) matched = fallback[matched]!;
    if (text.charCodeAt(matched) === code) matched++;
    fallback[at + 1] = matched;
  }
  return fallback;
}
