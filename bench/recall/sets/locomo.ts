import { readFileSync } from 'node:fs';
import type { Haystack, HaystackSession, Question } from '../haystack.ts';
import { answeredIn, figuresOf, type RecallSet } from '../recall-set.ts';

/**
 * LoCoMo, turn by turn: each turn is one memory, each of its sessions one session, all of one user. The
 * question is the query, asked a day after the last session; gold are the turns that its evidence names.
 */

interface Conversation {
  readonly sample_id: string;
  readonly conversation: Readonly<Record<string, unknown>>;
  readonly qa: readonly {
    readonly question: string;
    readonly evidence?: readonly string[];
    readonly category: number;
  }[];
}
interface LocomoTurn {
  readonly dia_id: string;
  readonly speaker: string;
  readonly text: string;
  readonly blip_caption?: string;
}

const MONTHS = 'january february march april may june july august september october november december'.split(
  ' ',
);
const DAY_MS = 86_400_000;
/** Questions that the conversation does not answer. */
const ADVERSARIAL = 5;
const MEASURES = ['R@1', 'R@5', 'R@10', 'R@20', 'hit@10', 'NDCG@10'];

export function locomoSet(file: string): RecallSet {
  return {
    name: 'locomo',
    haystacks: () => readLocomo(file),
    views: ['turns', 'turns by match'],
    needsMatch: false,
    missedAfter: 10,
    figures: (answers) => [
      ...figuresOf('LoCoMo turns', answeredIn(answers, 'turns'), MEASURES),
      ...figuresOf("LoCoMo turns, sortBy: 'match'", answeredIn(answers, 'turns by match'), [
        'R@10',
        'NDCG@10',
      ]),
    ],
  };
}

export function readLocomo(file: string): Haystack[] {
  const conversations = JSON.parse(readFileSync(file, 'utf8')) as Conversation[];
  return conversations.map(({ sample_id, conversation, qa }) => {
    const dated = readSessions(conversation);
    const names = new Set(dated.flatMap(({ session }) => session.turns.map(({ name }) => name)));
    const now = new Date(Math.max(...dated.map(({ ms }) => ms)) + DAY_MS);
    const questions = qa
      .filter(({ category }) => category !== ADVERSARIAL)
      .map(({ question, evidence, category }): Question => {
        const goldTurns = evidenceIds(evidence).filter((id) => names.has(id));
        return { text: question, group: String(category), now, goldTurns, goldSessions: [] };
      })
      .filter(({ goldTurns }) => goldTurns.length > 0);
    return { name: sample_id, sessions: dated.map(({ session }) => session), questions };
  });
}

function readSessions(
  conversation: Conversation['conversation'],
): { ms: number; session: HaystackSession }[] {
  const sessions: { ms: number; session: HaystackSession }[] = [];
  for (let number = 1; conversation[`session_${number}_date_time`] !== undefined; number++) {
    const turns = (conversation[`session_${number}`] ?? []) as readonly LocomoTurn[];
    if (turns.length === 0) continue;
    const ms = parseDate(conversation[`session_${number}_date_time`] as string);
    const timestamp = new Date(ms);
    sessions.push({
      ms,
      session: {
        name: String(number),
        turns: turns.map(({ dia_id, speaker, text, blip_caption }) => ({
          name: dia_id,
          memory: {
            type: 'conversation',
            timestamp,
            content: {
              speaker,
              message: text,
              ...(blip_caption === undefined ? {} : { caption: blip_caption }),
            },
          },
        })),
      },
    });
  }
  return sessions;
}

function parseDate(text: string): number {
  const [, hour, minute, half, day, month, year] = /(\d+):(\d+) (am|pm) on (\d+) (\w+), (\d+)/.exec(text)!;
  const hours = (Number(hour) % 12) + (half === 'pm' ? 12 : 0);
  return Date.UTC(Number(year), MONTHS.indexOf(month!.toLowerCase()), Number(day), hours, Number(minute));
}

/** `D8:6; D9:17`, `D30:05` and `D:11:26` occur, and mean what they look like. */
function evidenceIds(evidence: readonly string[] = []): string[] {
  const found = evidence.flatMap((text) => [...String(text).matchAll(/D:?(\d+):(\d+)/g)]);
  return [...new Set(found.map(([, session, turn]) => `D${Number(session)}:${Number(turn)}`))];
}
