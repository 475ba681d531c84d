/**
 * Which vector belongs to which document of an index.
 *
 * Vectors come in blocks that know their memories by hashes of the ids. The table finds the vector of each document
 * once for each part of the index, and remembers it: a part's documents keep their numbers. A table is made anew when
 * there are other blocks.
 */

import { grown } from '../columns.ts';
import type { Part } from '../part.ts';
import type { RecallIndex } from '../recall-index.ts';
import type { VectorBlock } from './vector-block.ts';
import { idHashesOf, type TextsById } from './vector-key.ts';

/** A session's log as an index holds it: what vectors of its memories must have been made from. */
export interface IndexedTexts {
  readonly generation: string;
  /** Of memories that were put right: the log is the same, and an earlier vector is of what they said before. */
  readonly corrected: TextsById;
}

/** `undefined` for a session whose vectors do not count. */
export type TextsOf = (sessionId: string) => IndexedTexts | undefined;

export const NO_ROW = -1;

/** The hashes of a part's ids: they do not change, and a segment has to be read for them. */
interface IdHashes {
  hash: Int32Array;
  check: Int32Array;
  count: number;
}

const knownIds = new WeakMap<Part, IdHashes>();

function idHashes(part: Part): IdHashes {
  let known = knownIds.get(part);
  if (known === undefined) {
    known = { hash: new Int32Array(part.count), check: new Int32Array(part.count), count: 0 };
    knownIds.set(part, known);
  }
  if (known.count < part.count) {
    known.hash = grown(known.hash, part.count);
    known.check = grown(known.check, part.count);
    const { hash, check } = known;
    part.forEachId(known.count, (document, id) => {
      const hashes = idHashesOf(id);
      hash[document] = hashes.idHash;
      check[document] = hashes.idCheck;
    });
    known.count = part.count;
  }
  return known;
}

interface PartRows {
  rows: Int32Array;
  /** So many documents were looked up. */
  count: number;
}

export class VectorTable {
  readonly blocks: readonly VectorBlock[];
  /** The first row of each block, counted over all of them. */
  readonly #starts: number[] = [];
  /** Session → hash of an id → its rows; the last one is of the newest block. */
  readonly #rows = new Map<string, Map<number, number[]>>();
  readonly #ofPart = new WeakMap<Part, PartRows>();
  readonly count: number;

  /** @param blocks of one embedder, the newest last */
  constructor(blocks: readonly VectorBlock[]) {
    this.blocks = blocks;
    let start = 0;
    for (const block of blocks) {
      this.#starts.push(start);
      for (let row = 0; row < block.count; row++) this.#note(block, row, start + row);
      start += block.count;
    }
    this.count = start;
  }

  #note(block: VectorBlock, row: number, number: number): void {
    const { id } = block.sessionOf(row);
    let ofSession = this.#rows.get(id);
    if (ofSession === undefined) {
      ofSession = new Map();
      this.#rows.set(id, ofSession);
    }
    const rows = ofSession.get(block.idHash[row]!);
    if (rows === undefined) ofSession.set(block.idHash[row]!, [number]);
    else rows.push(number);
  }

  /** Document → its row, counted over all blocks, or `NO_ROW`. Dead documents may have one. */
  rowsOf(index: RecallIndex, part: Part, textsOf: TextsOf): Int32Array {
    let known = this.#ofPart.get(part);
    if (known === undefined) {
      known = { rows: new Int32Array(part.count), count: 0 };
      this.#ofPart.set(part, known);
    }
    if (known.count === part.count) return known.rows;
    known.rows = grown(known.rows, part.count);
    const { hash, check } = idHashes(part);
    for (; known.count < part.count; known.count++) {
      const document = known.count;
      const sessionId = index.registry.ids[part.session[document]!]!;
      const rows = this.#rows.get(sessionId)?.get(hash[document]!);
      const texts = textsOf(sessionId);
      const found = rows?.findLast((row) => this.#isOf(row, check[document]!, texts));
      known.rows[document] = found ?? NO_ROW;
    }
    return known.rows;
  }

  #isOf(number: number, idCheck: number, texts: IndexedTexts | undefined): boolean {
    const { block, row } = this.place(number);
    if (block.idCheck[row] !== idCheck >>> 0 || block.sessionOf(row).generation !== texts?.generation)
      return false;
    const text = texts.corrected.get(block.idKeyOf(row));
    return text === undefined || text === block.textKeyOf(row);
  }

  /** Where a row stands. */
  place(number: number): { readonly block: VectorBlock; readonly row: number } {
    let at = this.#starts.length - 1;
    while (this.#starts[at]! > number) at--;
    return { block: this.blocks[at]!, row: number - this.#starts[at]! };
  }
}
