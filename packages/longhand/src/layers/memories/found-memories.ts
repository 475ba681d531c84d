import type { JsonValue, MemoryEntry } from '../../core/records.ts';
import { type Mould, Moulds } from './memory-mould.ts';

/** Of memories as they stand in their logs. */
const FOUND_BYTES = 16 * 1024 * 1024;

/**
 * Where a memory stands, by the index. A line can be another one at the same offset of a log of the same generation,
 * for editors write in place; then the index has read the log anew, and counts that in `log`.
 */
export interface FoundPlace {
  readonly log: number;
  readonly offset: number;
  /** In bytes. */
  readonly length: number;
}

/** What was read there. */
export interface FoundLine {
  readonly entry: MemoryEntry;
  /** Of its log. */
  readonly generation: string;
  readonly place: FoundPlace;
}

/**
 * The memories that searches found lately: the next query finds many of them again. Nobody outside gets hold of what
 * is kept here, everybody gets objects of their own.
 *
 * To copy a memory is several times faster than to parse its text, as long as it is at hand. But a memory is half a
 * dozen objects, which the garbage collector strews over the heap, and in a process with much else in its heap the
 * processor waits for each of them longer than it takes to copy it. So the texts of a memory stand side by side in a
 * large array, its numbers in another, and what many memories have in common is kept once, as their mould.
 */
export class FoundMemories {
  readonly #room: number;
  readonly #moulds = new Moulds();
  /** Two generations, as in `RecentlyUsed`: what is asked for stands in the young one. */
  #young = new Shelf();
  #old = new Shelf();

  /** @param isKeeping false forgets everything at once */
  constructor(isKeeping: boolean) {
    this.#room = isKeeping ? FOUND_BYTES : 0;
  }

  /** A memory that was read there; `undefined` when it was not, or was forgotten. */
  get(id: string, generation: string, place: FoundPlace): MemoryEntry | undefined {
    const young = this.#young.starts.get(id);
    if (young !== undefined) return this.#young.take(young, generation, place);
    const old = this.#old.starts.get(id);
    const entry = old === undefined ? undefined : this.#old.take(old, generation, place);
    if (entry !== undefined) this.keep(id, { entry, generation, place });
    return entry;
  }

  /**
   * @param id the very text that it will be asked for with, if there is a choice: one that is the same in memory is
   * found without a look at its letters
   */
  keep(id: string, found: FoundLine): void {
    const bytes = found.place.length;
    if (2 * bytes > this.#room) return;
    if (2 * (this.#young.bytes + bytes) > this.#room) {
      this.#old = this.#young;
      this.#young = new Shelf();
    }
    this.#young.put(id, found, this.#moulds.of(found.entry));
  }
}

/** Mould, generation, place, and where its numbers begin, before the texts of each memory. */
const HEAD_CELLS = 6;

/** Memories, one behind the other. */
class Shelf {
  readonly #cells: unknown[] = [];
  readonly #numbers: number[] = [];
  /** Id → where its memory begins. */
  readonly starts = new Map<string, number>();
  bytes = 0;

  put(id: string, { entry, generation, place }: FoundLine, mould: Mould | undefined): void {
    this.starts.set(id, this.#cells.length);
    this.bytes += place.length;
    this.#cells.push(mould, generation, place.log, place.offset, place.length, this.#numbers.length);
    // What has no mould is kept as it is.
    if (mould === undefined) this.#cells.push(copyJson(entry as unknown as JsonValue));
    else mould.pour(entry, this.#cells, this.#numbers);
  }

  take(start: number, generation: string, { log, offset, length }: FoundPlace): MemoryEntry | undefined {
    const cells = this.#cells;
    if (cells[start + 1] !== generation || cells[start + 2] !== log) return undefined;
    if (cells[start + 3] !== offset || cells[start + 4] !== length) return undefined;
    const mould = cells[start] as Mould | undefined;
    const first = start + HEAD_CELLS;
    if (mould === undefined) return copyJson(cells[first] as JsonValue) as unknown as MemoryEntry;
    return mould.cast(cells, first, this.#numbers, cells[start + 5] as number);
  }
}

function copyJson(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(copyJson);
  const copy: Record<string, JsonValue> = { ...(value as Record<string, JsonValue>) };
  for (const key in copy) {
    const inner = copy[key]!;
    if (typeof inner === 'object') copy[key] = copyJson(inner);
  }
  return copy;
}
