import { BESIDE, GAP } from './lexicon.ts';
import type { MemoryUse, MemoryUses } from './memory-uses.ts';
import type { Part, TermWalk } from './part.ts';
import { NO_POSTINGS, type Postings } from './postings.ts';
import type { DocumentRow } from './segment.ts';
import type { Tail } from './tail.ts';

/** The tail as a part: its documents lie as they came, chained to their neighbours in the session. */
export class TailPart implements Part {
  readonly tail: Tail;

  constructor(tail: Tail) {
    this.tail = tail;
  }

  get count(): number {
    return this.tail.table.count;
  }
  get dead(): Uint8Array | undefined {
    return this.tail.deadCount > 0 ? this.tail.dead : undefined;
  }
  get session(): Int32Array {
    return this.tail.session;
  }
  get time(): Float64Array {
    return this.tail.table.time;
  }
  get newestMs(): Float64Array {
    return this.tail.newestMs;
  }
  get importance(): Float64Array {
    return this.tail.table.importance;
  }
  get length(): Int32Array {
    return this.tail.table.length;
  }
  get author(): Int32Array {
    return this.tail.table.author;
  }
  get kind(): Uint8Array {
    return this.tail.table.kind;
  }
  get authors(): readonly string[] {
    return this.tail.authors;
  }

  postings(term: string): Postings {
    return this.tail.table.count === 0 ? NO_POSTINGS : this.tail.find(term);
  }

  *termsFrom(prefix: string): TermWalk<string> {
    yield* this.tail.lexicon.beginningWith(prefix);
    for (const term of this.tail.labelTerms) if (term.startsWith(prefix)) yield term;
  }

  positions(term: string, documents: Int32Array): readonly Int32Array[] {
    const { tail } = this;
    const number = tail.lexicon.find(term);
    const { cells, stream } = tail.lexicon;
    return Array.from(documents, (document) => {
      const positions: number[] = [];
      let place = 0;
      for (let at = tail.streamStarts[document]!; at < tail.streamStarts[document + 1]!; at++, place++) {
        let word = stream[at]!;
        if (word === GAP) continue;
        if (word < GAP) {
          word = BESIDE - word;
          place--;
        }
        if (cells[word & ~1] === number) positions.push(place);
      }
      return Int32Array.from(positions);
    });
  }

  row(document: number): DocumentRow {
    const { table } = this.tail;
    return {
      id: table.ids[document]!,
      order: table.order[document]!,
      log: table.log[document]!,
      offset: table.offset[document]!,
      length: table.size[document]!,
      references: table.references[document]!,
    };
  }

  forEachId(from: number, visit: (document: number, id: string) => void): void {
    const { ids } = this.tail.table;
    for (let document = from; document < ids.length; document++) visit(document, ids[document]!);
  }

  useOf(document: number, uses: MemoryUses): MemoryUse | undefined {
    return uses.get(this.tail.table.ids[document]!);
  }

  orderOf(document: number): number {
    return this.tail.table.order[document]!;
  }

  nearest(session: number, order: number, step: 1 | -1): number {
    const { tail } = this;
    let document = tail.lastOf(session);
    let after = -1;
    while (document !== -1 && tail.table.order[document]! > order) {
      if (tail.dead[document] === 0) after = document;
      document = tail.previousInSession[document]!;
    }
    if (step === 1) return after;
    while (document !== -1 && (tail.table.order[document] === order || tail.dead[document] === 1)) {
      document = tail.previousInSession[document]!;
    }
    return document;
  }

  neighbour(document: number, step: 1 | -1): number {
    const { tail } = this;
    const chain = step === 1 ? tail.nextInSession : tail.previousInSession;
    let next = chain[document]!;
    while (next !== -1 && tail.dead[next] === 1) next = chain[next]!;
    return next;
  }

  /** Memories of several sessions may come in turn. */
  sessionEnd(document: number): number {
    return document + 1;
  }

  documentsOfSession(session: number): readonly number[] {
    const { tail } = this;
    const documents: number[] = [];
    for (let document = tail.lastOf(session); document !== -1; document = tail.previousInSession[document]!) {
      if (tail.dead[document] === 0) documents.push(document);
    }
    return documents.reverse();
  }
}
