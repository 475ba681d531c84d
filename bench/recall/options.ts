import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { contextExtra, type Extra, equalsExtra } from './extras.ts';
import type { RecallSet } from './recall-set.ts';
import { beamSet } from './sets/beam.ts';
import { everydaySet } from './sets/everyday.ts';
import { locomoSet } from './sets/locomo.ts';
import { longMemEvalSet } from './sets/longmemeval.ts';
import { paraphrasesSet } from './sets/paraphrases.ts';

export interface RecallOptions {
  readonly sets: readonly RecallSet[];
  readonly extras: readonly Extra[];
  /** Whether everything is measured: only then the figures are written down. */
  readonly isComplete: boolean;
  /** Longhand alone, without the plain rankers. */
  readonly isAlone: boolean;
  readonly showsMisses: boolean;
}

const OWN = ['paraphrases', 'everyday', 'equals'];
const OF_DATA = ['locomo', 'longmemeval', 'beam', 'context'];
const USAGE = `npm run bench:recall -- --data FOLDER [--only SET,SET] [--alone] [--misses]
    [--locomo FILE] [--longmemeval FILE] [--beam FILE]

  --only    some of: ${[...OF_DATA, ...OWN].join(', ')}; nothing is written down then
  --alone   without SQLite FTS5 and BM25
  --misses  one line for each question that Longhand misses

${OWN.join(', ')} need no data.`;

/** Ends the process when the command line is wrong or asks for help. */
export function readOptions(): RecallOptions {
  const { values } = parseArgs({
    options: {
      data: { type: 'string' },
      locomo: { type: 'string', default: 'locomo-dev.json' },
      longmemeval: { type: 'string', default: 'longmemeval-s-dev.jsonl.gz' },
      beam: { type: 'string', default: 'beam-100k-dev.json.gz' },
      only: { type: 'string' },
      alone: { type: 'boolean', default: false },
      misses: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const all = [...OF_DATA, ...OWN];
  const names = values.only?.split(',') ?? all;
  const unknown = names.filter((name) => !all.includes(name));
  const lacksData = values.data === undefined && names.some((name) => OF_DATA.includes(name));
  if (values.help || unknown.length > 0 || lacksData) {
    console.log(USAGE);
    process.exit(values.help ? 0 : 2);
  }
  const file = (name: string): string => join(resolve(values.data ?? '.'), name);
  const sets = [
    locomoSet(file(values.locomo)),
    longMemEvalSet(file(values.longmemeval)),
    beamSet(file(values.beam)),
    paraphrasesSet,
    everydaySet,
  ];
  const extras = [contextExtra(file(values.locomo)), equalsExtra];
  return {
    sets: sets.filter(({ name }) => names.includes(name)),
    extras: extras.filter(({ name }) => names.includes(name)),
    isComplete: all.every((name) => names.includes(name)) && !values.alone,
    isAlone: values.alone,
    showsMisses: values.misses,
  };
}
