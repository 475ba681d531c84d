import type { MemoryType, NewMemory } from 'longhand';

/**
 * The form of the project's own questions. A world is the store of one user: sessions with their memories, a fixed
 * moment of asking, questions with the memory that has to come first, and questions that the store cannot answer.
 *
 * The questions were written before any ranking was measured on them. A question that the ranking misses stays as it
 * is: changing it to fit would make the set worthless.
 */

export const QUESTION_KINDS = [
  'typos',
  'forms',
  'times',
  'plans',
  'names',
  'numbers',
  'identifiers',
  'choices',
  'facts',
] as const;
export type QuestionKind = (typeof QUESTION_KINDS)[number];

export interface WorldMemory {
  readonly id: string;
  readonly type: MemoryType;
  readonly text: string;
  /** A person with a name, in a conversation of people. */
  readonly speaker?: string;
  /** In a conversation with an assistant. */
  readonly role?: 'user' | 'assistant';
}

export interface WorldSession {
  /** ISO 8601. The first memory has this time, each further one is a minute younger. */
  readonly at: string;
  readonly memories: readonly WorldMemory[];
}

export interface WorldQuestion {
  readonly kind: QuestionKind;
  readonly question: string;
  /** The memories that answer it. One of them has to come first. */
  readonly answers: readonly string[];
}

export interface World {
  readonly name: string;
  /** ISO 8601: the moment of asking. */
  readonly now: string;
  readonly sessions: readonly WorldSession[];
  readonly questions: readonly WorldQuestion[];
  /** Questions about things that no memory of this world tells. */
  readonly unanswerable: readonly string[];
}

const MINUTE_MS = 60_000;

/** A memory without a speaker: what an assistant notes about its user. */
export const note = (id: string, type: MemoryType, text: string): WorldMemory => ({ id, type, text });

/** A turn of a conversation between people. */
export const said = (id: string, speaker: string, text: string): WorldMemory => ({
  id,
  type: 'conversation',
  text,
  speaker,
});

/** A message of the user or of the assistant. */
export const wrote = (id: string, role: 'user' | 'assistant', text: string): WorldMemory => ({
  id,
  type: 'conversation',
  text,
  role,
});

export const session = (at: string, ...memories: WorldMemory[]): WorldSession => ({ at, memories });

export const ask = (kind: QuestionKind, question: string, ...answers: string[]): WorldQuestion => ({
  kind,
  question,
  answers,
});

/** The memories of a session as they are handed to `addMemories`. */
export function newMemoriesOf({ at, memories }: WorldSession): NewMemory[] {
  return memories.map(({ id, type, text, speaker, role }, number) => ({
    id,
    type,
    timestamp: new Date(Date.parse(at) + number * MINUTE_MS),
    content: {
      ...(speaker === undefined ? {} : { speaker }),
      ...(role === undefined ? {} : { role }),
      message: text,
    },
  }));
}
