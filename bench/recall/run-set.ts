import { type Answer, goldOf, type Haystack } from './haystack.ts';
import type { Ranker } from './rankers/ranker.ts';
import type { RecallSet } from './recall-set.ts';

/** At most so often a line of progress. */
const PROGRESS_MS = 5_000;

/** What each ranker answered, in the order of the questions. */
export type AnswersOf = ReadonlyMap<Ranker, readonly Answer[]>;

/** Asks all rankers the same questions, haystack by haystack: each is read once and stored once by each ranker. */
export async function runSet(set: RecallSet, rankers: readonly Ranker[]): Promise<AnswersOf> {
  const answers = new Map<Ranker, Answer[]>(rankers.map((ranker) => [ranker, []]));
  const tookMs = new Map<Ranker, number>(rankers.map((ranker) => [ranker, 0]));
  let number = 0;
  let lastMs = performance.now();
  for (const haystack of set.haystacks()) {
    for (const ranker of rankers) {
      const startMs = performance.now();
      answers.get(ranker)!.push(...(await answersIn(haystack, set, ranker)));
      tookMs.set(ranker, tookMs.get(ranker)! + performance.now() - startMs);
    }
    number++;
    if (performance.now() - lastMs < PROGRESS_MS) continue;
    lastMs = performance.now();
    process.stderr.write(`${set.name}: ${number} haystacks\n`);
  }
  const times = rankers.map((ranker) => `${ranker.name} ${(tookMs.get(ranker)! / 1000).toFixed(1)} s`);
  process.stderr.write(`${set.name}: done, ${times.join(', ')}\n`);
  return answers;
}

async function answersIn(haystack: Haystack, set: RecallSet, ranker: Ranker): Promise<Answer[]> {
  const open = await ranker.open(haystack, set);
  const answers: Answer[] = [];
  for (const question of haystack.questions) {
    for (const view of set.views) {
      const hits = await open.rank(question, view);
      if (hits === undefined) continue;
      const { text, group } = question;
      const gold = goldOf(question, view);
      answers.push({ haystack: haystack.name, view, group, question: text, gold, hits });
    }
  }
  await open.close();
  return answers;
}
