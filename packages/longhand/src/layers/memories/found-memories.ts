import type { JsonValue, MemoryEntry } from '../../core/records.ts';
import { RecentlyUsed } from '../../recall/index/index.ts';

/** Of memories as they stand in their logs. */
const FOUND_BYTES = 16 * 1024 * 1024;

/**
 * Where a memory stands, by the index. A line can be another one at the same offset of a log of the same generation,
 * because editors write in place; then the index has read the log again, and counts that in `log`.
 */
export interface FoundPlace {
  readonly log: number;
  readonly offset: number;
  /** In bytes. */
  readonly length: number;
}

/** What was read there. */
interface FoundLine {
  readonly entry: MemoryEntry;
  /** Of its log. */
  readonly generation: string;
  readonly place: FoundPlace;
}

/**
 * A cache of the memories that searches found lately: the next query finds many of them again, and to copy one is several
 * times faster than to parse it. Every caller gets objects of its own.
 */
export class FoundMemories {
  readonly #lines: RecentlyUsed<string, FoundLine>;

  /** @param isKeeping false keeps nothing */
  constructor(isKeeping: boolean) {
    this.#lines = new RecentlyUsed(isKeeping ? FOUND_BYTES : 0, ({ place }) => place.length);
  }

  /** A memory that was read there; `undefined` when it was not, or has left the cache. */
  get(id: string, generation: string, { log, offset, length }: FoundPlace): MemoryEntry | undefined {
    const found = this.#lines.get(id);
    if (found === undefined || found.generation !== generation) return undefined;
    const { entry, place } = found;
    if (place.log !== log || place.offset !== offset || place.length !== length) return undefined;
    return copyJson(entry as unknown as JsonValue) as unknown as MemoryEntry;
  }

  keep(id: string, { entry, generation, place }: FoundLine): void {
    const copy = copyJson(entry as unknown as JsonValue) as unknown as MemoryEntry;
    this.#lines.set(id, { entry: copy, generation, place });
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
