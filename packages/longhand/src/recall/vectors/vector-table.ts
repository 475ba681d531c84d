/**
 * Which vector belongs to which document of an index. Vectors come in blocks that hold hashes of their memories' ids. The
 * table looks up the vector of each document once: the documents of a part keep their numbers.
 */

import { grown, type Part, type RecallIndex } from '../index/index.ts';
import type { VectorBlock } from './vector-block.ts';
import { idHashesOf, type TextsById } from './vector-key.ts';

/** A session's log, as the index holds it: which texts its vectors must have been made from. */
export interface IndexedTexts {
  readonly generation: string;
  /** Memories that were corrected: earlier vectors of theirs were made from earlier texts. */
  readonly corrected: TextsById;
}

/** `undefined` for a session whose vectors do not count. */
export type TextsOf = (sessionId: string) => IndexedTexts | undefined;

export const NO_ROW = -1;

interface IdHashes {
  readonly hash: Int32Array;
  readonly check: Int32Array;
}

/** Kept for each part, because a segment has to be read for its ids. */
const knownIds = new WeakMap<Part, IdHashes & { readonly count: number }>();

function idHashes(part: Part): IdHashes {
  const known = knownIds.get(part) ?? { hash: new Int32Array(0), check: new Int32Array(0), count: 0 };
  if (known.count === part.count) return known;
  const hash = grown(known.hash, part.count);
  const check = grown(known.check, part.count);
  part.forEachId(known.count, (document, id) => {
    const hashes = idHashesOf(id);
    hash[document] = hashes.idHash;
    check[document] = hashes.idCheck;
  });
  const all = { hash, check, count: part.count };
  knownIds.set(part, all);
  return all;
}

export class VectorTable {
  readonly blocks: readonly VectorBlock[];
  /** The number of each block's first row: rows are numbered over all blocks. */
  readonly #starts: number[] = [];
  /** Session → hash of an id → its rows, the newest last. */
  readonly #rows = new Map<string, Map<number, number[]>>();
  /** Document → row, for the first `count` documents of a part. */
  readonly #ofPart = new WeakMap<Part, { rows: Int32Array; count: number }>();
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
    const ofSession = this.#rows.get(id) ?? new Map<number, number[]>();
    this.#rows.set(id, ofSession);
    const rows = ofSession.get(block.idHash[row]!);
    if (rows === undefined) ofSession.set(block.idHash[row]!, [number]);
    else rows.push(number);
  }

  /** Document → its row, or `NO_ROW`. Dead documents may have one. */
  rowsOf(index: RecallIndex, part: Part, textsOf: TextsOf): Int32Array {
    const known = this.#ofPart.get(part) ?? { rows: new Int32Array(0), count: 0 };
    if (known.count === part.count) return known.rows;
    this.#ofPart.set(part, known);
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

  place(number: number): { readonly block: VectorBlock; readonly row: number } {
    let at = this.#starts.length - 1;
    while (this.#starts[at]! > number) at--;
    return { block: this.blocks[at]!, row: number - this.#starts[at]! };
  }
}
