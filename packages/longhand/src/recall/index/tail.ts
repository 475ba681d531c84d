/**
 * The newest part of the index: in memory, growing by one document at a time.
 *
 * The lexicon keeps the words of all documents in one stream. Phrases are checked against it, and sealing makes the
 * postings of a segment from it. Queries read lists of postings, which catch up with the stream when a query comes.
 * After a bulk load, which a seal usually follows, the first queries scan the stream: the postings are not built twice.
 */

import { MEMORY_TYPES } from '../../core/records.ts';
import {
  agentTerm,
  authorTerm,
  forEachWholeWord,
  type IndexedEntry,
  idTerm,
  KIND_TYPE_MASK,
  readEntry,
  referenceTerm,
  tagTerm,
  tellingSigns,
} from '../analysis/index.ts';
import { grown } from './columns.ts';
import { type DocumentPlace, DocumentTable } from './document-table.ts';
import { BESIDE, GAP, Lexicon } from './lexicon.ts';
import type { MemoryUse, MemoryUses } from './memory-uses.ts';
import type { Part, TermWalk } from './part.ts';
import { PostingLists } from './posting-lists.ts';
import { type ListedPostings, NO_POSTINGS } from './postings.ts';
import type { SessionRegistry } from './session-registry.ts';
import { tagKeys } from './tag-match.ts';
import type { TextVectors, VectorRows } from './vector-rows.ts';

/** A query posts at most this many new documents at once; beyond that it scans the stream. */
const POSTED_AT_ONCE = 512;
/** After this many scans, one for each term of a query, posting is cheaper. */
const MAX_SCANS = 64;

export class Tail extends DocumentTable implements Part {
  readonly newestMs = new Float64Array(MEMORY_TYPES.length).fill(Number.NEGATIVE_INFINITY);
  readonly lexicon: Lexicon;
  readonly authors: string[] = [''];
  session = new Int32Array(16);
  dead: Uint8Array | undefined;

  /** Terms that are not words (ids, tags, …), with their own numbers. */
  readonly labelTerms: string[] = [];
  /** Document → where its labels begin in `labels`; the start of the next document ends them. */
  labelStarts = new Int32Array(17);
  labels = new Int32Array(64);
  /** Document → where its words begin in the lexicon's stream; the start of the next document ends them. */
  streamStarts = new Int32Array(17);

  /** Document → the previous and next one in its session, or −1; dead ones stay in the chain. */
  #previousInSession = new Int32Array(16);
  #nextInSession = new Int32Array(16);
  /** Session → its last document. */
  readonly #lastInSession = new Map<number, number>();
  readonly #postings = new PostingLists();
  readonly #labelPostings = new PostingLists();
  /** The postings hold the documents before this one. */
  #postedTo = 0;
  #scans = 0;
  readonly #labelNumbers = new Map<string, number>();
  #labelCount = 0;
  readonly #authorNumbers = new Map<string, number>([['', 0]]);
  readonly #authorTerms: (readonly string[])[] = [[]];
  readonly #tagTerms = new Map<string, readonly string[]>();
  readonly #words: TextVectors | undefined;
  #vectors = new Int8Array(0);

  /**
   * @param lexicon with an empty stream; it may know words already
   * @param words gives each document a vector
   */
  constructor(lexicon = new Lexicon(), words?: TextVectors) {
    super();
    this.lexicon = lexicon;
    this.#words = words;
  }

  get vectors(): Int8Array | undefined {
    return this.vectorRows?.values;
  }

  get vectorRows(): VectorRows | undefined {
    if (this.#words === undefined) return undefined;
    const { id: table, dimensions } = this.#words;
    return { table, dimensions, values: this.#vectors.subarray(0, this.count * dimensions) };
  }

  postings(term: string): ListedPostings {
    if (this.count === 0) return NO_POSTINGS;
    const word = this.lexicon.find(term);
    const label = word === -1 ? this.#labelNumbers.get(term) : undefined;
    if (word === -1 && label === undefined) return NO_POSTINGS;
    if (this.count - this.#postedTo > POSTED_AT_ONCE && this.#scans++ < MAX_SCANS) {
      return label === undefined ? this.#scanWords(word) : this.#scanLabels(label);
    }
    this.#post();
    return label === undefined
      ? this.#postings.list(word, this.dead)
      : this.#labelPostings.list(label, this.dead);
  }

  /** Posts the documents that came since the last time. */
  #post(): void {
    const { cells, stream } = this.lexicon;
    for (let document = this.#postedTo; document < this.count; document++) {
      const end = this.streamStarts[document + 1]!;
      for (let at = this.streamStarts[document]!; at < end; at++) {
        let word = stream[at]!;
        if (word === GAP) continue;
        if (word < GAP) word = BESIDE - word;
        this.#postings.add(cells[word & ~1]!, document);
        const written = cells[word | 1]!;
        if (written !== -1) this.#postings.add(written, document);
      }
      const lastLabel = this.labelStarts[document + 1]!;
      for (let at = this.labelStarts[document]!; at < lastLabel; at++) {
        this.#labelPostings.add(this.labels[at]!, document);
      }
    }
    this.#postedTo = this.count;
    this.#scans = 0;
  }

  #scanWords(term: number): ListedPostings {
    const { cells, stream, wordCount } = this.lexicon;
    const wanted = new Uint8Array(2 * wordCount);
    for (let cell = 0; cell < wanted.length; cell++) {
      if (cells[cell] === term) wanted.fill(1, cell & ~1, (cell | 1) + 1);
    }
    return this.#scan(this.#postings.list(term, this.dead), stream, this.streamStarts, wanted);
  }

