import { backgroundMemories } from '../../../packages/longhand/test/questions/background.ts';
import {
  factMemories,
  PARAPHRASES,
  PARAPHRASES_ASKED_MS,
} from '../../../packages/longhand/test/questions/paraphrases.ts';
import type { Haystack } from '../haystack.ts';
import { answeredIn, figuresOf, type RecallSet } from '../recall-set.ts';

/** The project's own: a hundred facts asked for in other words, among 500 other memories. */
export const paraphrasesSet: RecallSet = {
  name: 'paraphrases',
  haystacks: () => [readParaphrases()],
  views: ['turns'],
  needsMatch: false,
  missedAfter: 5,
  figures: (answers) => figuresOf('Paraphrases', answeredIn(answers, 'turns'), ['hit@1', 'hit@5']),
};

function readParaphrases(): Haystack {
  // One session for each memory: neighbours in a session would be taken for parts of one conversation.
  const memories = [...factMemories(), ...backgroundMemories(PARAPHRASES_ASKED_MS)];
  return {
    name: 'paraphrases',
    sessions: memories.map((memory) => ({
      name: memory.id!,
      turns: [{ name: memory.id!, memory }],
    })),
    questions: PARAPHRASES.map(({ id, type, question }) => ({
      text: question,
      group: type,
      now: new Date(PARAPHRASES_ASKED_MS),
      goldTurns: [id],
      goldSessions: [],
    })),
  };
}
