import type { NewMemory } from 'longhand';
import { textOf } from '../entries.ts';
import { createRandom, type Random } from '../random.ts';
import { frequentWords } from './words.ts';

/**
 * The texts that search is measured on: entries of 1 KB of English words that follow Zipf's law (the n-th word is n
 * times rarer than the first). Entry n is the same in every run and for every contender.
 */
const ENTRY_BYTES = 1_024;
/** A word is drawn by one look into a table in which it has as many cells as it is frequent. */
const TABLE_CELLS = 1 << 20;
const TAGS = 100;
/** A memory every minute: what is old and what is young is then ranked apart, as in a memory that is used. */
const FIRST_MS = Date.UTC(2024, 0, 1);
const STEP_MS = 60_000;
const TYPES = ['conversation', 'conversation', 'decision', 'finding'] as const;

/** Shares of the entries that hold a query word. Every query has one word of each band. */
export const BANDS = [
  [0.001, 0.003],
  [0.01, 0.02],
  [0.08, 0.12],
] as const;
const SAMPLE_ENTRIES = 2_000;

const vocabulary = frequentWords();
const table = makeTable();

function makeTable(): Int32Array {
  const weights = vocabulary.map((_, rank) => 1 / (rank + 1));
  const sum = weights.reduce((total, weight) => total + weight, 0);
  const cells = new Int32Array(TABLE_CELLS);
  let reached = 0;
  let cell = 0;
  for (const [word, weight] of weights.entries()) {
    reached += weight / sum;
    while (cell < TABLE_CELLS && cell < reached * TABLE_CELLS) cells[cell++] = word;
  }
  return cells;
}

function pick<Item>(items: readonly Item[], random: Random): Item {
  return items[Math.floor(random() * items.length)]!;
}

/** The n-th entry. One in a hundred has the same tag. */
export function makeEntry(number: number): NewMemory {
  const random = createRandom(Math.imul(number + 1, 2_654_435_761));
  for (let i = 0; i < 3; i++) random();
  const frame = {
    timestamp: new Date(FIRST_MS + number * STEP_MS).toISOString(),
    type: TYPES[number % TYPES.length]!,
    content: { role: 'user', message: '' },
    importance: Math.round(random() * 100) / 100,
    tags: [`topic.${number % TAGS}`],
  };
  const room = ENTRY_BYTES - JSON.stringify(frame).length;
  let message = '';
  while (message.length < room) message += `${vocabulary[table[Math.floor(random() * TABLE_CELLS)]!]} `;
  return { ...frame, content: { role: 'user', message: message.slice(0, room) } };
}

export function makeRange(from: number, to: number): NewMemory[] {
  return Array.from({ length: to - from }, (_, i) => makeEntry(from + i));
}

/** Queries of one word from each band. */
export function makeQueries(count: number): readonly string[] {
  const holders = new Int32Array(vocabulary.length);
  const numbers = new Map(vocabulary.map((word, number) => [word, number]));
  for (let entry = 0; entry < SAMPLE_ENTRIES; entry++) {
    const words = new Set(textOf(makeEntry(entry)).split(' '));
    for (const word of words) {
      const number = numbers.get(word);
      if (number !== undefined) holders[number]!++;
    }
  }
  const bands = BANDS.map(([low, high]) =>
    vocabulary.filter(
      (_, word) => holders[word]! >= low * SAMPLE_ENTRIES && holders[word]! <= high * SAMPLE_ENTRIES,
    ),
  );
  const random = createRandom(3);
  return Array.from({ length: count }, () => bands.map((words) => pick(words, random)).join(' '));
}

export function tagOf(number: number): string {
  return `topic.${number % TAGS}`;
}
