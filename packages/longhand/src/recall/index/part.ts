import type { DocumentColumns, DocumentRow } from './document-table.ts';
import type { MemoryUse, MemoryUses } from './memory-uses.ts';
import type { Postings } from './postings.ts';
import type { SessionRegistry } from './session-registry.ts';

/** A walk through terms. `next(n)` skips the terms that share the first `n` letters of the last one, if it can. */
export type TermWalk<Term> = Generator<Term, void, number | undefined>;

/** A part of the index, as ranking sees it: a segment or the tail. Each numbers its documents from 0. */
export interface Part extends DocumentColumns {
  /** Documents, dead ones included. */
  readonly count: number;
  /** Document → 1 when dead; `undefined` when all are live. */
  readonly dead: Uint8Array | undefined;
  /** Document → session number in the registry. */
  readonly session: Int32Array;
  /** By type, as in `MEMORY_TYPES`: the time of the newest document, dead or not; −Infinity without one. */
  readonly newestMs: Float64Array;
  readonly authors: readonly string[];
  /** The vectors of the documents by the index's table of words, one after the other. */
  readonly vectors: Int8Array | undefined;
  /** The live postings of a term. */
  postings(term: string): Postings;
  /** Terms that begin with a prefix, in any order. */
  termsFrom(prefix: string): TermWalk<string>;
  /** The positions of a word's term in each of some documents, whose numbers rise. */
  positions(term: string, documents: Int32Array): readonly Int32Array[];
  row(document: number): DocumentRow;
  /** Visits the ids of the documents from `from` on, dead ones included, in order. */
  forEachId(from: number, visit: (document: number, id: string) => void): void;
  /** @param uses those of the document's session */
  useOf(document: number, uses: MemoryUses): MemoryUse | undefined;
  orderOf(document: number): number;
  /** The live document of a session that is nearest to `order` on one side of it, or −1. */
  nearest(session: number, order: number, step: 1 | -1): number;
  /** The next live document of the same session in this part, or −1. */
  neighbour(document: number, step: 1 | -1): number;
  /** The live documents of a session in order. */
  documentsOfSession(session: number): readonly number[];
  /** Marks a document as dead. */
  remove(document: number, registry: SessionRegistry): void;
}
