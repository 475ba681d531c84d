import type { Memory } from './naive-document.ts';
import { EditDistance, isStopword, termOf, weights } from './shared.ts';

/** The terms of what a word that is in no memory may be meant to be: the nearest, and of those the most frequent. */
export function nearestWords(documents: readonly Memory[], typed: string): readonly string[] {
  const hasCases = [...typed].every((letter) => letter.toUpperCase() !== letter.toLowerCase());
  if (typed.length < weights.MIN_MISTYPED_LETTERS || !hasCases) return [];
  if (isStopword(typed)) return [];
  for (const most of typed.length < weights.TWO_ERRORS_LETTERS ? [1] : [1, 2]) {
    const distances = new EditDistance(typed, most);
    const near = new Map<string, number>();
    for (const { terms, written } of documents) {
      const stems = Array.from(terms.keys(), (term) => [term, term] as const);
      for (const [word, term] of [
        ...stems,
        ...Array.from(written.keys(), (each) => [each, termOf(each)] as const),
      ]) {
        const distance = distances.to(word);
        if (distance > most || word.slice(0, most) !== typed.slice(0, most)) continue;
        near.set(term, Math.min(distance, near.get(term) ?? distance));
      }
    }
    const holders = (term: string): number => documents.filter(({ terms }) => terms.has(term)).length;
    const best = [...near.keys()].sort();
    best.sort((one, other) => near.get(one)! - near.get(other)! || holders(other) - holders(one));
    if (best.length > 0) return best.slice(0, weights.MAX_MEANT);
  }
  return [];
}
