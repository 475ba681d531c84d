/**
 * The index of one user: immutable segments and a tail.
 *
 * Answers depend on the live documents alone, not on how they were added, removed, sealed and merged: counts and
 * lengths are exact, postings are filtered before they are counted, and ties are broken by a memory's time, session
 * and order, never by the number of its document.
 */

import { type IndexedEntry, idTerm, referenceTerm } from '../analysis/index.ts';
import type { DocumentPlace } from './document-table.ts';
import { MAX_KEPT_WORDS } from './lexicon.ts';
import { mergeSegments } from './merge.ts';
import type { Part } from './part.ts';
import { documentsOf } from './postings.ts';
import { sealTail } from './seal.ts';
import { Segment } from './segment.ts';
import { SegmentDamage, type SegmentReader } from './segment-format.ts';
import { SegmentPart } from './segment-part.ts';
import { encodeSegment, type SegmentSource } from './segment-writer.ts';
import { SessionRegistry } from './session-registry.ts';
import { Tail } from './tail.ts';
import type { TextVectors, VectorRows } from './vector-rows.ts';

/** In the size of a tail, a document counts once for each so many words: a kilobyte and a half of text. */
const WORDS_OF_DOCUMENT = 256;

export interface DocumentRef {
  readonly part: Part;
  readonly document: number;
}

export interface FoundMemory {
  readonly id: string;
  readonly sessionId: string;
  readonly order: number;
  readonly place: DocumentPlace;
  readonly timestampMs: number;
  readonly references: readonly string[];
}

/** A segment in an index. The index counts its documents at the first query. */
export class OpenSegment {
  readonly segment: Segment;
  /** Set when the documents are counted. */
  part: SegmentPart | undefined;
  readonly deadAtOpen: readonly number[];
  #vectors: VectorRows | undefined;
  #readVectors: (() => VectorRows) | undefined;
  /** Vectors that are not stored yet. */
  newVectors: VectorRows | undefined;

  constructor(segment: Segment, dead: Iterable<number>, readVectors: (() => VectorRows) | undefined) {
    this.segment = segment;
    this.deadAtOpen = [...dead].sort((left, right) => left - right);
    this.#readVectors = readVectors;
  }

  /** Read at the first call. `undefined` when there are none or the file is damaged: then they are made again. */
  get vectors(): VectorRows | undefined {
    const read = this.#readVectors;
    this.#readVectors = undefined;
    try {
      this.#vectors ??= read?.();
    } catch (error) {
      if (!(error instanceof SegmentDamage)) throw error;
    }
    return this.#vectors;
  }

  set vectors(vectors: VectorRows | undefined) {
    this.#vectors = vectors;
    this.newVectors = vectors;
  }

  /** The removed documents, rising. The caller stores them beside the segment's file. */
  get deadDocuments(): readonly number[] {
    if (!this.part) return this.deadAtOpen;
    const documents: number[] = [];
    for (const [document, isDead] of this.part.dead?.entries() ?? []) if (isDead) documents.push(document);
    return documents;
  }
}

export class RecallIndex {
  readonly registry = new SessionRegistry();
  readonly words: TextVectors | undefined;
  #segments: OpenSegment[] = [];
  #tail: Tail;
  #parts: readonly Part[] | undefined;
  /** The vectors of the segment that was encoded last. */
  #encodedVectors: VectorRows | undefined;

  /** @param words gives each memory a vector */
  constructor(words?: TextVectors) {
    this.words = words;
    this.#tail = new Tail(undefined, words);
  }

  /** Documents in the tail, removed ones included. */
  get tailCount(): number {
    return this.#tail.count;
  }

  /** The same, but a long document counts as several. Decides when to seal. */
  get tailSize(): number {
    return Math.max(this.#tail.count, Math.floor(this.#tail.lexicon.streamLength / WORDS_OF_DOCUMENT));
  }

  get segments(): readonly OpenSegment[] {
    return this.#segments;
  }

  /** Live documents. */
  get count(): number {
    this.parts();
    return this.registry.documentCount;
  }

  /**
   * Adds a memory, which must not be live in the index already.
   * @param order rises with time and is unique in the session (the log's `seq`)
   */
  add(entry: IndexedEntry, order: number, place: DocumentPlace): void {
    this.#tail.add(entry, order, place, this.registry);
  }

  /** Removes a memory. @returns whether there was one */
  remove(sessionId: string, id: string): boolean {
    const found = this.find(sessionId, id);
    found?.part.remove(found.document, this.registry);
    return found !== undefined;
  }

  /** Removes every memory of a session. @returns whether segments held some: their bytes stay there */
  removeSession(sessionId: string): boolean {
    // First, because counting the segments makes their sessions known to the registry.
    const parts = this.parts();
    const session = this.registry.find(sessionId);
    if (session === -1) return false;
    let wasInSegments = false;
    for (const part of parts) {
      for (const document of part.documentsOfSession(session)) {
        part.remove(document, this.registry);
        if (part !== this.#tail) wasInSegments = true;
      }
    }
    return wasInSegments;
  }

  /** The live document of a memory. */
  find(sessionId: string, id: string): DocumentRef | undefined {
    for (const found of this.#holders(idTerm(id))) {
      if (this.registry.ids[found.part.session[found.document]!] === sessionId) return found;
    }
    return undefined;
  }

  /** The live documents that hold a term. */
  #holders(term: string): DocumentRef[] {
    return this.parts().flatMap((part) =>
      Array.from(documentsOf(part.postings(term)), (document) => ({ part, document })),
    );
  }

  /** `undefined` when the memory is not live. */
  get(sessionId: string, id: string): FoundMemory | undefined {
    const found = this.find(sessionId, id);
    return found && this.describe(found);
  }

  describe({ part, document }: DocumentRef): FoundMemory {
    const { id, order, log, offset, length, references } = part.row(document);
    const place = { log, offset, length };
    const sessionId = this.registry.ids[part.session[document]!]!;
    return { id, sessionId, order, place, timestampMs: part.time[document]!, references };
  }

  /** What an id refers to in a session: the session's own memory, or else those of other sessions with this id. */
  referred(session: number, id: string): DocumentRef[] {
    const all = this.#holders(idTerm(id));
    const own = all.filter(({ part, document }) => part.session[document] === session);
    return own.length > 0 ? own : all;
  }

  /** The memories that refer to the memory with this id in this session, or to the id when there is no such memory. */
  referrers(session: number, id: string): DocumentRef[] {
    const holders = new Set(this.#holders(idTerm(id)).map(({ part, document }) => part.session[document]!));
    return this.#holders(referenceTerm(id)).filter(({ part, document }) => {
      const own = part.session[document]!;
      return own === session || !holders.has(own);
    });
  }

