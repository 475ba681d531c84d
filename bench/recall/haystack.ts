import type { NewMemory } from 'longhand';

/** What one user said in some sessions, and what is asked of it: the form that all sets are brought into. */
export interface Haystack {
  readonly name: string;
  readonly sessions: readonly HaystackSession[];
  readonly questions: readonly Question[];
}

export interface HaystackSession {
  readonly name: string;
  readonly turns: readonly Turn[];
}

export interface Turn {
  /** Unique in the haystack. The memory gets an id of its own when it is stored. */
  readonly name: string;
  readonly memory: NewMemory;
}

export interface Question {
  readonly text: string;
  /** The kind, type or category of the question. */
  readonly group: string;
  readonly now: Date;
  /** Names of turns, for the views of turns. Empty for a question without an answer. */
  readonly goldTurns: readonly string[];
  /** Names of sessions, for the view of sessions. */
  readonly goldSessions: readonly string[];
}

/** What is ranked: turns, turns by `sortBy: 'match'`, or sessions. */
export type View = 'turns' | 'turns by match' | 'sessions';

export interface Hit {
  readonly name: string;
  /** How well the memory matches the question, 0 to 1, where the ranker says so. */
  readonly match?: number;
}

/** What a ranker found for a question, best first. */
export interface Answer {
  /** The name of the haystack. */
  readonly haystack: string;
  readonly view: View;
  readonly group: string;
  readonly question: string;
  readonly gold: readonly string[];
  readonly hits: readonly Hit[];
}

export function goldOf(question: Question, view: View): readonly string[] {
  return view === 'sessions' ? question.goldSessions : question.goldTurns;
}

/** All fields of a turn as one text, as a plain full-text index would hold it. */
export function textOf({ memory }: Turn): string {
  const { content } = memory;
  return typeof content === 'string' ? content : Object.values(content).map(String).join(' ');
}
