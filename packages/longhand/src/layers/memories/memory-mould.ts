import type { MemoryEntry } from '../../core/records.ts';
import { RecentlyUsed } from '../../recall/index/index.ts';

const USUAL_ORDER = [
  'schema_version',
  'id',
  'session_id',
  'timestamp',
  'type',
  'content',
  'importance',
  'decay_factor',
  'tags',
  'references',
  'provenance',
];
/** Of every memory, before those of its content. */
const OWN_TEXTS = 4;
const OWN_NUMBERS = 3;

/**
 * What many memories have in common: which fields they have, and which of those are texts and numbers. With these
 * filled in, in the order of the fields, a memory is made from it again.
 *
 * Only plain memories have one: they have the fields of a memory and no others, content and provenance hold no objects,
 * tags and references are texts. A person may have written anything into a log, and whatever else it is, it has none.
 */
export class Mould {
  /** The names of its fields, when they stand in another order than we write them in. */
  readonly #order: readonly string[] | undefined;
  readonly #content: PartMould;
  readonly #provenance: PartMould;
  readonly #tags: number;
  readonly #references: number;

  constructor(entry: MemoryEntry) {
    const { content, provenance, tags, references } = entry;
    this.#content = new PartMould(content);
    this.#provenance = new PartMould(provenance);
    this.#tags = tags.length;
    this.#references = references.length;
    const order = Object.keys(entry);
    this.#order = order.every((name, at) => name === USUAL_ORDER[at]) ? undefined : order;
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
    const provenanceText = firstText + OWN_TEXTS + this.#content.textKeys.length;
    const provenanceNumber = firstNumber + OWN_NUMBERS + this.#content.numberKeys.length;
    const firstTag = provenanceText + this.#provenance.textKeys.length;
    const firstReference = firstTag + this.#tags;
    // Written out, and not a copy of a sample: in a process that uses objects as dictionaries, V8 makes a dictionary of every
    // object whose fields are named at run time, and each of them takes ten times as long.
    const entry: Fields = {
      schema_version: numbers[firstNumber],
      id: texts[firstText],
      session_id: texts[firstText + 1],
      timestamp: texts[firstText + 2],
      type: texts[firstText + 3],
      content: this.#content.cast(texts, firstText + OWN_TEXTS, numbers, firstNumber + OWN_NUMBERS),
      importance: numbers[firstNumber + 1],
      decay_factor: numbers[firstNumber + 2],
      tags: texts.slice(firstTag, firstReference),
      references: texts.slice(firstReference, firstReference + this.#references),
      provenance: this.#provenance.cast(texts, provenanceText, numbers, provenanceNumber),
    };
    return (this.#order === undefined ? entry : inOrder(entry, this.#order)) as unknown as MemoryEntry;
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
    const mould = new Mould(entry);
    this.#moulds.set(key, mould);
    return mould;
  }
}

type Fields = Record<string, unknown>;

function inOrder(fields: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(names.map((name) => [name, fields[name]]));
}

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
