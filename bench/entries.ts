import type { NewMemory } from 'longhand';
import { createRandom } from './random.ts';

const ENTRY_BYTES = 1_024;
const VOCABULARY = 5_000;
const SYLLABLES = ['ka', 'ro', 'mi', 'ten', 'sol', 'ver', 'un', 'da', 'lis', 'per', 'go', 'sta', 'ne', 'qui'];
const TYPES = ['conversation', 'decision', 'finding', 'preference'] as const;

/** A memory whose JSON takes 1 KB: text in which few words are frequent and many are rare, and two tags. */
export function makeEntries(count: number, seed = 7): readonly NewMemory[] {
  const random = createRandom(seed);
  const words = Array.from({ length: VOCABULARY }, () => {
    const syllables = 1 + Math.floor(random() * 4);
    return Array.from({ length: syllables }, () => SYLLABLES[Math.floor(random() * SYLLABLES.length)]).join(
      '',
    );
  });
  const word = (): string => words[Math.floor(VOCABULARY * random() ** 3)]!;
  return Array.from({ length: count }, (_, i) => {
    const frame = {
      type: TYPES[i % TYPES.length]!,
      content: { role: 'user', message: '' },
      importance: Math.round(random() * 100) / 100,
      tags: [`topic.${i % 20}`, word()],
    };
    const room = ENTRY_BYTES - JSON.stringify(frame).length;
    let message = word();
    while (message.length < room) message += ` ${word()}`;
    return { ...frame, content: { role: 'user', message: message.slice(0, room) } };
  });
}

/** The text that full-text search is for. */
export function textOf(entry: NewMemory): string {
  const { content } = entry;
  return typeof content === 'string' ? content : String(content.message);
}
