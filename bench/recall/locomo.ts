import { readFileSync } from 'node:fs';
import type { MemoryManager } from 'longhand';
import { type Found, hitRate, mean, ndcg, recallAt, round } from './measures.ts';

/**
 * LoCoMo, turn by turn: each turn is one memory, each of its sessions one session, all of one user. The
 * question is the query, asked a day after the last session; gold are the turns that its evidence names.
 */

export interface Conversation {
  readonly sample_id: string;
  readonly conversation: Readonly<Record<string, unknown>>;
  readonly qa: readonly {
    readonly question: string;
    readonly evidence?: readonly string[];
    readonly category: number;
  }[];
}
export interface Turn {
  readonly dia_id: string;
  readonly speaker: string;
  readonly text: string;
  readonly blip_caption?: string;
}

export interface QuestionResult extends Found {
  readonly conversation: string;
  readonly question: string;
  readonly category: number;
}

const MONTHS = 'january february march april may june july august september october november december'.split(
  ' ',
);
export const DAY_MS = 86_400_000;
const DEEPEST = 20;

function parseDate(text: string): number {
  const [, hour, minute, half, day, month, year] = /(\d+):(\d+) (am|pm) on (\d+) (\w+), (\d+)/.exec(text)!;
  const hours = (Number(hour) % 12) + (half === 'pm' ? 12 : 0);
  return Date.UTC(Number(year), MONTHS.indexOf(month!.toLowerCase()), Number(day), hours, Number(minute));
}

/** `D8:6; D9:17`, `D30:05` and `D:11:26` occur, and mean what they look like. */
export function evidenceIds(evidence: readonly string[] = []): string[] {
  const found = evidence.flatMap((text) => [...String(text).matchAll(/D:?(\d+):(\d+)/g)]);
  return [...new Set(found.map(([, session, turn]) => `D${Number(session)}:${Number(turn)}`))];
}

export async function measureLocomo(
  file: string,
  openManager: () => MemoryManager,
  sortBy: 'relevance' | 'match',
): Promise<{ results: QuestionResult[]; summary: Record<string, number> }> {
  const conversations = JSON.parse(readFileSync(file, 'utf8')) as Conversation[];
  const results: QuestionResult[] = [];
  for (const { sample_id, conversation, qa } of conversations) {
    const manager = openManager();
    const { sessionId, turnOf, lastMs } = await store(manager, sample_id, conversation);
    for (const { question, evidence, category } of qa) {
      const gold = evidenceIds(evidence).filter((id) => [...turnOf.values()].includes(id));
      if (category === 5 || gold.length === 0) continue;
      const found = await manager.queryMemories(sessionId, {
        text: question,
        scope: 'user',
        sortBy,
        limit: DEEPEST,
        now: new Date(lastMs + DAY_MS),
      });
      const ranked = found.map(({ id }) => turnOf.get(id)!);
      results.push({ conversation: sample_id, question, category, gold, ranked });
    }
    await manager.close();
  }
  const at = (k: number): number => round(mean(results, (result) => recallAt(result, k)));
  return {
    results,
    summary: {
      questions: results.length,
      'R@1': at(1),
      'R@5': at(5),
      'R@10': at(10),
      'R@20': at(20),
      'hit@10': round(mean(results, (result) => hitRate(result, 10))),
      'NDCG@10': round(mean(results, (result) => ndcg(result, 10))),
    },
  };
}

/** All sessions of a conversation, as the sessions of one user; the id of the last, and which memory is which turn. */
export async function store(
  manager: MemoryManager,
  userId: string,
  conversation: Conversation['conversation'],
): Promise<{ sessionId: string; turnOf: Map<string, string>; lastMs: number }> {
  const turnOf = new Map<string, string>();
  let sessionId = '';
  let lastMs = 0;
  for (let number = 1; conversation[`session_${number}_date_time`] !== undefined; number++) {
    const turns = conversation[`session_${number}`] as readonly Turn[] | undefined;
    if (turns === undefined || turns.length === 0) continue;
    const timestampMs = parseDate(conversation[`session_${number}_date_time`] as string);
    lastMs = Math.max(lastMs, timestampMs);
    sessionId = (await manager.createSession(userId)).id;
    const ids = await manager.addMemories(
      sessionId,
      turns.map(({ speaker, text, blip_caption }) => ({
        type: 'conversation',
        timestamp: new Date(timestampMs),
        content: { speaker, message: text, ...(blip_caption === undefined ? {} : { caption: blip_caption }) },
      })),
    );
    for (const [i, id] of ids.entries()) turnOf.set(id, turns[i]!.dia_id);
  }
  return { sessionId, turnOf, lastMs };
}
