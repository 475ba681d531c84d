import type { MemoryEntry } from '../../core/records.ts';
import { RecentlyUsed } from '../../recall/recently-used.ts';

/** The texts that a memory itself has, apart from those in its content, its provenance and its lists. */
const OWN_TEXTS = ['id', 'session_id', 'timestamp', 'type'] as const;

/**
 * What many memories have in common: their fields, and all values that are no texts. With its own texts, in the order
 * of its fields, a memory is made from it again.
 *
 * Only plain memories have one: content and provenance hold no objects, tags and references are texts. A person may
 * have written anything into a log, and whatever else it is, it has none.
 */
export class Mould {
  /** The memory with blank texts and empty lists. */
  readonly #sample: Fields;
  readonly #content: Fields;
  readonly #provenance: Fields;
  readonly #contentKeys: readonly string[];
  readonly #provenanceKeys: readonly string[];
  readonly #tags: number;
  readonly #references: number;

  constructor(entry: MemoryEntry) {
    const { content, provenance, tags, references } = entry;
    this.#contentKeys = textKeysOf(content);
    this.#provenanceKeys = textKeysOf(provenance);
    this.#tags = tags.length;
    this.#references = references.length;
    this.#content = blank(content, this.#contentKeys);
    this.#provenance = blank(provenance, this.#provenanceKeys);
    // Whoever holds the mould must not hold the memory that it was made from.
    this.#sample = { ...blank(entry, OWN_TEXTS), content: {}, provenance: null, tags: [], references: [] };
  }

  /** The texts of a memory that this is the mould of. */
  textsOf(entry: MemoryEntry): string[] {
    const { content, provenance, tags, references } = entry;
    return [
      ...OWN_TEXTS.map((key) => entry[key]),
      ...this.#contentKeys.map((key) => content[key] as string),
      ...this.#provenanceKeys.map((key) => (provenance as unknown as Fields)[key] as string),
      ...tags,
      ...references,
    ];
  }

  /** The memory whose texts begin there. All of its objects are new. */
  cast(texts: readonly unknown[], first: number): MemoryEntry {
    const entry = { ...this.#sample };
    entry.id = texts[first];
    entry.session_id = texts[first + 1];
    entry.timestamp = texts[first + 2];
    entry.type = texts[first + 3];
    let at = first + OWN_TEXTS.length;
    const content = { ...this.#content };
    for (let i = 0; i < this.#contentKeys.length; i++) content[this.#contentKeys[i]!] = texts[at++];
    const provenance = { ...this.#provenance };
    for (let i = 0; i < this.#provenanceKeys.length; i++) provenance[this.#provenanceKeys[i]!] = texts[at++];
    entry.content = content;
    entry.provenance = provenance;
    entry.tags = texts.slice(at, at + this.#tags);
    at += this.#tags;
    entry.references = texts.slice(at, at + this.#references);
    return entry as unknown as MemoryEntry;
  }
}

/** More than these have no use: a memory whose mould nobody shares is better kept as it is. */
const MOULDS = 256;

/** The moulds that are in use, each once. */
export class Moulds {
  readonly #moulds = new RecentlyUsed<string, Mould>(MOULDS);

  /** `undefined` for a memory that cannot have one. */
  of(entry: MemoryEntry): Mould | undefined {
    if (!isPlain(entry)) return undefined;
    const key = JSON.stringify(entry, (_, value: unknown) => (typeof value === 'string' ? '' : value));
    const known = this.#moulds.get(key);
    if (known !== undefined) return known;
    const mould = new Mould(entry);
    this.#moulds.set(key, mould);
    return mould;
  }
}

type Fields = Record<string, unknown>;

function textKeysOf(fields: object): readonly string[] {
  return Object.keys(fields).filter((key) => typeof (fields as Fields)[key] === 'string');
}

function blank(fields: object, textKeys: readonly string[]): Fields {
  const copy: Fields = { ...fields };
  for (const key of textKeys) copy[key] = '';
  return copy;
}

function isPlain(entry: MemoryEntry): boolean {
  const { content, provenance, tags, references, ...rest } = entry;
  return (
    [content, provenance, rest].every(
      (fields) => isObject(fields) && Object.values(fields).every(isScalar),
    ) &&
    [tags, references].every((list) => Array.isArray(list) && list.every((text) => typeof text === 'string'))
  );
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What JSON writes as it is: numbers beyond its reach would be taken for others. */
function isScalar(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value) && !Object.is(value, -0);
  return value === null || typeof value !== 'object';
}
