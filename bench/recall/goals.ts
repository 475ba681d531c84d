import { type Goal, goal } from '../result.ts';
import type { FigureColumn } from './figure-table.ts';
import { findFigure } from './figure-table.ts';
import { VECTORS, WORDS } from './rankers/longhand.ts';

/** A figure that has to be reached: by words alone, and with vectors. */
type Wanted = readonly [figure: string, words: number | undefined, vectors: number | undefined];

const AT_LEAST: readonly Wanted[] = [
  ['LoCoMo turns, R@10', 79.5, 79],
  ['LoCoMo turns, NDCG@10', 65.5, 65],
  ['LongMemEval-S turns, R@5', 80, 82],
  ['LongMemEval-S turns, R@10', 88, 90],
  ['BEAM turns, R@10', 48, 50],
  ['BEAM turns, hit@1', 33, 34],
  ['LongMemEval-S sessions, any@5 of 62', 61, 61],
  ['LongMemEval-S sessions, any@1 of 62', 57, 57],
  ['LongMemEval-S sessions, all@5 of 62', 56, 57],
  ['Paraphrases, hit@1', undefined, 30],
  ['Paraphrases, hit@5', undefined, 60],
  ['Everyday questions, hit@1', 85, 85],
  ['Everyday questions, right memory with match > 0.5', 55, undefined],
  ['Questions without an answer, best match < 0.5', 95, undefined],
  ['LoCoMo, all evidence in a context of 2,000 tokens', 75, 75],
  ['Of two equal matches 60 days apart the newer first', 95, 95],
];
/** How much of R@10 decay may cost, in points. */
const DECAY_COST = 2;

/** The goals whose figures this run measured. */
export function goalsOf(columns: readonly FigureColumn[]): Goal[] {
  return columns.flatMap((column) => {
    const isWords = column.name === WORDS.name;
    if (!isWords && column.name !== VECTORS.name) return [];
    const suffix = isWords ? '' : ', with vectors';
    const reached = AT_LEAST.flatMap(([name, words, vectors]) => {
      const limit = isWords ? words : vectors;
      const figure = findFigure(column.figures, name);
      if (figure === undefined || limit === undefined) return [];
      return [
        goal({
          what: `${name}${suffix}`,
          bound: 'at least',
          limit,
          unit: figure.unit,
          measured: figure.value,
        }),
      ];
    });
    return [...reached, ...decayGoal(column, suffix)];
  });
}

function decayGoal({ figures }: FigureColumn, suffix: string): Goal[] {
  const faded = findFigure(figures, 'LoCoMo turns, R@10');
  const unfaded = findFigure(figures, "LoCoMo turns, sortBy: 'match', R@10");
  if (faded === undefined || unfaded === undefined) return [];
  const what = `LoCoMo turns, what decay costs of R@10${suffix}`;
  const measured = Math.max(0, unfaded.value - faded.value);
  return [goal({ what, bound: 'at most', limit: DECAY_COST, unit: '%', measured })];
}
