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
import { measureEquals } from './recall/equals.ts';
import { measureLocomo } from './recall/locomo.ts';
import { measureLongMemEval } from './recall/longmemeval.ts';
import type { Found } from './recall/measures.ts';

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

const goals = [
  ['LoCoMo R@10 ≥ 78', withDecay.summary['R@10']! >= 78],
  ['LoCoMo R@5 ≥ 69', withDecay.summary['R@5']! >= 69],
  ['LoCoMo NDCG@10 ≥ 62', withDecay.summary['NDCG@10']! >= 62],
  ['decay costs at most 2 points of R@10', byMatch.summary['R@10']! - withDecay.summary['R@10']! <= 2],
  ['LongMemEval-S any@5 ≥ 60 of 62', sessions.summary['any@5 count']! >= 60],
  ['LongMemEval-S any@1 ≥ 56 of 62', sessions.summary['any@1 count']! >= 56],
  ['LongMemEval-S all@5 ≥ 56 of 62', sessions.summary['all@5 count']! >= 56],
  ['all evidence in a context of 2,000 tokens for ≥ 75 % of the questions', context.all >= 75],
  ['the newer of two equals first in ≥ 95 %', equals.share >= 95],
] as const;
for (const [goal, isMet] of goals) console.log(isMet ? '  met   ' : '  MISSED', goal);

const folder = join(import.meta.dirname, 'results');
mkdirSync(folder, { recursive: true });
const summary = {
  machine: describeMachine(),
  locomo: withDecay.summary,
  locomo_by_match: byMatch.summary,
  longmemeval_s: sessions.summary,
  locomo_context: context,
  equals,
  goals: Object.fromEntries(goals),
};
writeFileSync(join(folder, 'recall.json'), `${JSON.stringify(summary, null, 2)}\n`);
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
process.exit(goals.every(([, isMet]) => isMet) ? 0 : 1);
