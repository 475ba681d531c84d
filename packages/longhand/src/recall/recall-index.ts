/**
 * The index of one user: immutable segments, a tail, and what is gone from them.
 *
 * Whatever was added, removed, sealed and merged on the way, the index answers from the live documents alone:
 * counts of documents and lengths are kept exactly, postings are filtered before they are counted, and ties
 * are broken by a memory's own time, session and order, never by a number that a part gave to it.
 */

import type { MemoryEntry } from '../core/records.ts';
import type { DocumentPlace } from './document-table.ts';
import { MAX_KEPT_WORDS } from './lexicon.ts';
import { mergeSegments } from './merge.ts';
import type { Part } from './part.ts';
import { documentsOf } from './postings.ts';
import { sealTail } from './seal.ts';
import { Segment } from './segment.ts';
import type { SegmentReader } from './segment-format.ts';
import { SegmentPart } from './segment-part.ts';
import { encodeSegment } from './segment-writer.ts';
import { SessionRegistry } from './session-registry.ts';
import { Tail } from './tail.ts';
import { TailPart } from './tail-part.ts';
import { idTerm, referenceTerm } from './term-names.ts';

/** A longer document counts as several where the size of a tail is measured: a kilobyte and a half of text. */
const WORDS_OF_DOCUMENT = 256;

/** A document of the index. */
export interface DocumentRef {
  readonly part: Part;
  readonly document: number;
}

/** A memory that the index knows, as it is found again. */
export interface FoundMemory {
  readonly id: string;
  readonly sessionId: string;
  readonly order: number;
  readonly place: DocumentPlace;
  readonly timestampMs: number;
  readonly references: readonly string[];
}

/** A segment in an index. Its documents are counted at the first query, not when it is opened. */
export class OpenSegment {
  readonly segment: Segment;
  /** Set when the index has counted its documents. */
  part: SegmentPart | undefined;
  readonly deadAtOpen: readonly number[];

  constructor(segment: Segment, dead: Iterable<number>) {
    this.segment = segment;
    this.deadAtOpen = [...dead];
  }

  /** The documents that were removed, rising: what the caller keeps beside the segment's file. */
  get deadDocuments(): number[] {
    const dead = this.part?.dead;
    if (!this.part) return [...this.deadAtOpen].sort((left, right) => left - right);
    const documents: number[] = [];
    if (dead)
      for (let document = 0; document < dead.length; document++) if (dead[document]) documents.push(document);
    return documents;
  }
}

export class RecallIndex {
  readonly registry = new SessionRegistry();
  #segments: OpenSegment[] = [];
  #tail = new TailPart(new Tail());
  #parts: readonly Part[] | undefined;

  /** Documents in the tail, removed ones included. */
  get tailCount(): number {
    return this.#tail.count;
  }

