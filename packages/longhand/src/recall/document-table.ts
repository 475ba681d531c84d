/**
 * The columns of a set of documents: everything about a memory that ranking, filtering and finding its line
 * again need, and nothing of its text.
 */

import { grown } from './columns.ts';

/** Where the caller finds the memory again. The numbers mean nothing here. */
export interface DocumentPlace {
  readonly log: number;
  readonly offset: number;
  readonly length: number;
}

export class DocumentTable {
  count = 0;
  /** Milliseconds since 1970. */
  time = new Float64Array(16);
  importance = new Float64Array(16);
  /** Words that are no stopwords. */
  length = new Int32Array(16);
  /** Position in `authors`. */
  author = new Int32Array(16);
  /** See entry-text.ts. */
  kind = new Uint8Array(16);
  /** Position in its session: any number that rises with time, unique in the session. */
  order = new Float64Array(16);
  log = new Float64Array(16);
  offset = new Float64Array(16);
  size = new Float64Array(16);
  readonly ids: string[] = [];
  readonly references: (readonly string[])[] = [];

  /** Makes room for one more document and gives its number. */
  next(): number {
    const document = this.count++;
    if (this.count > this.time.length) this.#grow(this.count);
    return document;
  }

  #grow(needed: number): void {
    this.time = grown(this.time, needed);
    this.importance = grown(this.importance, needed);
    this.length = grown(this.length, needed);
    this.author = grown(this.author, needed);
    this.kind = grown(this.kind, needed);
    this.order = grown(this.order, needed);
    this.log = grown(this.log, needed);
    this.offset = grown(this.offset, needed);
    this.size = grown(this.size, needed);
  }

  /** Copies document `from` of another table to the end of this one. */
  copy(other: DocumentTable, from: number, author: number): void {
    const to = this.next();
    this.time[to] = other.time[from]!;
    this.importance[to] = other.importance[from]!;
    this.length[to] = other.length[from]!;
    this.author[to] = author;
    this.kind[to] = other.kind[from]!;
    this.order[to] = other.order[from]!;
    this.log[to] = other.log[from]!;
    this.offset[to] = other.offset[from]!;
    this.size[to] = other.size[from]!;
    this.ids.push(other.ids[from]!);
    this.references.push(other.references[from]!);
  }
}

/** A session's stretch of documents in a sorted table. */
export interface SessionRun {
  readonly id: string;
  /** The first document. */
  readonly start: number;
  /** Behind the last document. */
  readonly end: number;
  /** The sum of the documents' lengths. */
  readonly length: number;
  readonly firstOrder: number;
  readonly lastOrder: number;
}
