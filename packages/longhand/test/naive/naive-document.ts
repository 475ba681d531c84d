import type { MemoryEntry } from '../../src/core/records.ts';
import * as shared from './shared.ts';

/** A memory, and its number in the order of its log. */
export interface Document {
  readonly entry: MemoryEntry;
  readonly order: number;
}

export type Memory = ReturnType<typeof readDocument>;
export type Of<Value> = (memory: Memory) => Value;

/** A memory as the model knows it: its words, one by one. */
export function readDocument({ entry, order }: Document) {
  const said = shared.readEntry(entry);
  /** Term → how often it is there; and the same for words that are not their own terms. */
  const terms = new Map<string, number>();
  const written = new Map<string, number>();
  const count = (counts: Map<string, number>, key: string): unknown =>
    counts.set(key, (counts.get(key) ?? 0) + 1);
  /** Words that are no stopwords. */
  let length = 0;
  const words: string[] = [];
  /** Text → place → terms. */
  const texts = said.texts.map((text) => {
    const places: string[][] = [];
    shared.forEachWord(text, (word, _, isBeside) => {
      const term = shared.termOf(word);
      if (isBeside) places.at(-1)!.push(term);
      else places.push([term]);
      if (!isBeside) words.push(word);
      if (!isBeside && !shared.isStopword(word)) length++;
      count(terms, term);
      if (word !== term) count(written, word);
    });
    return places;
  });
  const longer = Math.max(0, length / shared.weights.LENGTH_PIVOT - 1);
  const told = toldOf(words);
  return {
    ...{ entry, order, said, terms, written, length },
    time: Date.parse(entry.timestamp),
    isTurn: entry.type === 'conversation',
    hasSpeaker: said.author !== '',
    names: shared.wholeWordsOf(said.author),
    lengthFactor: 1 / (1 + shared.weights.LENGTH_SLOPE * longer),
    /** The same for what says the same. */
    sameText: JSON.stringify([said.author, shared.tellingSigns(said.texts), told.length > 0 ? told : words]),
    frequency: (term: string) => terms.get(term) ?? 0,
    /** The frequency of the most frequent word or stem that a pattern matches. */
    wildcardFrequency(pattern: string): number {
      const pieces = pattern.split('*').map((piece) => piece.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'));
      const expression = new RegExp(`^${pieces.join('.*')}$`, 'su');
      const matching = [...terms, ...written].filter(([word]) => expression.test(word));
      return Math.max(0, ...matching.map(([, frequency]) => frequency));
    },
    /** Whether terms follow one another; those of scripts without spaces stand in any order. */
    hasPhrase(phrase: readonly string[]): boolean {
      if (phrase.some(shared.isUnspacedTerm)) return phrase.every((term) => terms.has(term));
      return texts.some((places) =>
        places.some((_, start) => phrase.every((term, step) => places[start + step]?.includes(term))),
      );
    },
  };
}

/** Without articles and, as far as nothing is negated, without words of stress. */
function toldOf(words: readonly string[]): string[] {
  const roles = words.map(shared.roleOf);
  return words.filter((_, at) => {
    const [role, before] = [roles[at], roles[at - 1]];
    const isStress = role === shared.STRESS || (role === shared.MUCH && before === shared.STRESS);
    return role !== shared.ARTICLE && !(isStress && !roles.slice(0, at).includes(shared.NEGATION));
  });
}

/** Newest first; then by session; then the later one in its session. */
export function byIdentity(left: Memory, right: Memory): number {
  const [one, other] = [left.entry.session_id, right.entry.session_id];
  return right.time - left.time || Number(one > other) - Number(one < other) || right.order - left.order;
}
