import type { TokenCounter } from '../core/token-counter.ts';

/** The longest beginning of a text that fits, cut at a line or a word where there is one near; may be empty. */
export function cutHead(text: string, maxTokens: number, counter: TokenCounter): string {
  return cut(text, maxTokens, counter, (length) => text.slice(0, backToBoundary(text, length)));
}

/** The longest end of a text that fits. */
function cutTail(text: string, maxTokens: number, counter: TokenCounter): string {
  return cut(text, maxTokens, counter, (length) => {
    const from = text.length - length;
    const isInPair = from > 0 && (text.charCodeAt(from) & 0xfc00) === 0xdc00;
    return text.slice(isInPair ? from + 1 : from);
  });
}

/** Tokens and characters are in proportion, more or less: a few steps find a length that fits. */
function cut(
  text: string,
  maxTokens: number,
  counter: TokenCounter,
  take: (length: number) => string,
): string {
  if (maxTokens <= 0) return '';
  // No vocabulary has tokens of more characters than this; a hundred megabytes need not be counted to be cut.
  let length = Math.min(text.length, maxTokens * 256);
  for (;;) {
    const part = take(length);
    if (part === '') return '';
    const tokens = counter.count(part);
    if (tokens <= maxTokens) return part;
    length = Math.min(part.length - 1, Math.floor((part.length * maxTokens * 0.97) / tokens));
  }
}

const NEAR = 160;

function backToBoundary(text: string, length: number): number {
  if (length >= text.length) return text.length;
  const from = Math.max(0, length - NEAR);
  const window = text.slice(from, length);
  const line = window.lastIndexOf('\n');
  if (line > 0) return from + line;
  const space = window.lastIndexOf(' ');
  if (space > 0) return from + space;
  const isInPair = length > 0 && (text.charCodeAt(length) & 0xfc00) === 0xdc00;
  return isInPair ? length - 1 : length;
}

/** The most that each of some parts may have so that all of them fit: what the small ones leave, the large ones get. */
export function fairShare(weights: readonly number[], roomTokens: number): number {
  let left = roomTokens;
  let parts = weights.length;
  for (const weight of weights.toSorted((a, b) => a - b)) {
    const share = left / parts;
    if (weight > share) return Math.max(0, Math.floor(share));
    left -= weight;
    parts--;
  }
  return Number.POSITIVE_INFINITY;
}

/** How big a text is, for the description in its placeholder. */
export function sizeOf(text: string): string {
  let lines = 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines++;
  return `${text.length} characters, ${lines} ${lines === 1 ? 'line' : 'lines'}`;
}

const GAP = '\n[…]\n';

/**
 * The line that stands for a text, and as much of the text's beginning and end as fits; the line alone when nothing does.
 * @param maxTokens of the whole preview; the line itself is there in any case
 */
export function makePreview(text: string, line: string, maxTokens: number, counter: TokenCounter): string {
  const room = maxTokens - counter.count(line) - counter.count(GAP) - 4;
  if (room < 16) return line;
  const head = cutHead(text, Math.floor((room * 2) / 3), counter);
  const tail = cutTail(text.slice(head.length), Math.floor(room / 3), counter);
  const preview = `${line}\n${head}${GAP}${tail}`;
  return counter.count(preview) <= maxTokens ? preview : line;
}
