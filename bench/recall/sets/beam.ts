import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { Haystack } from '../haystack.ts';
import { answeredIn, figuresByGroup, figuresOf, type RecallSet } from '../recall-set.ts';

/** BEAM 100K, flattened: long chats with an assistant, asked a day after the last session. */

interface Chat {
  readonly n: number;
  readonly sessions: readonly {
    readonly ms: number;
    readonly turns: readonly { readonly id: number; readonly role: string; readonly content: string }[];
  }[];
  readonly questions: readonly {
    readonly type: string;
    readonly question: string;
    readonly gold: readonly number[];
  }[];
}

const DAY_MS = 86_400_000;

export function beamSet(file: string): RecallSet {
  return {
    name: 'beam',
    haystacks: () => readBeam(file),
    views: ['turns'],
    needsMatch: false,
    missedAfter: 10,
    figures: (answers) => {
      const turns = answeredIn(answers, 'turns');
      return [
        ...figuresOf('BEAM turns', turns, ['R@10', 'hit@1', 'hit@5']),
        ...figuresByGroup('BEAM turns', turns, 'hit@5'),
      ];
    },
  };
}

function readBeam(file: string): Haystack[] {
  const chats = JSON.parse(gunzipSync(readFileSync(file)).toString('utf8')) as Chat[];
  return chats.map(({ n, sessions, questions }) => {
    const now = new Date(Math.max(...sessions.map(({ ms }) => ms)) + DAY_MS);
    return {
      name: String(n),
      sessions: sessions.map(({ ms, turns }, number) => ({
        name: String(number),
        turns: turns.map(({ id, role, content }) => ({
          name: String(id),
          memory: { type: 'conversation', timestamp: new Date(ms), content: { role, message: content } },
        })),
      })),
      questions: questions
        .filter(({ gold }) => gold.length > 0)
        .map(({ type, question, gold }) => ({
          text: question,
          group: type,
          now,
          goldTurns: gold.map(String),
          goldSessions: [],
        })),
    };
  });
}
