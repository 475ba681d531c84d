import type { MemoryEntry } from '../../core/records.ts';
import { hashOf } from '../memory-uses.ts';
import { type ContentHash, contentHashOf, embeddingText } from './embedding-text.ts';

/** What a vector knows of the memory that it was made from: hashes of its id, and of its text. */

/** A memory's id as rows hold it. */
export function idHashesOf(id: string): { readonly idHash: number; readonly idCheck: number } {
  let check = 0x811c_9dc5;
  for (let at = 0; at < id.length; at++) {
    check = Math.imul(check ^ id.charCodeAt(at), 0x0100_0193);
    check ^= check >>> 13;
  }
  return { idHash: hashOf(id), idCheck: check >>> 0 };
}

/** 53 bits of the 62, which a number holds. */
export function idKey(idHash: number, idCheck: number): number {
  return (idHash & 0x1f_ffff) * 2 ** 32 + (idCheck >>> 0);
}

export function idKeyOf(id: string): number {
  const { idHash, idCheck } = idHashesOf(id);
  return idKey(idHash, idCheck);
}

export function textKey({ high, low }: ContentHash): string {
  return `${high} ${low}`;
}

export function textKeyOf(entry: MemoryEntry): string {
  return textKey(contentHashOf(embeddingText(entry)));
}

/** What memories of a session say, by the keys of their ids. Vectors of other texts of theirs do not count. */
export type TextsById = ReadonlyMap<number, string>;
