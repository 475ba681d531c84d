import type { MemoryEntry } from '../../core/records.ts';
import { readEntry } from './entry-text.ts';
import { forEachWord, termOf } from './words.ts';

/**
 * Words of the index as a memory spells them: "coffee" for the stem `coffe`. A word that the memory does not hold is returned
 * as it is.
 * @param words folded words, or stems
 */
export function writtenWords(words: readonly string[], entry: MemoryEntry): readonly string[] {
  const exact = new Map<string, string>();
  const byTerm = new Map<string, string>();
  for (const text of readEntry(entry).texts) {
    forEachWord(text, (word, raw) => {
      if (!exact.has(word)) exact.set(word, raw);
      const term = termOf(word);
      if (!byTerm.has(term)) byTerm.set(term, raw);
    });
  }
  return [...new Set(words.map((word) => exact.get(word) ?? byTerm.get(word) ?? word))];
}
