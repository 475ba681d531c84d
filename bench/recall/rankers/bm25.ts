import type { Hit } from '../haystack.ts';
import { type Document, documentsOf, plainViews } from './documents.ts';
import { plainWords, queryWords } from './plain-words.ts';
import { porterStem } from './porter-stem.ts';
import { DEPTH, type Ranker } from './ranker.ts';

/** BM25 as the textbooks have it, over stems. What a ranking has to beat to be worth its lines. */
export const bm25: Ranker = {
  name: 'BM25',
  open: async (haystack, { views }) => {
    const indexes = new Map(plainViews(views).map((view) => [view, makeIndex(documentsOf(haystack, view))]));
    return {
      rank: (question, view) => {
        const rank = indexes.get(view);
        return rank === undefined ? undefined : Promise.resolve(rank(question.text));
      },
      close: async () => indexes.clear(),
    };
  },
};

/** How soon further occurrences of a word stop counting, and how much the length of a text counts. */
const K1 = 1.2;
const B = 0.75;

function makeIndex(documents: readonly Document[]): (question: string) => Hit[] {
  const postings = new Map<string, Map<number, number>>();
  const lengths = documents.map(({ text }, number) => {
    const words = plainWords(text);
    for (const word of words) {
      const stem = stemOf(word);
      const counts = postings.get(stem) ?? new Map<number, number>();
      counts.set(number, (counts.get(number) ?? 0) + 1);
      postings.set(stem, counts);
    }
    return words.length;
  });
  const averageLength = lengths.reduce((sum, length) => sum + length, 0) / lengths.length;

  return (question) => {
    const scores = new Map<number, number>();
    for (const stem of new Set(queryWords(question).map(stemOf))) {
      const counts = postings.get(stem) ?? new Map<number, number>();
      const rarity = Math.log(1 + (documents.length - counts.size + 0.5) / (counts.size + 0.5));
      for (const [number, count] of counts) {
        const damped = count + K1 * (1 - B + (B * lengths[number]!) / averageLength);
        scores.set(number, (scores.get(number) ?? 0) + (rarity * count * (K1 + 1)) / damped);
      }
    }
    const best = [...scores].sort(([a, of_a], [b, of_b]) => of_b - of_a || a - b).slice(0, DEPTH);
    return best.map(([number]) => ({ name: documents[number]!.name }));
  };
}

const stems = new Map<string, string>();

/** The same words come in every haystack. */
function stemOf(word: string): string {
  let stem = stems.get(word);
  if (stem === undefined) {
    stem = porterStem(word);
    stems.set(word, stem);
  }
  return stem;
}
