import { EMBEDDER_LIMITS } from '../../core/embedder.ts';
import type { MemoryEntry } from '../../core/records.ts';
import { sha256Hex } from '../../core/sha256.ts';
import { QueryError, readEntry, readQueryText } from '../analysis/index.ts';

/** What an embedder reads of a memory: the author and the texts. Empty for a memory without text. */
export function embeddingText(entry: MemoryEntry): string {
  const { author, texts } = readEntry(entry);
  const said = [...new Set(texts)].join('\n').trim();
  if (said === '') return '';
  return cut(author === '' ? said : `${author}: ${said}`);
}

/** A memory as a query, without quotes and wildcards. */
export function queryTextOf(entry: MemoryEntry): string {
  const { texts } = readEntry(entry);
  return cut([...new Set(texts)].join('\n').replaceAll(/["\u201c\u201d*]/g, ' '));
}

/** Does not split a surrogate pair. */
function cut(text: string): string {
  const short = text.slice(0, EMBEDDER_LIMITS.textCharacters);
  return short.isWellFormed() ? short : short.slice(0, -1);
}

/** The text to search by meaning; `undefined` for queries with wildcards or of phrases alone, which ask for letters. */
export function meaningText(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  try {
    const { words, wildcards, isOnlyPhrases } = readQueryText(text);
    if (words.length === 0 || wildcards.length > 0 || isOnlyPhrases) return undefined;
  } catch (error) {
    // The search itself reports it.
    if (error instanceof QueryError) return undefined;
    throw error;
  }
  return text.slice(0, EMBEDDER_LIMITS.textCharacters).toWellFormed();
}

/** 64 bits of a text's hash, which tell whether a vector was made from it. */
export interface ContentHash {
  readonly high: number;
  readonly low: number;
}

export function contentHashOf(text: string): ContentHash {
  const hex = sha256Hex(text);
  return { high: Number.parseInt(hex.slice(0, 8), 16), low: Number.parseInt(hex.slice(8, 16), 16) };
}
