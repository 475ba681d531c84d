import type { JsonObject, JsonValue, MemoryEntry } from '../../core/records.ts';
import { RecentlyUsed } from '../../recall/recently-used.ts';

/** Of memories as they stand in their logs. */
const FOUND_BYTES = 16 * 1024 * 1024;
/** Most say who wrote it and nothing else. */
const PROVENANCES = 256;
const NONE: readonly string[] = [];

/**
 * Where a memory stands, by the index. A line can be another one at the same offset of a log of the same generation,
 * for editors write in place; then the index has read the log anew, and counts that in `log`.
 */
export interface FoundPlace {
  readonly log: number;
  readonly offset: number;
  readonly length: number;
}

/** What was read there. */
export interface FoundLine {
  readonly entry: MemoryEntry;
  /** Of its log. */
  readonly generation: string;
  readonly place: FoundPlace;
}

interface KeptMemory extends FoundLine {
  readonly shape: Shape;
}

/**
 * `flat`: a memory of which content and provenance hold no objects; `usual`: with objects in its content alone;
 * `other`: a person may have written anything.
 */
type Shape = 'flat' | 'usual' | 'other';

/**
 * The memories that searches found lately: the next query finds many of them again. Nobody outside gets hold of what
 * is kept here, everybody gets objects of their own. To copy them is several times faster than to parse their text.
 */
export class FoundMemories {
  readonly #kept: RecentlyUsed<string, KeptMemory>;
  readonly #provenances = new RecentlyUsed<string, MemoryEntry['provenance']>(PROVENANCES);

  /** @param isKeeping false forgets everything at once */
  constructor(isKeeping: boolean) {
    this.#kept = new RecentlyUsed(isKeeping ? FOUND_BYTES : 0, ({ place }) => place.length);
  }

  /** A memory that was read there; `undefined` when it was not, or was forgotten. */
  get(id: string, generation: string, { log, offset, length }: FoundPlace): MemoryEntry | undefined {
    const kept = this.#kept.get(id);
    if (kept?.generation !== generation) return undefined;
    const { place } = kept;
    const isThere = place.offset === offset && place.length === length && place.log === log;
    return isThere ? copyOf(kept) : undefined;
  }

  /**
   * Memories are looked at rarely enough that the processor fetches each of their objects anew: what is the same in
   * many of them is one object.
   * @param id the very text that it will be asked for with, if there is a choice: one that is the same in memory is
   * found without a look at its letters
   * @returns a copy
   */
  keep(id: string, found: FoundLine): MemoryEntry {
    const shape = shapeOf(found.entry);
    const entry = shape === 'other' ? found.entry : this.#withShared(found.entry);
    const kept = { ...found, entry, shape };
    this.#kept.set(id, kept);
    return copyOf(kept);
  }

  #withShared(entry: MemoryEntry): MemoryEntry {
    const key = JSON.stringify(entry.provenance);
    const provenance = this.#provenances.get(key) ?? entry.provenance;
    this.#provenances.set(key, provenance);
    return { ...entry, provenance, references: entry.references.length === 0 ? NONE : entry.references };
  }
}

function copyOf({ entry, shape }: KeptMemory): MemoryEntry {
  if (shape === 'other') return copyJson(entry as unknown as JsonValue) as unknown as MemoryEntry;
  return {
    ...entry,
    content: shape === 'flat' ? { ...entry.content } : (copyJson(entry.content) as JsonObject),
    tags: entry.tags.slice(),
    references: entry.references.slice(),
    provenance: { ...entry.provenance },
  };
}

/** A copy need not look at each field of what is known to be flat. */
function shapeOf(entry: MemoryEntry): Shape {
  const { content, tags, references, provenance, ...rest } = entry;
  const lists = [tags, references].filter(Array.isArray);
  const hasObjects = typeof content === 'object' && typeof provenance === 'object' && provenance !== null;
  if (!hasObjects || lists.length !== 2 || ![...lists, provenance, rest].every(isFlat)) return 'other';
  return isFlat(content) && !Array.isArray(content) ? 'flat' : 'usual';
}

function isFlat(fields: object): boolean {
  return Object.values(fields).every((value) => typeof value !== 'object' || value === null);
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