  /** The same, where a long document counts as several: the measure for sealing it. */
  get tailSize(): number {
    return Math.max(this.#tail.count, Math.floor(this.#tail.tail.lexicon.streamLength / WORDS_OF_DOCUMENT));
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
   * Adds a memory. It must not be live in the index already.
   *
   * @param order its position in the session: rises with time, unique in the session (the log's `seq`)
   * @param place comes back with each hit
   */
  add(entry: MemoryEntry, order: number, place: DocumentPlace): void {
    this.#tail.tail.add(entry, order, place, this.registry);
  }

  /** Removes a memory; says whether there was one. */
  remove(sessionId: string, id: string): boolean {
    const found = this.find(sessionId, id);
    if (!found) return false;
    if (found.part instanceof SegmentPart) found.part.remove(found.document, this.registry);
    else this.#tail.tail.remove(found.document, this.registry);
    return true;
  }

  /** Removes every memory of a session. Whether segments held some: their bytes stay there. */
  removeSession(sessionId: string): boolean {
    // Segments are counted when they are asked for: before that, the registry does not know their sessions.
    const parts = this.parts();
    const session = this.registry.find(sessionId);
    if (session === -1) return false;
    let wasInSegments = false;
    for (const part of parts) {
      for (const document of part.documentsOfSession(session)) {
        if (part instanceof SegmentPart) {
          wasInSegments = true;
          part.remove(document, this.registry);
        } else this.#tail.tail.remove(document, this.registry);
      }
    }
    return wasInSegments;
  }

  /** The live document of a memory. */
  find(sessionId: string, id: string): DocumentRef | undefined {
    for (const found of this.withId(id)) {
      if (this.registry.ids[found.part.session[found.document]!] === sessionId) return found;
    }
    return undefined;
  }

  /** Live documents with an id, in whatever session. */
  withId(id: string): DocumentRef[] {
    const term = idTerm(id);
    return this.parts().flatMap((part) =>
      Array.from(documentsOf(part.postings(term)), (document) => ({ part, document })),
    );
  }

  /** What the index knows of a memory: `undefined` when it is not live. */
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

  /**
   * The memories that a reference in a session means. Ids are unique in their session only: the session's own
   * memory, and those of others only when it has none.
   */
  referred(session: number, id: string): DocumentRef[] {
    const all = this.withId(id);
    const own = all.filter(({ part, document }) => part.session[document] === session);
    return own.length > 0 ? own : all;
  }

  /** The memories whose references mean that of an id in a session, or, when there is no such memory, the id. */
  referrers(session: number, id: string): DocumentRef[] {
    const term = referenceTerm(id);
    const holders = new Set(this.withId(id).map(({ part, document }) => part.session[document]!));
    return this.parts().flatMap((part) =>
      Array.from(documentsOf(part.postings(term)), (document) => ({ part, document })).filter(
        ({ document }) => part.session[document] === session || !holders.has(part.session[document]!),
      ),
    );
  }

  /**
   * The newest timestamp among the memories that a document references or that reference it, and its own.
   * Looked up when it is asked for: relatives come and go, and few queries care.
   */
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

  /** The bytes of a segment with the live documents of the tail. The tail stays until `replaceTail`. */
  sealTail(): Uint8Array {
    return encodeSegment(sealTail(this.#tail.tail, this.registry));
  }

  /**
   * The bytes of one segment with the live documents of several of this index. They stay until
   * `replaceSegments`.
   *
   * @throws SegmentDamage
   */
  mergeSegments(segments: readonly OpenSegment[]): Uint8Array {
    this.parts();
    const inputs = segments.map(({ segment, part }) => ({ segment, dead: part?.dead }));
    return encodeSegment(mergeSegments(inputs));
  }

  /**
   * Opens a segment and adds its documents. Reads the header only.
   *
   * @param dead documents of it that were removed since it was written
   * @throws SegmentDamage
   */
  openSegment(reader: SegmentReader, dead: Iterable<number> = []): OpenSegment {
    const opened = new OpenSegment(new Segment(reader), dead);
    this.#segments.push(opened);
    this.#parts = undefined;
    return opened;
  }

  /** Puts the segment that `sealTail` wrote in the place of the tail. Nothing may happen in between. */
  replaceTail(reader: SegmentReader): OpenSegment {
    const old = this.#tail;
    const opened = this.openSegment(reader);
    this.#dropTail(old);
    const { lexicon } = old.tail;
    lexicon.clearStream();
    this.#tail = new TailPart(new Tail(lexicon.wordCount > MAX_KEPT_WORDS ? undefined : lexicon));
    this.#parts = undefined;
    return opened;
  }

  /** Puts one segment in the place of the segments it was merged from. */
  replaceSegments(segments: readonly OpenSegment[], reader: SegmentReader): OpenSegment {
    this.parts();
    const opened = this.openSegment(reader);
    this.closeSegments(segments);
    return opened;
  }

  /** Takes segments and their documents out of the index. */
  closeSegments(segments: readonly OpenSegment[]): void {
    for (const { part } of segments) part?.release(this.registry);
    this.#segments = this.#segments.filter((segment) => !segments.includes(segment));
    this.#parts = undefined;
  }

  #dropTail({ tail }: TailPart): void {
    const sessions = new Set<number>();
    for (let document = 0; document < tail.table.count; document++) {
      sessions.add(tail.session[document]!);
      tail.remove(document, this.registry);
    }
    for (const session of sessions) this.registry.hold(session, -1);
  }

  /** All parts, segments counted. @throws SegmentDamage */
  parts(): readonly Part[] {
    if (this.#parts) return this.#parts;
    for (const opened of this.#segments) {
      opened.part ??= new SegmentPart(opened.segment, this.registry, opened.deadAtOpen);
    }
    this.#parts = [...this.#segments.map(({ part }) => part!), this.#tail];
    return this.#parts;
  }

  /** The next live document of the same session, before (−1) or after (1) a document, in whatever part. */
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
