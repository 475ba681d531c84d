import type { MemoryEntry } from '../../core/records.ts';
import { RecentlyUsed } from '../../recall/recently-used.ts';

/**
 * What many memories have in common: which fields they have, and which of those are texts and numbers. With these
 * filled in, in the order of the fields, a memory is made from it again.
 *
 * Only plain memories have one: they have the fields of a memory and no others, content and provenance hold no objects,
 * tags and references are texts. A person may have written anything into a log, and whatever else it is, it has none.
 */
export class Mould {
  /** The memory with blank texts, zeros and empty lists. */
  readonly #sample: Fields;
  readonly #content: PartMould;
  readonly #provenance: PartMould;
  readonly #tags: number;
  readonly #references: number;

  constructor({ content, provenance, tags, references, ...own }: MemoryEntry, keys: readonly string[]) {
    this.#content = new PartMould(content);
    this.#provenance = new PartMould(provenance);
    this.#tags = tags.length;
    this.#references = references.length;
    const blank = { ...blankOf(own), content: null, provenance: null, tags: null, references: null };
    this.#sample = Object.fromEntries(keys.map((key) => [key, blank[key as keyof typeof blank]]));
  }

  /** Puts what is a memory's own behind what is there. */
  pour(entry: MemoryEntry, texts: unknown[], numbers: number[]): void {
    texts.push(entry.id, entry.session_id, entry.timestamp, entry.type);
    numbers.push(entry.schema_version, entry.importance, entry.decay_factor);
    this.#content.pour(entry.content, texts, numbers);
    this.#provenance.pour(entry.provenance as unknown as Fields, texts, numbers);
    for (const tag of entry.tags) texts.push(tag);
    for (const reference of entry.references) texts.push(reference);
  }

  /** The memory whose own texts and numbers begin there. All of its objects are new. */
  cast(
    texts: readonly unknown[],
    firstText: number,
    numbers: readonly number[],
    firstNumber: number,
  ): MemoryEntry {
    const entry = { ...this.#sample };
    entry.id = texts[firstText];
    entry.session_id = texts[firstText + 1];
    entry.timestamp = texts[firstText + 2];
    entry.type = texts[firstText + 3];
    entry.schema_version = numbers[firstNumber];
    entry.importance = numbers[firstNumber + 1];
    entry.decay_factor = numbers[firstNumber + 2];
    let text = firstText + 4;
    let number = firstNumber + 3;
    entry.content = this.#content.cast(texts, text, numbers, number);
    text += this.#content.textKeys.length;
    number += this.#content.numberKeys.length;
    entry.provenance = this.#provenance.cast(texts, text, numbers, number);
    text += this.#provenance.textKeys.length;
    entry.tags = texts.slice(text, text + this.#tags);
    text += this.#tags;
    entry.references = texts.slice(text, text + this.#references);
    return entry as unknown as MemoryEntry;
  }
}

/** The same for an object without objects. */
class PartMould {
  readonly textKeys: readonly string[];
  readonly numberKeys: readonly string[];
  readonly #sample: Fields;

  constructor(fields: object) {
    this.textKeys = keysOf(fields, 'string');
    this.numberKeys = keysOf(fields, 'number');
    this.#sample = blankOf(fields);
  }

  pour(fields: Fields, texts: unknown[], numbers: number[]): void {
    for (const key of this.textKeys) texts.push(fields[key]);
    for (const key of this.numberKeys) numbers.push(fields[key] as number);
  }

  cast(
    texts: readonly unknown[],
    firstText: number,
    numbers: readonly number[],
    firstNumber: number,
  ): Fields {
    const { textKeys, numberKeys } = this;
    const fields = { ...this.#sample };
    for (let i = 0; i < textKeys.length; i++) fields[textKeys[i]!] = texts[firstText + i];
    for (let i = 0; i < numberKeys.length; i++) fields[numberKeys[i]!] = numbers[firstNumber + i];
    return fields;
  }
}

const MOULDS = 256;
/** A memory with longer or more names than this hardly has anything in common with others. */
const MAX_KEY_CHARACTERS = 1_024;

/** The moulds that are in use, each once. */
export class Moulds {
  readonly #moulds = new RecentlyUsed<string, Mould>(MOULDS);

  /** `undefined` for a memory that has none. */
  of(entry: MemoryEntry): Mould | undefined {
    if (!isPlain(entry)) return undefined;
    const key = JSON.stringify(entry, (_, value: unknown) => blankValue(value));
    if (key.length > MAX_KEY_CHARACTERS) return undefined;
    const known = this.#moulds.get(key);
    if (known !== undefined) return known;
    const mould = new Mould(entry, Object.keys(entry));
    this.#moulds.set(key, mould);
    return mould;
  }
}

type Fields = Record<string, unknown>;

function keysOf(fields: object, type: 'string' | 'number'): readonly string[] {
  return Object.entries(fields).flatMap(([key, value]) => (typeof value === type ? [key] : []));
}

function blankValue(value: unknown): unknown {
  if (typeof value === 'string') return '';
  return typeof value === 'number' ? 0 : value;
}

function blankOf(fields: object): Fields {
  return Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, blankValue(value)]));
}

function isPlain(entry: MemoryEntry): boolean {
  const { id, session_id, timestamp, type, schema_version, importance, decay_factor, ...parts } = entry;
  const { content, provenance, tags, references, ...others } = parts;
  return (
    Object.keys(others).length === 0 &&
    [id, session_id, timestamp, type].every((text) => typeof text === 'string') &&
    [schema_version, importance, decay_factor].every((number) => typeof number === 'number') &&
    [content, provenance].every(isFlat) &&
    [tags, references].every((list) => Array.isArray(list) && list.every((text) => typeof text === 'string'))
  );
}

function isFlat(fields: unknown): boolean {
  if (typeof fields !== 'object' || fields === null || Array.isArray(fields)) return false;
  return Object.values(fields).every((value) => typeof value !== 'object' || value === null);
}
