/**
 * What a memory says, for the index: its texts, its author, and whether it asks or tells.
 *
 * The content of a memory is free JSON. All texts, numbers and keys in it are searchable, and so are tags and the type. Only the
 * speaker of a turn is kept apart: a name says *who*, not *what*.
 */

import { type JsonValue, MEMORY_TYPES, type MemoryEntry, type MemoryType } from '../../core/records.ts';
import { daysIn } from '../../time/index.ts';
import { spokenTerm } from './term-names.ts';
import { TAG_WEIGHT } from './weights.ts';

/** The bits of a document's `kind`, one byte: the type, and facts about a turn. */
export const KIND_TYPE_MASK = 0b11;
/** `ASKING_SHARE` of its words stand in questions. */
export const KIND_ASKS = 0b100;
/** It holds a question, so the next turn may be an answer. */
export const KIND_HOLDS_QUESTION = 0b1000;
export const KIND_BY_USER = 0b1_0000;
export const KIND_BY_ASSISTANT = 0b10_0000;
/** The speaker has a name, not only a role. */
export const KIND_NAMED = 0b100_0000;

/** Less than 1: a greeting before a question tells nothing. */
const ASKING_SHARE = 0.6;

/** Deeper content is data. */
const MAX_DEPTH = 32;

/** A memory with more days is a table, and they are not its subject. */
const MAX_DAYS = 128;

/** Roles say which side spoke; they are not names. */
const ROLES = new Set('user assistant system developer tool function human ai agent bot model'.split(' '));

/** Keys that say where a text stands and not what it is about, and the types, which are texts of their own. */
const CARRIER_KEYS = new Set(
  `message messages text texts content contents body value values data item items list entry entries
   role speaker name title summary description caption label note notes comment comments detail details
   id ids key type kind tag tags url timestamp metadata meta source
   memory fact facts conversation decision finding preference`.split(/\s+/),
);

/** The words for a type, where its name has another stem. */
const TYPE_WORDS: Readonly<Record<MemoryType, string>> = {
  conversation: 'conversation',
  decision: 'decision decided',
  finding: 'finding',
  preference: 'preference',
};

interface EntryText {
  /** Independent texts: no phrase spans two of them. */
  readonly texts: readonly string[];
  /** What is said in sentences and tags, for its meaning: without keys, dates and the type. */
  readonly said: readonly string[];
  /** The terms of the days that it mentions (`spokenTerm`). */
  readonly days: ReadonlySet<string>;
  /** The name of the speaker as given, or empty. */
  readonly author: string;
  /** The bits above. */
  readonly kind: number;
}

/** Collects the texts of a content, and each key once: the rows of a table share their keys. */
class ContentTexts {
  readonly texts: string[] = [];
  readonly said: string[] = [];
  #keys: Set<string> | undefined;

  addField(key: string, value: JsonValue, depth: number): void {
    const isCarrier = CARRIER_KEYS.has(key.toLowerCase());
    if (key !== '' && !isCarrier && !isEmpty(value) && this.#keys?.has(key) !== true) {
      this.#keys ??= new Set();
      this.#keys.add(key);
      this.texts.push(key);
    }
    this.#addValue(value, depth);
  }

  #addValue(value: JsonValue, depth: number): void {
    if (typeof value === 'string') {
      if (value === '') return;
      this.texts.push(value);
      this.said.push(value);
    } else if (typeof value === 'number') this.texts.push(String(value));
    else if (typeof value === 'object' && value !== null && depth < MAX_DEPTH) {
      if (Array.isArray(value)) for (const part of value) this.#addValue(part, depth + 1);
      else for (const [key, part] of Object.entries(value)) this.addField(key, part, depth + 1);
    }
  }
}

/** `false` is not empty: it answers the question in its key. */
function isEmpty(value: JsonValue): boolean {
  if (typeof value !== 'object') return value === '';
  return value === null || Object.keys(value).length === 0;
}

/** The share of words in sentences that end with a question mark, 0 to 1. */
export function questionShare(text: string): number {
  if (!text.includes('?')) return 0;
  let words = 0;
  let asked = 0;
  let inSentence = 0;
  let isInWord = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const isEnd = code === 63 || code === 46 || code === 33;
    if (isEnd) {
      if (code === 63) asked += inSentence;
      words += inSentence;
      inSentence = 0;
    }
    const isSeparator = isEnd || code <= 38 || (code >= 40 && code <= 47);
    if (!isSeparator && !isInWord) inSentence++;
    isInWord = !isSeparator;
  }
  words += inSentence;
  return words === 0 ? 0 : asked / words;
}

function daysOf(texts: readonly string[]): ReadonlySet<string> {
  const days = new Set<string>();
  for (const text of texts) {
    for (const term of daysIn(text)) if (days.size < MAX_DAYS) days.add(spokenTerm(term));
    if (days.size === MAX_DAYS) break;
  }
  return days;
}

function isName(speaker: string): boolean {
  return speaker !== '' && !ROLES.has(speaker.toLowerCase());
}

/**
 * What an index takes in: a memory, or a passage of a longer text, which does not say its type. The days that a text refers to are
 * read from its opening only, because a log has a date in every line.
 */
export interface IndexedEntry extends MemoryEntry {
  readonly passage?: 'opening' | 'later';
}

/** Reads a memory for the index. */
export function readEntry(entry: IndexedEntry): EntryText {
  const { content } = entry;
  const isTurn = entry.type === 'conversation';
  const speaker = typeof content.speaker === 'string' ? content.speaker : '';
  const role = typeof content.role === 'string' ? content.role : '';
  const side = (ROLES.has(speaker.toLowerCase()) ? speaker : role).toLowerCase();
  // Only a turn has its role as a speaker: in a finding about a designer, the role is what it says.
  const author = isName(speaker) ? speaker : isTurn && isName(role) ? role : '';

  const said = new ContentTexts();
  let share = 0;
  for (const [key, value = null] of Object.entries(content)) {
    if (typeof value === 'string') {
      const saysWho = isTurn && (key === 'speaker' || key === 'role') && (value === author || !isName(value));
      if (saysWho) continue;
      share = Math.max(share, questionShare(value));
    }
    said.addField(key, value, 1);
  }
  const { texts } = said;
  const days = daysOf(entry.passage === 'later' ? [] : texts);
  said.said.push(...entry.tags);
  for (const tag of entry.tags) for (let time = 0; time < TAG_WEIGHT; time++) texts.push(tag);
  if (!isTurn && entry.passage === undefined) texts.push(TYPE_WORDS[entry.type]);

  let kind = MEMORY_TYPES.indexOf(entry.type) & KIND_TYPE_MASK;
  if (share > 0) kind |= KIND_HOLDS_QUESTION;
  if (share >= ASKING_SHARE) kind |= KIND_ASKS;
  if (side === 'user' || side === 'human') kind |= KIND_BY_USER;
  if (author !== '') kind |= KIND_NAMED;
  if (side === 'assistant' || side === 'ai' || side === 'model') kind |= KIND_BY_ASSISTANT;
  return { texts, said: said.said, days, author, kind };
}
