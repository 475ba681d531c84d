import { MemoryManager } from 'longhand';
import { goal } from '../result.ts';
import { median } from '../statistics.ts';
import { makeQueries, makeRange } from './corpus.ts';
import { semanticOption, suffix } from './meaning.ts';
import type { SearchStore } from './store.ts';
import type { Measured } from './text-queries.ts';

/** What takes a search longest, for each megabyte of the texts that it looks through, the query's among them. */
const MAX_MS_PER_MB = 50;
const ROUNDS = 5;

const words = (count: number): readonly string[] => makeQueries(count).join(' ').split(' ').slice(0, count);
const HARD: Readonly<Record<string, string>> = {
  'ten thousand words': words(10_000).join(' '),
  'ten thousand words that no memory holds': Array.from({ length: 10_000 }, (_, i) => `zq${i}x`).join(' '),
  'sixty mistyped words': words(60)
    .map((word) => `${word.slice(0, 2)}${word.slice(3)}`)
    .join(' '),
  'stopwords alone': 'what is it that we have been to',
  'a wildcard for every word': '?* *e*',
  'thirty wildcards': words(30)
    .map((word) => `*${word.slice(1, 4)}*`)
    .join(' '),
  'a phrase of stopwords': '"of the and to a in"',
  'a word of a hundred thousand letters': 'x'.repeat(100_000),
};

export async function measureHard(
  { storageRoot, sessionIds }: SearchStore,
  entries: number,
): Promise<Measured> {
  const bytes = makeRange(0, 1_000).reduce((sum, { content }) => sum + JSON.stringify(content).length, 0);
  const megabytes = (bytes / 1_000) * (entries / 1e6);
  const manager = new MemoryManager({ storageRoot, ...semanticOption() });
  const measurements = [];
  let slowest = 0;
  for (const [name, text] of Object.entries(HARD)) {
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const start = performance.now();
      await manager.queryMemories(sessionIds[0]!, { text, scope: 'user' });
      times.push(performance.now() - start);
    }
    slowest = Math.max(slowest, median(times) / (megabytes + text.length / 1e6));
    measurements.push({
      name: `Longhand, ${name}, in ${entries}`,
      unit: 'ms',
      value: median(times),
    } as const);
  }
  await manager.close();
  return {
    measurements,
    goals: [
      goal({
        what: `the slowest of the hard queries, for each megabyte of text, of ${entries}${suffix()}`,
        bound: 'at most',
        limit: MAX_MS_PER_MB,
        unit: 'ms',
        measured: slowest,
      }),
    ],
  };
}
