/**
 * The youngest part of the index: in memory, growing by one document at a time, forgetting at once.
 *
 * A document's postings lie next to each other in the order of adding, and each posting points back to the
 * previous one of the same term, so adding touches one place per distinct term and a query follows the chain.
 * The words of each document are kept in order beside them: phrases are checked against that stream, and
 * sealing makes the positions of a segment from it. Removal sets a mark; sealing leaves marked documents out.
 */

import type { MemoryEntry } from '../core/records.ts';
import { type DocumentPlace, DocumentTable } from './document-table.ts';
import { dateText, readEntry } from './entry-text.ts';
import { grown, Lexicon } from './lexicon.ts';
import type { SessionRegistry } from './session-registry.ts';
import { tagKeys } from './tag-match.ts';
import { agentTerm, authorTerm, idTerm, referenceTerm, tagTerm } from './term-names.ts';
import { forEachWord } from './words.ts';

/** Stands between independent texts in a stream of words. */
export const GAP = -1;

export class Tail {
  readonly table = new DocumentTable();
  readonly lexicon = new Lexicon();
  readonly authors: string[] = [''];
  /** Document → session number in the registry. */
  session = new Int32Array(16);
  /** Document → 1 when it was removed. */
  dead = new Uint8Array(16);
  deadCount = 0;
  /** Document → the one before and after it in its session, or −1; removed ones stay in the chain. */
  previousInSession = new Int32Array(16);
  nextInSession = new Int32Array(16);

  /** Document → its first posting; the next document's first posting ends it. */
  postingStarts = new Int32Array(17);
  postingDocument = new Int32Array(256);
  postingTerm = new Int32Array(256);
  postingFrequency = new Int32Array(256);
  /** Posting → the previous posting of the same term, or −1. */
  postingPrevious = new Int32Array(256);
  postingCount = 0;
  /** Term → its last posting, or −1; and how many it has. */
  lastPosting = new Int32Array(256).fill(-1);
  documentFrequency = new Int32Array(256);

  /** Document → where its words begin in `stream`; the next document's start ends them. */
  streamStarts = new Int32Array(17);
  stream: Int32Array = new Int32Array(1024);

  /** Session → its last document. */
  #lastInSession = new Map<number, number>();
  #authorNumbers = new Map<string, number>([['', 0]]);
  #authorTerms: (readonly string[])[] = [[]];
  #streamLength = 0;
  #dateTexts = new Map<number, string>();

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

    const streamStart = this.#streamLength;
    for (const text of said.texts) {
      this.#read(text);
      this.#pushWord(GAP);
    }
    this.#read(this.#dateText(time));
    this.streamStarts[document + 1] = this.#streamLength;
    let length = 0;
    const { termOfWord, writtenOfWord, stopOfWord } = lexicon;
    for (let at = streamStart; at < this.#streamLength; at++) {
      const word = this.stream[at]!;
      if (word === GAP) continue;
      this.#post(termOfWord[word]!, document);
      const written = writtenOfWord[word]!;
      if (written !== -1) this.#post(written, document);
      length += 1 - stopOfWord[word]!;
    }
    table.length[document] = length;

    this.#post(lexicon.numberOf(idTerm(entry.id)), document);
    if (entry.tags.length > 0) {
      for (const key of tagKeys(entry.tags)) this.#post(lexicon.numberOf(tagTerm(key)), document);
    }
    for (const id of new Set(entry.references)) this.#post(lexicon.numberOf(referenceTerm(id)), document);
    for (const term of this.#authorTerms[table.author[document]!]!) {
      this.#post(lexicon.numberOf(term), document);
    }
    const agent = entry.provenance?.agent_id;
    if (agent !== undefined) this.#post(lexicon.numberOf(agentTerm(agent)), document);
    this.postingStarts[document + 1] = this.postingCount;
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
    this.postingStarts = grown(this.postingStarts, capacity + 1);
    this.streamStarts = grown(this.streamStarts, capacity + 1);
  }

  #read(text: string): void {
    const read = this.lexicon.read(text, this.stream, this.#streamLength);
    this.stream = read.stream;
    this.#streamLength = read.length;
  }

  #pushWord(word: number): void {
    this.stream = grown(this.stream, this.#streamLength + 1);
    this.stream[this.#streamLength++] = word;
  }

  #post(term: number, document: number): void {
    if (term >= this.lastPosting.length) {
      const known = this.lastPosting.length;
      this.lastPosting = grown(this.lastPosting, term + 1).fill(-1, known);
      this.documentFrequency = grown(this.documentFrequency, term + 1);
    }
    const last = this.lastPosting[term]!;
    if (last !== -1 && this.postingDocument[last] === document) {
      this.postingFrequency[last]!++;
      return;
    }
    const posting = this.postingCount++;
    if (posting >= this.postingDocument.length) {
      this.postingDocument = grown(this.postingDocument, posting + 1);
      this.postingTerm = grown(this.postingTerm, posting + 1);
      this.postingFrequency = grown(this.postingFrequency, posting + 1);
      this.postingPrevious = grown(this.postingPrevious, posting + 1);
    }
    this.postingDocument[posting] = document;
    this.postingTerm[posting] = term;
    this.postingFrequency[posting] = 1;
    this.postingPrevious[posting] = last;
    this.lastPosting[term] = posting;
    this.documentFrequency[term]!++;
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
