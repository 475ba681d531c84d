/**
 * A part of the index as ranking sees it: a segment, or the tail. Both number their documents from 0, know
 * the session of each, and find a document's neighbours in its session as far as they hold them.
 */

import type { MemoryUse, MemoryUses } from './memory-uses.ts';
import type { Postings } from './postings.ts';
import type { DocumentRow } from './segment.ts';

/**
 * A walk through terms. Whoever takes the next one may say that no term is wanted that begins like the last one, with so
 * many of its letters: then they may be left out.
 */
export type TermWalk<Term> = Generator<Term, void, number | undefined>;

export interface Part {
  /** Documents, dead ones included. */
  readonly count: number;
  readonly dead: Uint8Array | undefined;
  readonly session: Int32Array;
  readonly time: Float64Array;
  /** By type, as in `MEMORY_TYPES`: the time of the newest, dead ones included; −Infinity when there is none. */
  readonly newestMs: Float64Array;
  readonly importance: Float64Array;
  readonly length: Int32Array;
  readonly author: Int32Array;
  readonly kind: Uint8Array;
  readonly authors: readonly string[];
  postings(term: string): Postings;
  /** Terms that begin with a prefix, in any order. */
  termsFrom(prefix: string): TermWalk<string>;
  /** Positions of a word's term in each of some documents (rising numbers), in the order of the documents. */
  positions(term: string, documents: Int32Array): readonly Int32Array[];
  row(document: number): DocumentRow;
  /** The ids of the documents from one on, dead ones included, in order. */
  forEachId(from: number, visit: (document: number, id: string) => void): void;
  /** How a document was used, as far as its session's uses tell. */
  useOf(document: number, uses: MemoryUses): MemoryUse | undefined;
  orderOf(document: number): number;
  /** The live document of a session that is nearest to `order` on one side of it, or −1. */
  nearest(session: number, order: number, step: 1 | -1): number;
  /** The live neighbour of a document in its session, as far as this part goes, or −1. */
  neighbour(document: number, step: 1 | -1): number;
  /** All documents from one until this are of its session. */
  sessionEnd(document: number): number;
  /** The live documents of a session in order. */
  documentsOfSession(session: number): readonly number[];
}
