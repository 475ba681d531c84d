import { ByteReader } from './bytes.ts';
import { grown } from './columns.ts';
import type { DocumentRow, SessionRun } from './document-table.ts';
import type { MemoryUse, MemoryUses } from './memory-uses.ts';
import type { Part, TermWalk } from './part.ts';
import { listPostings, NO_POSTINGS, type Postings } from './postings.ts';
import type { Segment } from './segment.ts';
import type { ColumnName, SegmentColumns } from './segment-format.ts';
import type { SessionRegistry } from './session-registry.ts';

type LoadedColumns = { -readonly [Name in ColumnName]: SegmentColumns[Name] | undefined };

/** A segment as a part of an index, with the marks of its dead documents. */
export class SegmentPart implements Part {
  readonly segment: Segment;
  readonly count: number;
  readonly newestMs: Float64Array;
  readonly session: Int32Array;
  dead: Uint8Array | undefined;
  vectors: Int8Array | undefined;
  /** Read when they are first needed. All are named here so that all parts have the same hidden class. */
  readonly #columns: LoadedColumns = {
    time: undefined,
    importance: undefined,
    length: undefined,
    author: undefined,
    kind: undefined,
    textHash: undefined,
    idHash: undefined,
  };
  /** The ids of used documents that rankings have met. */
  readonly #usedIds = new Map<number, string>();
  readonly #runs: readonly SessionRun[];
  /** Session → its run plus one; 0 for none. */
  #runOfSession = new Int32Array(0);

  /** @throws SegmentDamage, and then leaves the registry as it was */
  constructor(segment: Segment, registry: SessionRegistry, deadDocuments: readonly number[]) {
    this.segment = segment;
    this.count = segment.documentCount;
    this.newestMs = segment.header.newestMs;
    this.session = new Int32Array(this.count);
    this.#runs = segment.sessions;
    if (deadDocuments.length > 0) this.#readColumn('length');
    for (const [number, run] of this.#runs.entries()) {
      const session = registry.numberOf(run.id);
      this.session.fill(session, run.start, run.end);
      this.#runOfSession = grown(this.#runOfSession, session + 1);
      this.#runOfSession[session] = number + 1;
      registry.add(session, run.length, run.end - run.start);
      registry.hold(session, 1);
    }
    for (const document of deadDocuments) this.remove(document, registry);
  }

  /** Takes this part's documents out of the registry. */
  release(registry: SessionRegistry): void {
    for (const { id, start, end, length } of this.#runs) {
      const session = registry.numberOf(id);
      registry.hold(session, -1);
      let liveLength = length;
      let live = end - start;
      for (let document = start; this.dead && document < end; document++) {
        if (this.dead[document] === 0) continue;
        liveLength -= this.length[document]!;
        live--;
      }
      registry.remove(session, liveLength, live);
    }
  }

  remove(document: number, registry: SessionRegistry): void {
    if (!(document >= 0 && document < this.count)) return;
    this.dead ??= new Uint8Array(this.count);
    if (this.dead[document] === 1) return;
    this.dead[document] = 1;
    registry.remove(this.session[document]!, this.length[document]!);
  }

  #readColumn<Name extends ColumnName>(name: Name): SegmentColumns[Name] {
    const column = this.segment.column(name);
    this.#columns[name] = column;
    return column;
  }

  get time(): Float64Array {
    return this.#columns.time ?? this.#readColumn('time');
  }
  get importance(): Float64Array {
    return this.#columns.importance ?? this.#readColumn('importance');
  }
  get length(): Int32Array {
    return this.#columns.length ?? this.#readColumn('length');
  }
  get author(): Int32Array {
    return this.#columns.author ?? this.#readColumn('author');
  }
  get kind(): Uint8Array {
    return this.#columns.kind ?? this.#readColumn('kind');
  }
  get textHash(): Float64Array {
    return this.#columns.textHash ?? this.#readColumn('textHash');
  }
  get authors(): readonly string[] {
    return this.segment.authors;
  }

  postings(term: string): Postings {
    const place = this.segment.find(term);
    if (!place) return NO_POSTINGS;
    const bytes = this.segment.frame(place.postings);
    if (this.dead) return listPostings(bytes, place.count, this.dead);
    return { kind: 'raw', count: place.count, bytes };
  }

  *termsFrom(prefix: string): TermWalk<string> {
    const walk = this.segment.termsFrom(prefix);
    for (let next = walk.next(); next.done !== true; ) next = walk.next(yield next.value.term);
  }

  positions(term: string, documents: Int32Array): readonly Int32Array[] {
    const place = this.segment.find(term);
    if (!place || place.positions.length === 0) return [];
    const all = listPostings(this.segment.frame(place.postings), place.count, undefined).documents;
    const reader = new ByteReader(this.segment.frame(place.positions));
    const found: Int32Array[] = [];
    let wanted = 0;
    for (let posting = 0; posting < place.count && wanted < documents.length; posting++) {
      const positions = new Int32Array(reader.varint());
      let position = 0;
      for (let at = 0; at < positions.length; at++) {
        position += reader.varint();
        positions[at] = position;
      }
      if (all[posting] !== documents[wanted]) continue;
      found.push(positions);
      wanted++;
    }
    return found;
  }

  row(document: number): DocumentRow {
    return this.segment.row(document);
  }

  forEachId(from: number, visit: (document: number, id: string) => void): void {
    this.segment.forEachRow((document, { id }) => {
      if (document >= from) visit(document, id);
    });
  }

  useOf(document: number, uses: MemoryUses): MemoryUse | undefined {
    const idHash = this.#columns.idHash ?? this.#readColumn('idHash');
    if (!uses.mayHold(idHash[document]!)) return undefined;
    let id = this.#usedIds.get(document);
    if (id === undefined) {
      ({ id } = this.segment.row(document));
      this.#usedIds.set(document, id);
    }
    return uses.get(id);
  }

  orderOf(document: number): number {
    return this.segment.orderOf(document);
  }

  nearest(session: number, order: number, step: 1 | -1): number {
    const run = this.#runOf(session);
    if (!run) return -1;
    // Finds the first document after `order`, or the last one before it.
    let low = run.start;
    let high = run.end;
    if (run.firstOrder > order) high = low;
    else if (run.lastOrder < order) low = high;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const isBefore = step === 1 ? this.orderOf(middle) <= order : this.orderOf(middle) < order;
      if (isBefore) low = middle + 1;
      else high = middle;
    }
    let document = step === 1 ? low : low - 1;
    while (document >= run.start && document < run.end) {
      if (this.dead?.[document] !== 1) return document;
      document += step;
    }
    return -1;
  }

  neighbour(document: number, step: 1 | -1): number {
    const session = this.session[document];
    let next = document + step;
    while (next >= 0 && next < this.count && this.session[next] === session) {
      if (this.dead === undefined || this.dead[next] === 0) return next;
      next += step;
    }
    return -1;
  }

  #runOf(session: number): SessionRun | undefined {
    return this.#runs[(this.#runOfSession[session] ?? 0) - 1];
  }

  documentsOfSession(session: number): readonly number[] {
    const { start, end } = this.#runOf(session) ?? { start: 0, end: 0 };
    const documents: number[] = [];
    for (let document = start; document < end; document++) {
      if (this.dead?.[document] !== 1) documents.push(document);
    }
    return documents;
  }
}
