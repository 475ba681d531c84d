/**
 * Counting tokens with a real vocabulary (o200k_base), fast on any input.
 *
 * A byte pair encoder is quick on words and quadratic on one long word: 200,000 letters without a space take it
 * tens of seconds. So a run of 512 characters without a space, or of nothing but spaces, is cut into chunks of 256,
 * and each chunk is counted separately. A cut can change what the encoder merges around it, in both directions. The
 * count behind a hard budget must never be too low, so every cut adds two tokens; the greatest loss measured over all
 * kinds of runs is one. Texts without such runs, which is nearly all of them, are counted exactly.
 *
 * Counts are cached by a hash of the text, so that the same system prompt and the same messages are not counted
 * again on each turn, and so that no text stays in memory only because it was once counted. The counts of single words
 * are cached by the word.
 *
 * The vocabulary takes a third of a second and some 80 MB to load: it is loaded at the first use.
 */
import { hash } from 'node:crypto';
import type { TokenCounter } from '../core/token-counter.ts';

const LONG_RUN = 512;
const CHUNK = 256;
const TOKENS_PER_CUT = 2;
/** Shorter texts are counted faster than they are hashed and looked up. */
const MIN_REMEMBERED = 64;
const REMEMBERED_COUNTS = 16_384;

let loading: Promise<TokenCounter> | undefined;

/** The counter that is used when none is given: `o200k_base`. Loaded once in a process. */
export function loadTokenCounter(): Promise<TokenCounter> {
  loading ??= import('gpt-tokenizer/encoding/o200k_base').then(({ countTokens }) => {
    // Special tokens in a text are text: <|endoftext|> in a message ends nothing.
    const plain = { allowedSpecial: new Set<string>(), disallowedSpecial: new Set<string>() };
    const ofWord = rememberingWords((word) => countTokens(word, plain));
    const { name, count } = remembering('o200k_base', (text) =>
      countInChunks(text, (chunk) => countInWords(chunk, ofWord)),
    );
    return { name, count: (text) => countInBlocks(text, count) };
  });
  return loading;
}

/**
 * The sum over blocks, cut where a line begins with `<` or `-`: there a token of this vocabulary always ends, so the sum
 * is exact. A list of memories then costs only what is new in it.
 */
export function countInBlocks(text: string, count: (block: string) => number): number {
  let tokens = 0;
  let from = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) {
    const next = text.charCodeAt(at + 1);
    if (next !== 60 && next !== 45) continue;
    tokens += count(text.slice(from, at + 1));
    from = at + 1;
  }
  return tokens + count(from === 0 ? text : text.slice(from));
}

/**
 * The sum over words, each with the space before it. In this vocabulary a token never reaches over the place before a
 * single space between visible characters, so the sum is exact; and most words have been counted before.
 */
export function countInWords(text: string, count: (word: string) => number): number {
  let tokens = 0;
  let from = 0;
  for (let at = text.indexOf(' ', 1); at >= 0; at = text.indexOf(' ', at + 1)) {
    if (!isVisible(text.charCodeAt(at - 1)) || !isVisible(text.charCodeAt(at + 1))) continue;
    tokens += count(text.slice(from, at));
    from = at;
  }
  return tokens + count(from === 0 ? text : text.slice(from));
}

/** For certain: blocks of Unicode that hold blanks are left out as a whole. */
function isVisible(code: number): boolean {
  return (code > 32 && code < 127) || (code > 0xa0 && code < 0x1680);
}

const REMEMBERED_WORDS = 32_768;
const LONGEST_WORD = 32;

function rememberingWords(count: (word: string) => number): (word: string) => number {
  let words = new Map<string, number>();
  return (word) => {
    if (word.length > LONGEST_WORD) return count(word);
    let tokens = words.get(word);
    if (tokens === undefined) {
      tokens = count(word);
      // Starting over is cheap, and rare: people use fewer words than this.
      if (words.size >= REMEMBERED_WORDS) words = new Map();
      words.set(word, tokens);
    }
    return tokens;
  };
}

/** Counts each text once, within bounds. */
export function remembering(name: string, count: (text: string) => number): TokenCounter {
  let recent = new Map<string, number>();
  let older = new Map<string, number>();
  const remember = (key: string, tokens: number): number => {
    // Two generations: as good as an exact order of last use, at a fraction of its cost.
    if (recent.size >= REMEMBERED_COUNTS / 2) {
      older = recent;
      recent = new Map();
    }
    recent.set(key, tokens);
    return tokens;
  };
  return {
    name,
    count(text) {
      if (text.length < MIN_REMEMBERED) return text === '' ? 0 : count(text);
      const key = hash('sha256', text, 'base64');
      const known = recent.get(key);
      if (known !== undefined) return known;
      return remember(key, older.get(key) ?? count(text));
    },
  };
}

/**
 * The sum over chunks that any encoder is quick on: at least what the whole would count.
 * @param count what a chunk counts
 */
export function countInChunks(text: string, count: (chunk: string) => number): number {
  if (!mayHoldLongRun(text)) return count(text);
  let tokens = 0;
  let countedTo = 0;
  let runStart = 0;
  let isBlankRun = isBlank(text.charCodeAt(0));
  for (let at = 1; at <= text.length; at++) {
    const isEnd = at === text.length;
    const blank = !isEnd && isBlank(text.charCodeAt(at));
    if (!isEnd && blank === isBlankRun) continue;
    if (at - runStart > LONG_RUN) {
      // The space before a word is part of its token: the run begins behind it, one cut more.
      if (runStart > countedTo) tokens += count(text.slice(countedTo, runStart)) + TOKENS_PER_CUT;
      for (let from = runStart; from < at; ) {
        const to = chunkEnd(text, from, at);
        tokens += count(text.slice(from, to)) + TOKENS_PER_CUT;
        from = to;
      }
      countedTo = at;
    }
    runStart = at;
    isBlankRun = blank;
  }
  return countedTo < text.length ? tokens + count(text.slice(countedTo)) : tokens;
}

/**
 * A run that is longer than two chunks fills one that begins at a multiple of their length. In most texts each chunk has
 * a blank after a few letters, so not much more than every fiftieth character is looked at.
 */
function mayHoldLongRun(text: string): boolean {
  for (let from = 0; from + CHUNK <= text.length; from += CHUNK) {
    const isBlankRun = isBlank(text.charCodeAt(from));
    let at = from + 1;
    while (at < from + CHUNK && isBlank(text.charCodeAt(at)) === isBlankRun) at++;
    if (at === from + CHUNK) return true;
  }
  return false;
}

/** Never between the halves of a surrogate pair: each alone would count as another character. */
function chunkEnd(text: string, from: number, end: number): number {
  const to = Math.min(from + CHUNK, end);
  const isInPair = to < end && (text.charCodeAt(to) & 0xfc00) === 0xdc00;
  return isInPair ? to - 1 : to;
}

/** Other blanks count as letters here: a run of them is a run all the same, and is cut all the same. */
function isBlank(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13);
}
