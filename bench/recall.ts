/**
 * Recall on public sets and on the project's own questions, through the public API: decay and importance at their
 * defaults, the data's own timestamps, asked at the question's date, beside plain full-text search in the same run.
 * The public data is not part of the project: `npm run bench:recall -- --data FOLDER`, and `--help` tells the rest.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeMachine } from './machine.ts';
import { type FigureColumn, makeTable, printTable } from './recall/figure-table.ts';
import { goalsOf } from './recall/goals.ts';
import type { Answer } from './recall/haystack.ts';
import { printMisses } from './recall/misses.ts';
import { readOptions } from './recall/options.ts';
import { bm25 } from './recall/rankers/bm25.ts';
import { fts5 } from './recall/rankers/fts5.ts';
import { COLUMNS } from './recall/rankers/longhand.ts';
import type { Ranker } from './recall/rankers/ranker.ts';
import type { Figure } from './recall/recall-set.ts';
import { runSet } from './recall/run-set.ts';
import { type Result, writeReports, writeResult } from './report.ts';

const { sets, extras, isComplete, isAlone, showsMisses } = readOptions();
const rankers: readonly Ranker[] = isAlone ? COLUMNS : [...COLUMNS, fts5, bm25];
const figuresOf = new Map<Ranker, Figure[]>(rankers.map((ranker) => [ranker, []]));
const ranks: string[] = [];

for (const set of sets) {
  const answersOf = await runSet(set, rankers);
  for (const [ranker, answers] of answersOf) figuresOf.get(ranker)!.push(...set.figures(answers));
  for (const column of COLUMNS) {
    const answers = answersOf.get(column)!;
    if (showsMisses) printMisses(set, column.name, answers);
    ranks.push(...answers.map((answer, question) => rankLine(set.name, column.name, question, answer)));
  }
}
for (const extra of extras) {
  for (const column of COLUMNS) figuresOf.get(column)!.push(...(await extra.measure(column)));
  process.stderr.write(`${extra.name}: done\n`);
}

const columns: FigureColumn[] = rankers.map((ranker) => ({
  name: ranker.name,
  figures: figuresOf.get(ranker)!,
}));
const table = makeTable(columns);
printTable(table);
const goals = goalsOf(columns);
for (const { what, isMet, measured, limit } of goals) {
  console.log(isMet ? '  met   ' : '  MISSED', what, `${measured} of ${limit}`);
}
if (isComplete) writeDown();
process.exitCode = goals.every(({ isMet }) => isMet) ? 0 : 1;

/** The figures, and the rank of each piece of gold. */
function writeDown(): void {
  const folder = join(import.meta.dirname, 'results');
  mkdirSync(folder, { recursive: true });
  const result: Result = {
    part: 'recall',
    title: 'Recall',
    method:
      "Halves of public sets that the ranking was developed on, and the project's own questions, through the public API, with decay and importance at their defaults and the data's own timestamps. Beside it the plain full-text search of SQLite (FTS5 with Porter's stems, stopwords left out of the question) and BM25 (k1 1.2, b 0.75, stemmed). LoCoMo: each turn a memory, asked a day after the last session. LongMemEval-S: each question at its date over its own sessions, turns by `queryMemories` over the whole user, sessions by `searchSessions`. BEAM 100K: asked a day after the last session, questions with evidence only. R@k is the share of the evidence among the first k, hit@k and any@k whether any of it is, all@k whether all of it is. Paraphrases: 100 facts asked for in other words, among 500 other memories. Everyday questions: 100 in six small stores, and 50 that nothing there answers. Of two facts the newer: invented pairs that contradict each other, said in two sessions 30 to 250 days apart. No language model takes part.",
    measurements: [],
    table,
    goals,
    machine: describeMachine(),
  };
  writeResult(result);
  writeReports();
  writeFileSync(join(folder, 'recall-questions.jsonl'), `${ranks.join('\n')}\n`);
}

/** Ranks alone: neither the questions nor the evidence of public sets are ours to publish. */
function rankLine(
  set: string,
  column: string,
  question: number,
  { view, group, gold, hits }: Answer,
): string {
  const rankOf = (name: string): number | null => {
    const position = hits.findIndex((hit) => hit.name === name);
    return position === -1 ? null : position + 1;
  };
  return JSON.stringify({ set, column, view, question, group, ranks: gold.map(rankOf) });
}
