/**
 * Recall on the two public sets of the field, through the public API: no embedder, decay and importance at
 * their defaults, the data's own timestamps, asked at the question's date. The data is not part of the
 * project: `npm run bench:recall -- --data FOLDER` with locomo-dev.json and longmemeval-s-dev.jsonl.gz in it
 * (or other files of the same form, named with --locomo and --longmemeval).
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { MemoryManager, MemoryStore } from 'longhand';
import { describeMachine } from './machine.ts';
import { measureContext } from './recall/context.ts';
import { measureEquals, measureNewerFacts } from './recall/equals.ts';
import { measureLocomo } from './recall/locomo.ts';
import { measureLongMemEval } from './recall/longmemeval.ts';
import type { Found } from './recall/measures.ts';
import { type Result, writeReports, writeResult } from './report.ts';
import { type Goal, goal, type Measurement } from './result.ts';

const { values } = parseArgs({
  options: {
    data: { type: 'string' },
    locomo: { type: 'string', default: 'locomo-dev.json' },
    longmemeval: { type: 'string', default: 'longmemeval-s-dev.jsonl.gz' },
    help: { type: 'boolean', default: false },
  },
});
if (values.help || values.data === undefined) {
  console.log('npm run bench:recall -- --data FOLDER [--locomo FILE] [--longmemeval FILE]');
  process.exit(values.help ? 0 : 2);
}

const openManager = (): MemoryManager => new MemoryManager({ store: new MemoryStore() });
const data = resolve(values.data);
const withDecay = await measureLocomo(join(data, values.locomo), openManager, 'relevance');
console.log('LoCoMo, by relevance', withDecay.summary);
const byMatch = await measureLocomo(join(data, values.locomo), openManager, 'match');
console.log('LoCoMo, by match    ', byMatch.summary);
const sessions = await measureLongMemEval(join(data, values.longmemeval), openManager);
console.log('LongMemEval-S       ', sessions.summary);
const context = await measureContext(join(data, values.locomo), openManager);
console.log('LoCoMo, in a context', context);
const equals = await measureEquals(openManager);
console.log('Equal matches, the newer first', equals);
const newerFacts = await measureNewerFacts(openManager);
console.log('Of two facts the newer first', newerFacts);

const atLeast = (what: string, measured: number, limit: number, unit: Goal['unit'] = '%'): Goal =>
  goal({ what, bound: 'at least', limit, unit, measured });
const locomo = withDecay.summary;
const longMemEval = sessions.summary;
const goals: readonly Goal[] = [
  atLeast('LoCoMo, R@10', locomo['R@10']!, 78),
  atLeast('LoCoMo, R@5', locomo['R@5']!, 69),
  atLeast('LoCoMo, NDCG@10', locomo['NDCG@10']!, 62),
  goal({
    what: 'LoCoMo, what decay costs of R@10',
    bound: 'at most',
    limit: 2,
    unit: '%',
    measured: Math.max(0, byMatch.summary['R@10']! - locomo['R@10']!),
  }),
  atLeast('LoCoMo, questions with all their evidence in a context of 2,000 tokens', context.all, 75),
  atLeast('LongMemEval-S, any@5', longMemEval['any@5 count']!, 60, 'questions of 62'),
  atLeast('LongMemEval-S, any@1', longMemEval['any@1 count']!, 56, 'questions of 62'),
  atLeast('LongMemEval-S, all@5', longMemEval['all@5 count']!, 56, 'questions of 62'),
  atLeast('of two equal matches 60 days apart the newer first', equals.share, 95),
];
for (const { what, isMet } of goals) console.log(isMet ? '  met   ' : '  MISSED', what);

const measurementsOf = (name: string, summary: Readonly<Record<string, number>>): Measurement[] =>
  Object.entries(summary)
    .filter(([measure]) => /^[\w-]+@\d+$/.test(measure))
    .map(([measure, value]) => ({ name: `${name}, ${measure}`, unit: '%', value }));
const folder = join(import.meta.dirname, 'results');
mkdirSync(folder, { recursive: true });
const result: Result = {
  part: 'recall',
  title: 'Recall',
  method: `The development halves of two public sets, through the public API, without an embedder, with decay and importance at their defaults and the data's own timestamps. LoCoMo: ${locomo.questions} questions, each turn a memory, asked a day after the last session, the share of the evidence among the first so many. LongMemEval-S: ${longMemEval.questions} questions, each at its date over its own sessions, ranked by \`searchSessions\`. Facts: invented pairs that contradict each other, said in two sessions 30 to 250 days apart. No language model takes part.`,
  measurements: [
    ...measurementsOf('LoCoMo', locomo),
    ...measurementsOf("LoCoMo, sortBy: 'match'", byMatch.summary),
    ...measurementsOf('LongMemEval-S', longMemEval),
    { name: 'LoCoMo, evidence in a context of 2,000 tokens', unit: '%', value: context.mean },
    ...newerFacts.map(({ type, share }): Measurement => {
      return { name: `the newer of two facts first, type ${type}`, unit: '%', value: share };
    }),
  ],
  goals,
  machine: describeMachine(),
};
writeResult(result);
writeReports();
// Per question, the rank of each piece of evidence: neither the questions nor the evidence are ours to publish.
const rankOf = ({ gold, ranked }: Found): (number | null)[] =>
  gold.map((id) => (ranked.includes(id) ? ranked.indexOf(id) + 1 : null));
const ranks = [
  ...withDecay.results.map((result, question) =>
    JSON.stringify({ set: 'locomo', question, category: result.category, ranks: rankOf(result) }),
  ),
  ...sessions.results.map((result, question) =>
    JSON.stringify({ set: 'longmemeval-s', question, type: result.question_type, ranks: rankOf(result) }),
  ),
];
writeFileSync(join(folder, 'recall-questions.jsonl'), `${ranks.join('\n')}\n`);
process.exit(goals.every(({ isMet }) => isMet) ? 0 : 1);