  #scanLabels(label: number): ListedPostings {
    const wanted = new Uint8Array(this.labelTerms.length);
    wanted[label] = 1;
    return this.#scan(this.#labelPostings.list(label, this.dead), this.labels, this.labelStarts, wanted);
  }

  /** Adds what the documents hold that are not posted yet. */
  #scan(posted: ListedPostings, stream: Int32Array, starts: Int32Array, wanted: Uint8Array): ListedPostings {
    const documents = [...posted.documents];
    const frequencies = [...posted.frequencies];
    for (let document = this.#postedTo; document < this.count; document++) {
      if (this.dead?.[document] === 1) continue;
      let frequency = 0;
      const end = starts[document + 1]!;
      for (let at = starts[document]!; at < end; at++) {
        const number = stream[at]!;
        if (number !== GAP && wanted[number < GAP ? BESIDE - number : number] === 1) frequency++;
      }
      if (frequency === 0) continue;
      documents.push(document);
      frequencies.push(Math.min(frequency, 255));
    }
    return {
      kind: 'listed',
      count: documents.length,
      documents: Int32Array.from(documents),
      frequencies: Uint8Array.from(frequencies),
    };
  }

  *termsFrom(prefix: string): TermWalk<string> {
    yield* this.lexicon.beginningWith(prefix);
    for (const term of this.labelTerms) if (term.startsWith(prefix)) yield term;
  }

  positions(term: string, documents: Int32Array): readonly Int32Array[] {
    const number = this.lexicon.find(term);
    const { cells, stream } = this.lexicon;
    return Array.from(documents, (document) => {
      const positions: number[] = [];
      let place = 0;
      for (let at = this.streamStarts[document]!; at < this.streamStarts[document + 1]!; at++, place++) {
        let word = stream[at]!;
        if (word === GAP) continue;
        if (word < GAP) {
          word = BESIDE - word;
          place--;
        }
        if (cells[word & ~1] === number) positions.push(place);
      }
      return Int32Array.from(positions);
    });
  }

  /** Adds a memory, which must not be live elsewhere in the index. */
  add(entry: IndexedEntry, order: number, place: DocumentPlace, registry: SessionRegistry): void {
    const { lexicon } = this;
    const { id, references, tags } = entry;
    const said = readEntry(entry);
    const { log, offset, length: size } = place;
    const document = this.addRow({ id, order, log, offset, length: size, references });
    if (this.time.length > this.session.length) this.#growDocuments(this.time.length);
    const time = Date.parse(entry.timestamp);
    const author = this.#authorNumber(said.author);
    this.time[document] = time;
    this.importance[document] = entry.importance;
    this.author[document] = author;
    this.kind[document] = said.kind;
    const type = said.kind & KIND_TYPE_MASK;
    if (time > this.newestMs[type]!) this.newestMs[type] = time;
    const session = registry.numberOf(entry.session_id);
    this.session[document] = session;
    if (!this.#lastInSession.has(session)) registry.hold(session, 1);
    this.#chain(document, session, order);

    const streamStart = lexicon.streamLength;
    for (const text of said.texts) {
      lexicon.read(text);
      lexicon.endText();
    }
    this.textHash[document] = lexicon.hashFrom(streamStart, `${said.author} ${tellingSigns(said.texts)}`);
    this.streamStarts[document + 1] = lexicon.streamLength;
    let length = 0;
    const { stream, streamLength } = lexicon;
    for (let at = streamStart; at < streamLength; at++) {
      const word = stream[at]!;
      // Neither stopwords (odd) nor words that repeat the one before them (below the gap) count.
      if (word > GAP) length += 1 - (word & 1);
    }
    this.length[document] = length;

    this.#label(idTerm(id));
    // A set is only made where terms can repeat: this runs for every memory.
    if (tags.length === 1) for (const term of this.#termsOfTag(tags[0]!)) this.#label(term);
    else for (const term of new Set(tags.flatMap((tag) => this.#termsOfTag(tag)))) this.#label(term);
    if (references.length > 0) for (const target of new Set(references)) this.#label(referenceTerm(target));
    for (const term of this.#authorTerms[author]!) this.#label(term);
    const agent = entry.provenance?.agent_id;
    if (agent !== undefined) this.#label(agentTerm(agent));
    for (const term of said.days) this.#label(term);
    this.labelStarts[document + 1] = this.#labelCount;
    if (this.#words !== undefined) this.#addVector(this.#words, document, said.said);
    registry.add(session, length);
  }

  #growDocuments(capacity: number): void {
    this.#previousInSession = grown(this.#previousInSession, capacity);
    this.#nextInSession = grown(this.#nextInSession, capacity);
    this.session = grown(this.session, capacity);
    if (this.dead) this.dead = grown(this.dead, capacity);
    this.labelStarts = grown(this.labelStarts, capacity + 1);
    this.streamStarts = grown(this.streamStarts, capacity + 1);
  }

  #addVector(words: TextVectors, document: number, texts: readonly string[]): void {
    const start = document * words.dimensions;
    this.#vectors = grown(this.#vectors, start + words.dimensions);
    words.read(texts, this.#vectors.subarray(start, start + words.dimensions));
  }

  /** Puts a document into the chain of its session, by its order. */
  #chain(document: number, session: number, order: number): void {
    const [previous, next] = [this.#previousInSession, this.#nextInSession];
    let before = this.#lastOf(session);
    let after = -1;
    // Memories mostly come in order: then the loop ends at once.
    while (before !== -1 && this.order[before]! > order) {
      after = before;
      before = previous[before]!;
    }
    previous[document] = before;
    next[document] = after;
    if (before !== -1) next[before] = document;
    if (after !== -1) previous[after] = document;
    else this.#lastInSession.set(session, document);
  }

  #label(term: string): void {
    let number = this.#labelNumbers.get(term);
    if (number === undefined) {
      number = this.labelTerms.push(term) - 1;
      this.#labelNumbers.set(term, number);
    }
    this.labels = grown(this.labels, this.#labelCount + 1);
    this.labels[this.#labelCount++] = number;
  }

  #termsOfTag(tag: string): readonly string[] {
    let terms = this.#tagTerms.get(tag);
    if (terms === undefined) {
      terms = tagKeys([tag]).map(tagTerm);
      this.#tagTerms.set(tag, terms);
    }
    return terms;
  }

  #authorNumber(author: string): number {
    let number = this.#authorNumbers.get(author);
    if (number === undefined) {
      number = this.authors.push(author) - 1;
      this.#authorNumbers.set(author, number);
      const terms = new Set<string>();
      forEachWholeWord(author, (word) => terms.add(authorTerm(word)));
      this.#authorTerms.push([...terms]);
    }
    return number;
  }

  remove(document: number, registry: SessionRegistry): void {
    this.dead ??= new Uint8Array(this.time.length);
    if (this.dead[document] === 1) return;
    this.dead[document] = 1;
    registry.remove(this.session[document]!, this.length[document]!);
  }

  /** Takes all documents out of the registry. */
  release(registry: SessionRegistry): void {
    for (let document = 0; document < this.count; document++) this.remove(document, registry);
    for (const session of this.#lastInSession.keys()) registry.hold(session, -1);
  }

  forEachId(from: number, visit: (document: number, id: string) => void): void {
    for (let document = from; document < this.count; document++) visit(document, this.ids[document]!);
  }

  useOf(document: number, uses: MemoryUses): MemoryUse | undefined {
    return uses.get(this.ids[document]!);
  }

  orderOf(document: number): number {
    return this.order[document]!;
  }

  /** The last document of a session, dead or not, or −1. */
  #lastOf(session: number): number {
    return this.#lastInSession.get(session) ?? -1;
  }

  nearest(session: number, order: number, step: 1 | -1): number {
    let document = this.#lastOf(session);
    let after = -1;
    while (document !== -1 && this.order[document]! > order) {
      if (this.dead?.[document] !== 1) after = document;
      document = this.#previousInSession[document]!;
    }
    if (step === 1) return after;
    while (document !== -1 && (this.order[document] === order || this.dead?.[document] === 1)) {
      document = this.#previousInSession[document]!;
    }
    return document;
  }

  neighbour(document: number, step: 1 | -1): number {
    const chain = step === 1 ? this.#nextInSession : this.#previousInSession;
    let next = chain[document]!;
    while (next !== -1 && this.dead?.[next] === 1) next = chain[next]!;
    return next;
  }

  documentsOfSession(session: number): readonly number[] {
    const documents: number[] = [];
    let document = this.#lastOf(session);
    for (; document !== -1; document = this.#previousInSession[document]!) {
      if (this.dead?.[document] !== 1) documents.push(document);
    }
    return documents.reverse();
  }
}
