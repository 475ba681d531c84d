/**
 * The sessions of an index, numbered in memory, with what their live documents add up to.
 *
 * All sums are whole numbers, so that they come out the same whatever order things were added and removed in.
 */

import { grown } from './columns.ts';

export class SessionRegistry {
  /** Number → session id. */
  readonly ids: string[] = [];
  /** Number → live documents. */
  documents = new Int32Array(64);
  /** Number → the sum of their lengths. */
  lengths = new Float64Array(64);
  /** Number → how many parts of the index hold documents of it. */
  holders = new Int32Array(64);
  /** Live documents, their lengths and the sessions with at least one, over everything. */
  documentCount = 0;
  lengthSum = 0;
  liveSessionCount = 0;

  #numbers = new Map<string, number>();

  numberOf(id: string): number {
    let number = this.#numbers.get(id);
    if (number === undefined) {
      number = this.ids.length;
      this.ids.push(id);
      this.#numbers.set(id, number);
      if (number >= this.documents.length) {
        this.documents = grown(this.documents, number + 1);
        this.lengths = grown(this.lengths, number + 1);
        this.holders = grown(this.holders, number + 1);
      }
    }
    return number;
  }

  /** The number of a session, or −1 when no document of it was ever seen. */
  find(id: string): number {
    return this.#numbers.get(id) ?? -1;
  }

  /** Counts a part that holds documents of a session (1), or ceases to (−1). */
  hold(session: number, change: 1 | -1): void {
    this.holders[session]! += change;
  }

  /** Counts `documents` more live documents of a session. */
  add(session: number, length: number, documents = 1): void {
    if (this.documents[session] === 0 && documents > 0) this.liveSessionCount++;
    this.documents[session]! += documents;
    this.lengths[session]! += length;
    this.documentCount += documents;
    this.lengthSum += length;
  }

  /** Counts documents as gone. */
  remove(session: number, length: number, documents = 1): void {
    this.documents[session]! -= documents;
    this.lengths[session]! -= length;
    this.documentCount -= documents;
    this.lengthSum -= length;
    if (this.documents[session] === 0 && documents > 0) this.liveSessionCount--;
  }
}
