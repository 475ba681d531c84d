import { grown } from './columns.ts';

/** The sessions of an index, numbered, with the sums of their live documents: whole numbers, and so always exact. */
export class SessionRegistry {
  /** Session → id. */
  readonly ids: string[] = [];
  /** Session → live documents. */
  documents = new Int32Array(64);
  /** Session → the sum of their lengths. */
  lengths = new Float64Array(64);
  /** Session → how many parts of the index hold documents of it. */
  holders = new Int32Array(64);
  // Over all sessions.
  documentCount = 0;
  lengthSum = 0;
  liveSessionCount = 0;

  #numbers = new Map<string, number>();

  numberOf(id: string): number {
    let number = this.#numbers.get(id);
    if (number === undefined) {
      number = this.ids.push(id) - 1;
      this.#numbers.set(id, number);
      this.documents = grown(this.documents, number + 1);
      this.lengths = grown(this.lengths, number + 1);
      this.holders = grown(this.holders, number + 1);
    }
    return number;
  }

  /** −1 for a session without documents so far. */
  find(id: string): number {
    return this.#numbers.get(id) ?? -1;
  }

  /** Counts the parts that hold documents of a session. */
  hold(session: number, change: 1 | -1): void {
    this.holders[session]! += change;
  }

  /** @param length the sum of the documents' lengths */
  add(session: number, length: number, documents = 1): void {
    if (this.documents[session] === 0 && documents > 0) this.liveSessionCount++;
    this.documents[session]! += documents;
    this.lengths[session]! += length;
    this.documentCount += documents;
    this.lengthSum += length;
  }

  remove(session: number, length: number, documents = 1): void {
    this.documents[session]! -= documents;
    this.lengths[session]! -= length;
    this.documentCount -= documents;
    this.lengthSum -= length;
    if (this.documents[session] === 0 && documents > 0) this.liveSessionCount--;
  }
}
