import type { Answer, Haystack, View } from './haystack.ts';
import { allAt, type Found, hitRate, mean, ndcg, recallAt, round } from './measures.ts';

/** A figure of one ranker on one set. */
export interface Figure {
  readonly name: string;
  readonly unit: '%' | 'questions';
  readonly value: number;
}

/** Questions with known answers, from a public file or of the project's own. */
export interface RecallSet {
  /** As `--only` names it. */
  readonly name: string;
  /** One after the other: the largest file has 62 haystacks, and each is needed once. */
  readonly haystacks: () => Iterable<Haystack>;
  readonly views: readonly View[];
  /** Whether the figures need to know how well each memory matches. */
  readonly needsMatch: boolean;
  /** A question is missed when none of its gold is among the first so many. */
  readonly missedAfter: number;
  readonly figures: (answers: readonly Answer[]) => readonly Figure[];
}

const MEASURES = { R: recallAt, hit: hitRate, any: hitRate, all: allAt, NDCG: ndcg } as const;

/** The figures that are named like `R@10`, in percent; none for a ranker that was not asked. */
export function figuresOf(title: string, answers: readonly Answer[], names: readonly string[]): Figure[] {
  if (answers.length === 0) return [];
  const found = answers.map(foundOf);
  return names.map((name) => ({
    name: `${title}, ${name}`,
    unit: '%',
    value: round(mean(found, (answer) => measure(name, answer))),
  }));
}

/** For how many questions a measure is 1. */
export function countsOf(title: string, answers: readonly Answer[], names: readonly string[]): Figure[] {
  const found = answers.map(foundOf);
  return names.map((name) => ({
    name: `${title}, ${name} of ${found.length}`,
    unit: 'questions',
    value: found.filter((answer) => measure(name, answer) === 1).length,
  }));
}

/** One figure for each group of questions, in the order of their names. */
export function figuresByGroup(title: string, answers: readonly Answer[], name: string): Figure[] {
  const groups = Object.entries(Object.groupBy(answers, ({ group }) => group));
  return groups
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([group, members = []]) =>
      figuresOf(title, members, [name]).map((figure) => ({
        ...figure,
        name: `${figure.name}: ${group.replaceAll('_', ' ')} (${members.length})`,
      })),
    );
}

/** The answers of a view to the questions that have one. */
export function answeredIn(answers: readonly Answer[], view: View): Answer[] {
  return answers.filter((answer) => answer.view === view && answer.gold.length > 0);
}

export function foundOf({ gold, hits }: Answer): Found {
  return { gold, ranked: hits.map(({ name }) => name) };
}

function measure(name: string, found: Found): number {
  const [kind, depth] = name.split('@');
  return MEASURES[kind as keyof typeof MEASURES](found, Number(depth));
}
