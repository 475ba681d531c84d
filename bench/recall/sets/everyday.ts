import { EVERYDAY } from '../../../packages/longhand/test/questions/everyday.ts';
import { newMemoriesOf, type World } from '../../../packages/longhand/test/questions/world.ts';
import type { Answer, Haystack, Question } from '../haystack.ts';
import { mean, round } from '../measures.ts';
import { answeredIn, type Figure, figuresByGroup, figuresOf, type RecallSet } from '../recall-set.ts';

/**
 * The project's own: a hundred everyday questions in six small stores, and fifty that nothing there answers. What
 * `match` says is measured on both: above one half for what answers a question, below it where nothing does.
 */
export const everydaySet: RecallSet = {
  name: 'everyday',
  haystacks: () => EVERYDAY.map(readWorld),
  views: ['turns'],
  needsMatch: true,
  missedAfter: 1,
  figures: (answers) => {
    const answered = answeredIn(answers, 'turns');
    const unanswerable = answers.filter(({ gold }) => gold.length === 0);
    return [
      // Of several right memories one has to come first, so it is the hit that counts, not the share.
      ...figuresOf('Everyday questions', answered, ['hit@1', 'hit@5']),
      ...figuresByGroup('Everyday questions', answered, 'hit@1'),
      ...figuresOfMatch(answered, unanswerable),
    ];
  },
};

const UNANSWERABLE = 'without an answer';
const THRESHOLD = 0.5;

function figuresOfMatch(answered: readonly Answer[], unanswerable: readonly Answer[]): Figure[] {
  // A ranker that does not say how well something matches has no such figure.
  const says = answered.some(({ hits }) => hits.some(({ match }) => match !== undefined));
  if (!says) return [];
  return [
    {
      name: 'Everyday questions, right memory with match > 0.5',
      unit: '%',
      value: round(mean(answered, (answer) => (matchOfGold(answer) > THRESHOLD ? 1 : 0))),
    },
    {
      name: 'Questions without an answer, best match < 0.5',
      unit: '%',
      value: round(mean(unanswerable, (answer) => (bestMatch(answer) < THRESHOLD ? 1 : 0))),
    },
  ];
}

/** Of the right memory, wherever it stands among what was found; 0 when it is not there. */
function matchOfGold({ gold, hits }: Answer): number {
  return bestOf(hits.filter(({ name }) => gold.includes(name)));
}

function bestMatch({ hits }: Answer): number {
  return bestOf(hits);
}

function bestOf(hits: Answer['hits']): number {
  return Math.max(0, ...hits.map(({ match = 0 }) => match));
}

function readWorld({ name, now, sessions, questions, unanswerable }: World): Haystack {
  const asked = (text: string, group: string, goldTurns: readonly string[]): Question => {
    return { text, group, now: new Date(now), goldTurns, goldSessions: [] };
  };
  return {
    name,
    sessions: sessions.map((session, number) => ({
      name: String(number),
      turns: newMemoriesOf(session).map((memory) => ({ name: memory.id!, memory })),
    })),
    questions: [
      ...questions.map(({ question, kind, answers }) => asked(question, kind, answers)),
      ...unanswerable.map((question) => asked(question, UNANSWERABLE, [])),
    ],
  };
}
