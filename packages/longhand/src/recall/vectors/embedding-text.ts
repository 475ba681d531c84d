import { EMBEDDER_LIMITS } from '../../core/embedder.ts';
import type { MemoryEntry } from '../../core/records.ts';
import { sha256Hex } from '../../core/sha256.ts';
import { readEntry } from '../entry-text.ts';

/** What an embedder is given of a memory: who spoke, and what was said. Empty when there is nothing to say. */
export function embeddingText(entry: MemoryEntry): string {
  const { author, texts } = readEntry(entry);
  const said = [...new Set(texts)].join('\n').trim();
  if (said === '') return '';
  return cut(author === '' ? said : `${author}: ${said}`);
}

/** The words of a memory as a query, without the signs that mean something in one. */
export function queryTextOf(entry: MemoryEntry): string {
  const { texts } = readEntry(entry);
  return cut([...new Set(texts)].join('\n').replaceAll(/["\u201c\u201d*]/g, ' '));
}

/** Without half of a character at the end. */
function cut(text: string): string {
  const short = text.slice(0, EMBEDDER_LIMITS.textCharacters);
  return short.isWellFormed() ? short : short.slice(0, -1);
}

/** A text, as 64 bits that tell whether a vector was made from it. */
export interface ContentHash {
  readonly high: number;
  readonly low: number;
}

export function contentHashOf(text: string): ContentHash {
  const hex = sha256Hex(text);
  return { high: Number.parseInt(hex.slice(0, 8), 16), low: Number.parseInt(hex.slice(8, 16), 16) };
}
