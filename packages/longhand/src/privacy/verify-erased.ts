import { ValidationError } from '../core/errors.ts';
import type { MemoryEntry } from '../core/records.ts';
import type { LogStore } from '../core/store.ts';
import { readEntry } from '../recall/analysis/index.ts';
import { KnownRows, Segment, SegmentDamage, type TextVectors } from '../recall/index/index.ts';
import { type ContentHash, contentHashOf, embeddingText, VectorBlock } from '../recall/vectors/index.ts';

/**
 * Looks for words in every byte of a store, and trusts nothing that the rest of the library says: no log, no
 * index, no list of deletions, only the bytes. Each word is looked for without regard to case, as UTF-8 and the
 * way JSON may escape it. A search index does not spell its words out, so its dictionaries are read as well; and of
 * vectors, from which much of a text can be guessed, each must belong to a text that stands in a log. Word vectors of a
 * table that this process does not have cannot be compared with texts: they count as found.
 */
export interface ErasureCheck {
  readonly isErased: boolean;
  readonly bytesScanned: number;
  readonly filesScanned: number;
  /** Where something was found; never what. */
  readonly found: readonly { readonly place: string; readonly offset: number }[];
}

const MIN_CHARACTERS = 3;
const SEGMENT_ENDING = '.segment';
const ROWS_ENDING = '.rows';
const DERIVED_ENDINGS = [SEGMENT_ENDING, '.vectors', ROWS_ENDING];
const LOG_ENDING = '.jsonl';

/**
 * @param table the installed one, whether or not searches use it
 * @throws ValidationError INVALID_OPTION for words that are too short to mean anything
 */
export async function verifyErased(
  store: LogStore,
  words: readonly string[],
  table: TextVectors | undefined,
): Promise<ErasureCheck> {
  if (words.length === 0 || words.some((word) => [...word].length < MIN_CHARACTERS)) {
    throw new ValidationError(
      'INVALID_OPTION',
      `Give at least one word, each of at least ${MIN_CHARACTERS} characters.`,
    );
  }
  const needles = [...new Set(words.flatMap(spellings))];
  const overlap = Math.max(...needles.map(({ length }) => length)) - 1;
  const found: { place: string; offset: number }[] = [];
  let bytesScanned = 0;
  let filesScanned = 0;
  let tail = '';
  for await (const { place, offset, bytes } of store.scan()) {
    if (offset === 0) {
      filesScanned++;
      tail = '';
      const name = lowered(Buffer.from(place));
      if (needles.some((needle) => name.includes(needle))) found.push({ place, offset: 0 });
    }
    bytesScanned += bytes.length;
    // A word may lie across two chunks.
    const text = tail + lowered(bytes);
    for (const needle of needles) {
      const at = text.indexOf(needle);
      if (at >= 0) found.push({ place, offset: Math.max(0, offset - tail.length + at) });
    }
    tail = text.slice(-overlap);
  }
  for await (const place of derivedFrom(store, words, table)) found.push({ place, offset: 0 });
  return { isErased: found.length === 0, bytesScanned, filesScanned, found };
}

/** Segments with one of the words, files with a vector whose text is in no log any more, and what cannot be read of them. */
async function* derivedFrom(
  store: LogStore,
  words: readonly string[],
  table: TextVectors | undefined,
): AsyncGenerator<string> {
  const vectors: { readonly place: string; readonly bytes: Uint8Array }[] = [];
  const isDerived = (name: string): boolean => DERIVED_ENDINGS.some((ending) => name.endsWith(ending));
  for await (const file of wholeFiles(store, isDerived)) {
    if (!file.place.endsWith(SEGMENT_ENDING)) vectors.push(file);
    else if (mayHoldTerm(file.bytes, words)) yield file.place;
  }
  if (vectors.length === 0) return;
  const texts = new Set<string>();
  const rows = table && new KnownRows(table);
  for await (const { bytes } of wholeFiles(store, (name) => name.endsWith(LOG_ENDING))) {
    for (const entry of entriesIn(bytes)) {
      texts.add(keyOf(contentHashOf(embeddingText(entry))));
      rows?.add(readEntry(entry).said);
    }
  }
  const isLeft = (place: string, bytes: Uint8Array): boolean => {
    if (place.endsWith(ROWS_ENDING)) return rows?.hold(bytes) !== true;
    const block = readBlock(bytes);
    return block?.rows().every(({ content }) => texts.has(keyOf(content))) !== true;
  };
  for (const { place, bytes } of vectors) if (isLeft(place, bytes)) yield place;
}

async function* wholeFiles(
  store: LogStore,
  isWanted: (place: string) => boolean,
): AsyncGenerator<{ readonly place: string; readonly bytes: Uint8Array }> {
  let open: { place: string; chunks: Uint8Array[] } | undefined;
  for await (const { place, offset, bytes } of store.scan()) {
    if (offset === 0) {
      if (open !== undefined) yield { place: open.place, bytes: Buffer.concat(open.chunks) };
      open = isWanted(place) ? { place, chunks: [] } : undefined;
    }
    open?.chunks.push(Uint8Array.from(bytes));
  }
  if (open !== undefined) yield { place: open.place, bytes: Buffer.concat(open.chunks) };
}

function readBlock(bytes: Uint8Array): VectorBlock | undefined {
  try {
    return new VectorBlock(Uint8Array.from(bytes));
  } catch (error) {
    if (error instanceof SegmentDamage) return undefined;
    throw error;
  }
}

/** The lines of a log that are memories. */
function* entriesIn(log: Uint8Array): Generator<MemoryEntry> {
  for (const line of Buffer.from(log).toString('utf8').split('\n')) {
    try {
      const entry = JSON.parse(line) as Partial<MemoryEntry> | null;
      if (typeof entry?.content !== 'object' || entry.content === null) continue;
      yield { tags: [], type: 'conversation', ...entry } as unknown as MemoryEntry;
    } catch {
      // No record at all, or cut short.
    }
  }
}

function keyOf({ high, low }: ContentHash): string {
  return `${high} ${low}`;
}

/** Bytes as characters, ASCII in lower case. */
function lowered(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1').toLowerCase();
}

/** A word as bytes may spell it: UTF-8 in the cases that people write, and with JSON's escapes. */
function spellings(word: string): string[] {
  const cases = [word, word.toLowerCase(), word.toUpperCase(), word.normalize('NFC'), word.normalize('NFD')];
  const escaped = cases.map((each) => JSON.stringify(each).slice(1, -1));
  const coded = cases.map((each) =>
    [...each].map((c) => (c.charCodeAt(0) < 0x80 ? c : escapeUnits(c))).join(''),
  );
  return [...cases, ...escaped, ...coded].map((each) => lowered(Buffer.from(each)));
}

function escapeUnits(character: string): string {
  const units = Array.from({ length: character.length }, (_, i) => character.charCodeAt(i));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}

/** Whether the dictionary of a segment has a term with one of the words in it, or cannot be read. */
function mayHoldTerm(bytes: Uint8Array, words: readonly string[]): boolean {
  const wanted = words.map((word) => word.normalize('NFKC').toLowerCase());
  const reader = {
    size: bytes.length,
    read: (offset: number, length: number) => bytes.subarray(offset, offset + length),
  };
  try {
    for (const { term } of new Segment(reader).termsFrom('')) {
      if (wanted.some((word) => term.includes(word))) return true;
    }
    return false;
  } catch (error) {
    if (error instanceof SegmentDamage) return true;
    throw error;
  }
}
