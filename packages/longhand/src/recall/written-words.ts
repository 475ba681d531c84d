import type { MemoryEntry } from '../core/records.ts';
import { readEntry } from './entry-text.ts';
import { forEachWord, termOf } from './words.ts';

/**
 * Words of the index as they stand in a memory, for those who read them: `coffe`, a stem, is the "coffee" of its text. The
 * first in which it is found; one that the text does not show stays as it is.
 * @param words folded, as they were written or by their stems
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