  /** The newest timestamp of a document, of what it references and of what references it. */
  freshestRelatedMs(part: Part, document: number): number {
    const { id, references } = part.row(document);
    const session = part.session[document]!;
    const related = [...new Set(references)].flatMap((reference) => this.referred(session, reference));
    related.push(...this.referrers(session, id));
    return related.reduce(
      (freshest, found) => Math.max(freshest, found.part.time[found.document]!),
      part.time[document]!,
    );
  }

  /** The bytes of a segment with the live documents of the tail, which stays until `replaceTail`. */
  sealTail(): Uint8Array {
    return this.#encode(sealTail(this.#tail, this.registry));
  }

  /** The bytes of one segment for several, which stay until `replaceSegments`. @throws SegmentDamage */
  mergeSegments(segments: readonly OpenSegment[]): Uint8Array {
    this.parts();
    return this.#encode(mergeSegments(segments.map(({ part, vectors }) => ({ part: part!, vectors }))));
  }

  #encode(source: SegmentSource): Uint8Array {
    this.#encodedVectors = source.vectors;
    return encodeSegment(source);
  }

  /**
   * Opens a segment, reading its header only, and adds its documents. @throws SegmentDamage
   * @param dead documents that were removed since the segment was written
   * @param readVectors reads the vectors of the sidecar file
   */
  openSegment(
    reader: SegmentReader,
    dead: Iterable<number> = [],
    readVectors?: () => VectorRows,
  ): OpenSegment {
    const opened = new OpenSegment(new Segment(reader), dead, readVectors);
    this.#segments.push(opened);
    this.#parts = undefined;
    return opened;
  }

  /** Replaces the tail by the segment that `sealTail` made of it. Nothing may change in between. */
  replaceTail(reader: SegmentReader): OpenSegment {
    const opened = this.openSegment(reader);
    opened.vectors = this.#encodedVectors;
    this.#tail.release(this.registry);
    const { lexicon } = this.#tail;
    lexicon.clearStream();
    this.#tail = new Tail(lexicon.wordCount > MAX_KEPT_WORDS ? undefined : lexicon, this.words);
    return opened;
  }

  /** Replaces segments by the one that they were merged into. */
  replaceSegments(segments: readonly OpenSegment[], reader: SegmentReader): OpenSegment {
    this.parts();
    const opened = this.openSegment(reader);
    opened.vectors = this.#encodedVectors;
    for (const { part } of segments) part?.release(this.registry);
    this.#segments = this.#segments.filter((segment) => !segments.includes(segment));
    return opened;
  }

  /** All parts. Counts the documents of newly opened segments. @throws SegmentDamage */
  parts(): readonly Part[] {
    if (this.#parts) return this.#parts;
    for (const opened of this.#segments) {
      opened.part ??= new SegmentPart(opened.segment, this.registry, opened.deadAtOpen);
    }
    this.#parts = [...this.#segments.map(({ part }) => part!), this.#tail];
    return this.#parts;
  }

  /** Hands the vectors to the parts. @returns the segments without vectors of this index's table of words */
  takeVectors(): OpenSegment[] {
    this.parts();
    return this.#segments.filter((opened) => {
      const { vectors } = opened;
      const isOwn = vectors !== undefined && vectors.table === this.words?.id;
      opened.part!.vectors = isOwn ? vectors.values : undefined;
      return !isOwn;
    });
  }

  /** The next live document of the same session, before (−1) or after (1) a document, in any part. */
  neighbour(part: Part, document: number, step: 1 | -1): DocumentRef | undefined {
    const session = part.session[document]!;
    const own = part.neighbour(document, step);
    if (this.registry.holders[session] === 1) return own === -1 ? undefined : { part, document: own };
    const order = part.orderOf(document);
    let best: DocumentRef | undefined;
    let bestOrder = 0;
    for (const other of this.parts()) {
      const found = other === part ? own : other.nearest(session, order, step);
      if (found === -1) continue;
      const foundOrder = other.orderOf(found);
      if (best && (foundOrder - bestOrder) * step >= 0) continue;
      best = { part: other, document: found };
      bestOrder = foundOrder;
    }
    return best;
  }
}
