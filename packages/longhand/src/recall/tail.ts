/**
 * The youngest part of the index: in memory, growing by one document at a time, forgetting at once.
 *
 * The words of each document are kept in order, in one stream. Phrases are checked against it, and sealing makes
 * the postings and positions of a segment from it. Queries read postings of the tail's own, which grow in chunks
 * and follow the stream when a query comes. Thousands of documents that came at once are about to be sealed: a
 * few queries search their stream instead, so that postings are not made twice. Removal sets a mark; sealing
 * leaves marked documents out.
 */

import { MEMORY_TYPES, type MemoryEntry } from '../core/records.ts';
import { grown } from './columns.ts';
import { type DocumentPlace, DocumentTable } from './document-table.ts';
import { dateText, KIND_TYPE_MASK, kindOfLength, readEntry } from './entry-text.ts';
import { BESIDE, GAP, Lexicon } from './lexicon.ts';
import { PostingChunks } from './posting-chunks.ts';
import { type ListedPostings, NO_POSTINGS } from './postings.ts';
import type { SessionRegistry } from './session-registry.ts';
import { tagKeys } from './tag-match.ts';
import { agentTerm, authorTerm, idTerm, referenceTerm, tagTerm } from './term-names.ts';
import { forEachWholeWord } from './words.ts';

/** So many new documents are put into the postings by the query that meets them. */
const POSTED_AT_ONCE = 512;
/** After so many searches of the stream the postings are cheaper. A query takes one for each of its terms. */
const MAX_SCANS = 64;

export class Tail {
  readonly table = new DocumentTable();
  /** By type: the time of the newest. */
  readonly newestMs = new Float64Array(MEMORY_TYPES.length).fill(Number.NEGATIVE_INFINITY);
  readonly lexicon: Lexicon;
  readonly authors: string[] = [''];
  /** Document → session number in the registry. */
  session = new Int32Array(16);
  /** Document → 1 when it was removed. */
  dead = new Uint8Array(16);
  deadCount = 0;
  /** Document → the one before and after it in its session, or −1; removed ones stay in the chain. */
  previousInSession = new Int32Array(16);
  nextInSession = new Int32Array(16);

  /** Terms that are no words (ids, tags, …) with their own numbers. */
  readonly labelTerms: string[] = [];
  /** Document → where its labels begin in `labels`; the next document's start ends them. */
  labelStarts = new Int32Array(17);
  labels = new Int32Array(64);

  /** Document → where its words begin in the lexicon's stream; the next document's start ends them. */
  streamStarts = new Int32Array(17);

  #postings = new PostingChunks();
  #labelPostings = new PostingChunks();
  /** Documents before this one are in the postings. */
  #postedTo = 0;
  /** How often what is not there yet was searched instead. */
  #scans = 0;
  #labelNumbers = new Map<string, number>();
  /** Session → its last document. */
  #lastInSession = new Map<number, number>();
  #authorNumbers = new Map<string, number>([['', 0]]);
  #authorTerms: (readonly string[])[] = [[]];
  #tagTerms = new Map<string, readonly string[]>();
  #labelCount = 0;
  #dateTexts = new Map<number, string>();

  /** @param lexicon with an empty stream; the words it knows are welcome */
  constructor(lexicon = new Lexicon()) {
    this.lexicon = lexicon;
  }

  /** The live postings of a term. */
  find(term: string): ListedPostings {
    const dead = this.deadCount > 0 ? this.dead : undefined;
    const word = this.lexicon.find(term);
    const label = word === -1 ? this.#labelNumbers.get(term) : undefined;
    if (word === -1 && label === undefined) return NO_POSTINGS;
    if (this.table.count - this.#postedTo > POSTED_AT_ONCE && this.#scans++ < MAX_SCANS) {
      return label === undefined ? this.#scanWords(word, dead) : this.#scanLabels(label, dead);
    }
    this.#post();
    return label === undefined ? this.#postings.list(word, dead) : this.#labelPostings.list(label, dead);
  }

  /** Puts the documents that came since the last time into the postings. */
  #post(): void {
    const { cells, stream } = this.lexicon;
    const { count } = this.table;
    for (let document = this.#postedTo; document < count; document++) {
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
    this.#postedTo = count;
    this.#scans = 0;
  }

