import type { NewMemory } from 'longhand';
import { SENTENCE_PATTERNS } from './background-sentences.ts';

const OF_EACH_PATTERN = 20;
const DAY_MS = 86_400_000;
/** Over how many days the memories are spread. */
const DAYS = 400;

/**
 * 500 memories that answer none of the paraphrases, spread over the days before `nowMs`. They are the same in every
 * run. Patterns take turns, so that neighbours in time have nothing in common.
 */
export function backgroundMemories(nowMs: number): NewMemory[] {
  const memories: NewMemory[] = [];
  for (let round = 0; round < OF_EACH_PATTERN; round++) {
    for (const { type, write, first, second } of SENTENCE_PATTERNS) {
      const number = memories.length;
      // Three and ten have no common divisor: ten rounds use ten pairs, the shift makes the next ten others.
      const pair = (round * 3 + Math.floor(round / first.length)) % second.length;
      memories.push({
        id: `other_${number + 1}`,
        type,
        content: { message: write(first[round % first.length]!, second[pair]!) },
        timestamp: new Date(nowMs - (((number * 37) % DAYS) + 1) * DAY_MS),
      });
    }
  }
  return memories;
}
