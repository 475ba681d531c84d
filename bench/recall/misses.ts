import { type Answer, textOf } from './haystack.ts';
import { hitRate } from './measures.ts';
import { foundOf, type RecallSet } from './recall-set.ts';

/** How much of a text is shown. */
const SHOWN = 90;

/**
 * One line for each question whose gold is not among the first, or whose best match is too good though nothing answers
 * it. For looking at them: what is printed holds texts of public sets and belongs in no file of the project.
 */
export function printMisses(set: RecallSet, column: string, answers: readonly Answer[]): void {
  const texts = new Map<string, string>();
  for (const { name, sessions } of set.haystacks()) {
    for (const session of sessions) {
      for (const turn of session.turns)
        texts.set(`${name}/${turn.name}`, textOf(turn).replaceAll(/\s+/g, ' '));
    }
  }
  for (const answer of answers) {
    if (answer.view === 'turns by match' || !isMissed(set, answer)) continue;
    const { haystack, view, group, question, gold, hits } = answer;
    const show = (name: string): string => {
      const rank = hits.findIndex((hit) => hit.name === name) + 1;
      const text = texts.get(`${haystack}/${name}`) ?? '';
      return `[${rank === 0 ? 'not found' : rank}] ${name} ${text.slice(0, SHOWN)}`;
    };
    const first = hits[0] === undefined ? 'nothing' : show(hits[0].name);
    const strongest = strongestOf(answer).toFixed(2);
    console.log(
      `MISS ${column} | ${set.name} ${view} | ${group} | ${question} | wanted ${gold.map(show).join(' + ') || 'nothing'} | best ${first} | match ${strongest}`,
    );
  }
}

function isMissed({ missedAfter }: RecallSet, answer: Answer): boolean {
  if (answer.gold.length === 0) return strongestOf(answer) >= 0.5;
  return hitRate(foundOf(answer), missedAfter) === 0;
}

function strongestOf({ hits }: Answer): number {
  return Math.max(0, ...hits.map(({ match = 0 }) => match));
}
