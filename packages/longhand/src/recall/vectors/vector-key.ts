import type { MemoryEntry } from '../../core/records.ts';
import { hashOf } from '../index/index.ts';
import { type ContentHash, contentHashOf, embeddingText } from './word-vectors.ts';

/** Rows of vectors hold two hashes of a memory's id. */
export function idHashesOf(id: string): { readonly idHash: number; readonly idCheck: number } {
  let check = 0x811c_9dc5;
  for (let at = 0; at < id.length; at++) {
    check = Math.imul(check ^ id.charCodeAt(at), 0x0100_0193);
    check ^= check >>> 13;
  }
  return { idHash: hashOf(id), idCheck: check >>> 0 };
}

/** 53 of the 62 bits, as one number. */
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

/** Id key → text key, of some memories of a session. Vectors that were made from other texts do not count. */
export type TextsById = ReadonlyMap<number, string>;
