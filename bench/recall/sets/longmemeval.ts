import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { Haystack } from '../haystack.ts';
import { answeredIn, countsOf, figuresOf, type RecallSet } from '../recall-set.ts';

/**
 * LongMemEval-S: every question has its own haystack, and asks at its own date. Turns and sessions are asked for in
 * the same store. Gold are the turns with `has_answer` (a few questions have none) and the sessions that are named.
 */

interface Line {
  readonly question_id: string;
  readonly question_type: string;
  readonly question: string;
  readonly question_date: string;
  readonly answer_session_ids: readonly string[];
  readonly haystack_dates: readonly string[];
  readonly haystack_session_ids: readonly string[];
  readonly haystack_sessions: readonly (readonly LineTurn[])[];
}
interface LineTurn {
  readonly role: string;
  readonly content: string;
  readonly has_answer?: boolean;
}

export function longMemEvalSet(file: string): RecallSet {
  return {
    name: 'longmemeval',
    haystacks: () => readLongMemEval(file),
    views: ['turns', 'sessions'],
    needsMatch: false,
    missedAfter: 5,
    figures: (answers) => {
      const turns = answeredIn(answers, 'turns');
      const sessions = answeredIn(answers, 'sessions');
      return [
        ...figuresOf('LongMemEval-S turns', turns, ['R@5', 'R@10', 'hit@1']),
        ...figuresOf('LongMemEval-S sessions', sessions, ['any@5', 'any@1', 'all@5', 'any@10']),
        ...countsOf('LongMemEval-S sessions', sessions, ['any@5', 'any@1', 'all@5']),
      ];
    },
  };
}

function* readLongMemEval(file: string): Iterable<Haystack> {
  const lines = gunzipSync(readFileSync(file)).toString('utf8').trim().split('\n');
  for (const line of lines) yield haystackOf(JSON.parse(line) as Line);
}

function haystackOf(line: Line): Haystack {
  const goldTurns: string[] = [];
  const sessions = line.haystack_sessions.map((turns, number) => {
    const timestamp = parseDate(line.haystack_dates[number]!);
    return {
      name: line.haystack_session_ids[number]!,
      turns: turns.map(({ role, content, has_answer = false }, position) => {
        const name = `${number}:${position}`;
        if (has_answer) goldTurns.push(name);
        return {
          name,
          memory: { type: 'conversation' as const, timestamp, content: { role, message: content } },
        };
      }),
    };
  });
  const question = {
    text: line.question,
    group: line.question_type,
    now: parseDate(line.question_date),
    goldTurns,
    goldSessions: line.answer_session_ids,
  };
  return { name: line.question_id, sessions, questions: [question] };
}

function parseDate(text: string): Date {
  const [, year, month, day, hour, minute] = /(\d+)\/(\d+)\/(\d+) \(\w+\) (\d+):(\d+)/
    .exec(text)!
    .map(Number);
  return new Date(Date.UTC(year!, month! - 1, day!, hour!, minute!));
}