  #scanWords(term: number, dead: Uint8Array | undefined): ListedPostings {
    const { cells, stream, wordCount } = this.lexicon;
    const isWanted = new Uint8Array(2 * wordCount);
    for (let cell = 0; cell < isWanted.length; cell++) {
      if (cells[cell] === term) isWanted.fill(1, cell & ~1, (cell | 1) + 1);
    }
    return this.#gather(this.#postings.list(term, dead), dead, stream, this.streamStarts, isWanted);
  }

  #scanLabels(label: number, dead: Uint8Array | undefined): ListedPostings {
    const isWanted = new Uint8Array(this.labelTerms.length);
    isWanted[label] = 1;
    return this.#gather(this.#labelPostings.list(label, dead), dead, this.labels, this.labelStarts, isWanted);
  }

  /** What the postings hold, and behind it what is found in the documents that they do not hold yet. */
  #gather(
    posted: ListedPostings,
    dead: Uint8Array | undefined,
    stream: Int32Array,
    starts: Int32Array,
    isWanted: Uint8Array,
  ): ListedPostings {
    const documents = [...posted.documents];
    const frequencies = [...posted.frequencies];
    for (let document = this.#postedTo; document < this.table.count; document++) {
      if (dead !== undefined && dead[document] === 1) continue;
      let frequency = 0;
      const end = starts[document + 1]!;
      for (let at = starts[document]!; at < end; at++) {
        const number = stream[at]!;
        if (number !== GAP && isWanted[number < GAP ? BESIDE - number : number] === 1) frequency++;
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

  /** Adds a memory and gives its number in this tail. The caller sees to it that it is not live elsewhere. */
  add(entry: MemoryEntry, order: number, place: DocumentPlace, registry: SessionRegistry): number {
    const { table, lexicon } = this;
    const said = readEntry(entry);
    const document = table.next();
    if (table.time.length > this.session.length) this.#growDocuments(table.time.length);
    const time = Date.parse(entry.timestamp);
    table.time[document] = time;
    table.importance[document] = entry.importance;
    table.author[document] = this.#authorNumber(said.author);
    table.order[document] = order;
    table.log[document] = place.log;
    table.offset[document] = place.offset;
    table.size[document] = place.length;
    table.ids.push(entry.id);
    table.references.push(entry.references);
    const session = registry.numberOf(entry.session_id);
    this.session[document] = session;
    if (this.lastOf(session) === -1) registry.hold(session, 1);
    this.#chain(document, session, order);

    const streamStart = lexicon.streamLength;
    for (const text of said.texts) {
      lexicon.read(text);
      lexicon.endText();
    }
    lexicon.read(this.#dateText(time));
    this.streamStarts[document + 1] = lexicon.streamLength;
    let length = 0;
    const { stream, streamLength } = lexicon;
    for (let at = streamStart; at < streamLength; at++) {
      const word = stream[at]!;
      // What stands beside a word says it again, and makes nothing longer.
      if (word > GAP) length += 1 - (word & 1);
    }
    table.length[document] = length;
    table.kind[document] = kindOfLength(said.kind, length);
    const type = said.kind & KIND_TYPE_MASK;
    if (time > this.newestMs[type]!) this.newestMs[type] = time;

    this.#label(idTerm(entry.id));
    if (entry.tags.length === 1) for (const term of this.#termsOfTag(entry.tags[0]!)) this.#label(term);
    else for (const term of new Set(entry.tags.flatMap((tag) => this.#termsOfTag(tag)))) this.#label(term);
    if (entry.references.length > 0) {
      for (const id of new Set(entry.references)) this.#label(referenceTerm(id));
    }
    for (const term of this.#authorTerms[table.author[document]!]!) this.#label(term);
    const agent = entry.provenance?.agent_id;
    if (agent !== undefined) this.#label(agentTerm(agent));
    if (said.days.size > 0) for (const term of said.days) this.#label(term);
    this.labelStarts[document + 1] = this.#labelCount;
    registry.add(session, length);
    return document;
  }

  /** The last document of a session in this tail, removed or not, or −1. */
  lastOf(session: number): number {
    return this.#lastInSession.get(session) ?? -1;
  }

  /** Marks a document as gone. */
  remove(document: number, registry: SessionRegistry): void {
    if (this.dead[document] === 1) return;
    this.dead[document] = 1;
    this.deadCount++;
    registry.remove(this.session[document]!, this.table.length[document]!);
  }

  #chain(document: number, session: number, order: number): void {
    const { previousInSession: previous, nextInSession: next } = this;
    let before = this.lastOf(session);
    let after = -1;
    // Memories come in order, as a rule: then the loop ends at once.
    while (before !== -1 && this.table.order[before]! > order) {
      after = before;
      before = previous[before]!;
    }
    previous[document] = before;
    next[document] = after;
    if (before !== -1) next[before] = document;
    if (after !== -1) previous[after] = document;
    else this.#lastInSession.set(session, document);
  }

  #growDocuments(capacity: number): void {
    this.previousInSession = grown(this.previousInSession, capacity);
    this.nextInSession = grown(this.nextInSession, capacity);
    this.session = grown(this.session, capacity);
    this.dead = grown(this.dead, capacity);
    this.labelStarts = grown(this.labelStarts, capacity + 1);
    this.streamStarts = grown(this.streamStarts, capacity + 1);
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

  /** The terms of a tag. The same few tags come again and again. */
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
      number = this.authors.length;
      this.authors.push(author);
      this.#authorNumbers.set(author, number);
      const terms = new Set<string>();
      forEachWholeWord(author, (word) => terms.add(authorTerm(word)));
      this.#authorTerms.push([...terms]);
    }
    return number;
  }

  #dateText(time: number): string {
    const day = Math.floor(time / 86_400_000);
    let text = this.#dateTexts.get(day);
    if (text === undefined) {
      text = dateText(time);
      this.#dateTexts.set(day, text);
    }
    return text;
  }
}
