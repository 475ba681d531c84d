/**
 * The youngest part of the index: in memory, growing by one document at a time, forgetting at once.
 *
 * A query reads the postings, which grow in chunks. The words of each document are kept in order beside them:
 * phrases are checked against that stream, and sealing makes the postings and positions of a segment from it.
 * Removal sets a mark; sealing leaves marked documents out.
 */

import type { MemoryEntry } from '../core/records.ts';
import { type DocumentPlace, DocumentTable } from './document-table.ts';
import { dateText, readEntry } from './entry-text.ts';
import { GAP, grown, Lexicon } from './lexicon.ts';
import { PostingChunks } from './posting-chunks.ts';
import { type ListedPostings, NO_POSTINGS } from './postings.ts';
import type { SessionRegistry } from './session-registry.ts';
import { tagKeys } from './tag-match.ts';
import { agentTerm, authorTerm, idTerm, referenceTerm, tagTerm } from './term-names.ts';
import { forEachWord } from './words.ts';

export class Tail {
  readonly table = new DocumentTable();
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

  readonly postings = new PostingChunks();
  /** Terms that are no words (ids, tags, …) with their own numbers and postings. */
  readonly labelTerms: string[] = [];
  readonly labelPostings = new PostingChunks();
  /** Document → where its labels begin in `labels`; the next document's start ends them. */
  labelStarts = new Int32Array(17);
  labels = new Int32Array(64);

  /** Document → where its words begin in the lexicon's stream; the next document's start ends them. */
  streamStarts = new Int32Array(17);

  #labelNumbers = new Map<string, number>();
  /** Session → its last document. */
  #lastInSession = new Map<number, number>();
  #authorNumbers = new Map<string, number>([['', 0]]);
  #authorTerms: (readonly string[])[] = [[]];
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
    if (word !== -1) return this.postings.list(word, dead);
    const label = this.#labelNumbers.get(term);
    return label === undefined ? NO_POSTINGS : this.labelPostings.list(label, dead);
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
    table.kind[document] = said.kind;
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
    const { postings } = this;
    const { cells, stream, streamLength } = lexicon;
    for (let at = streamStart; at < streamLength; at++) {
      const word = stream[at]!;
      if (word === GAP) continue;
      const cell = cells[2 * word]!;
      postings.add(cell >> 1, document);
      const written = cells[2 * word + 1]!;
      if (written !== -1) postings.add(written, document);
      length += 1 - (cell & 1);
    }
    table.length[document] = length;

    this.#label(idTerm(entry.id), document);
    if (entry.tags.length > 0) {
      for (const key of tagKeys(entry.tags)) this.#label(tagTerm(key), document);
    }
    if (entry.references.length > 0) {
      for (const id of new Set(entry.references)) this.#label(referenceTerm(id), document);
    }
    for (const term of this.#authorTerms[table.author[document]!]!) this.#label(term, document);
    const agent = entry.provenance?.agent_id;
    if (agent !== undefined) this.#label(agentTerm(agent), document);
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

  #label(term: string, document: number): void {
    let number = this.#labelNumbers.get(term);
    if (number === undefined) {
      number = this.labelTerms.push(term) - 1;
      this.#labelNumbers.set(term, number);
    }
    this.labelPostings.add(number, document);
    this.labels = grown(this.labels, this.#labelCount + 1);
    this.labels[this.#labelCount++] = number;
  }

  #authorNumber(author: string): number {
    let number = this.#authorNumbers.get(author);
    if (number === undefined) {
      number = this.authors.length;
      this.authors.push(author);
      this.#authorNumbers.set(author, number);
      const terms = new Set<string>();
      forEachWord(author, (word) => terms.add(authorTerm(word)));
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
