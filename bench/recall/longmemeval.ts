import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { MemoryManager } from 'longhand';
import { allAt, type Found, hitRate, mean, round } from './measures.ts';

/** LongMemEval-S, session by session: every question has its own haystack, and asks at its own date. */

interface Question {
  readonly question_id: string;
  readonly question_type: string;
  readonly question: string;
  readonly question_date: string;
  readonly answer_session_ids: readonly string[];
  readonly haystack_dates: readonly string[];
  readonly haystack_session_ids: readonly string[];
  readonly haystack_sessions: readonly (readonly { readonly role: string; readonly content: string }[])[];
}

export interface SessionResult extends Found {
  readonly question_id: string;
  readonly question_type: string;
  readonly question: string;
}

function parseDate(text: string): Date {
  const [, year, month, day, hour, minute] = /(\d+)\/(\d+)\/(\d+) \(\w+\) (\d+):(\d+)/
    .exec(text)!
    .map(Number);
  return new Date(Date.UTC(year!, month! - 1, day!, hour!, minute!));
}

export async function measureLongMemEval(
  file: string,
  openManager: () => MemoryManager,
): Promise<{ results: SessionResult[]; summary: Record<string, number> }> {
  const lines = gunzipSync(readFileSync(file)).toString('utf8').trim().split('\n');
  const results: SessionResult[] = [];
  for (const line of lines) {
    const question = JSON.parse(line) as Question;
    const manager = openManager();
    const nameOf = new Map<string, string>();
    for (const [i, turns] of question.haystack_sessions.entries()) {
      const { id } = await manager.createSession('user');
      nameOf.set(id, question.haystack_session_ids[i]!);
      const timestamp = parseDate(question.haystack_dates[i]!);
      await manager.addMemories(
        id,
        turns.map(({ role, content }) => ({
          type: 'conversation',
          timestamp,
          content: { role, message: content },
        })),
      );
    }
    const found = await manager.searchSessions('user', question.question, {
      limit: 10,
      now: parseDate(question.question_date),
    });
    await manager.close();
    const { question_id, question_type, answer_session_ids: gold } = question;
    const ranked = found.map(({ session_id }) => nameOf.get(session_id)!);
    results.push({ question_id, question_type, question: question.question, gold, ranked });
  }
  const any = (k: number): number => round(mean(results, (result) => hitRate(result, k)));
  const count = (share: number): number => Math.round((share * results.length) / 100);
  const all5 = round(mean(results, (result) => allAt(result, 5)));
  return {
    results,
    summary: {
      questions: results.length,
      'any@1': any(1),
      'any@5': any(5),
      'any@10': any(10),
      'all@5': all5,
      'any@1 count': count(any(1)),
      'any@5 count': count(any(5)),
      'all@5 count': count(all5),
    },
  };
}
