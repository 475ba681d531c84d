import { ValidationError } from '../core/errors.ts';
import type { MemoryChanges } from '../core/memory-changes.ts';
import type { FoundMemory } from '../core/query.ts';
import type { MemoryEntry, NewMemory } from '../core/records.ts';
import type { Details } from '../layers/details/index.ts';
import type { Agents, Journal } from '../layers/journal/index.ts';
import type { NotesLayer } from '../layers/notes/index.ts';
import type { Remembered } from '../layers/users/remember.ts';
import type { UserQuery } from '../layers/users/user-memories.ts';
import type { GoingTexts } from './going-texts.ts';
import type { NotesShown } from './notes-shown.ts';

/**
 * Whom a tool works for, and with what. A tool never chooses a user, an agent or a session by itself: what the
 * scope does not name, it cannot reach.
 */
export interface ToolScope {
  readonly userId?: string | undefined;
  readonly agentId?: string | undefined;
  /** Where new memories and details go. */
  readonly sessionId?: string | undefined;
  /** The message that is being answered: what is kept now was taken from it, and goes when it is forgotten. */
  readonly messageId?: string | undefined;
  /** Where the user's days begin and end, for `yesterday` in what is searched for; that of the store when left out. */
  readonly timeZone?: string | undefined;
  readonly layers: ToolLayers;
}

export interface ToolLayers {
  readonly agents: Pick<Agents, 'ensure'>;
  readonly journal: Pick<Journal, 'save' | 'find' | 'edit'>;
  readonly notes: Pick<NotesLayer, 'read' | 'apply'>;
  /** What each conversation was last shown of its notes. */
  readonly notesShown: NotesShown;
  readonly details: Pick<Details, 'keep' | 'retrieve' | 'page' | 'list' | 'isLarge'>;
  /** What one answer should hold of a large value, so that a prompt has room for it. */
  readonly pageBytes: number;
  readonly memories: UserMemories;
  /** Takes what is named, or what holds a text, out of every file, for good. What went, and why. */
  forget(
    whose: { readonly userId: string; readonly agentId: string | undefined },
    what: { readonly keys?: readonly string[]; readonly text?: string },
    options: { readonly dryRun: boolean },
  ): Promise<ForgetReport>;
}

/** The memories of all sessions of a user. Ids and sessions of others are not found. */
export interface UserMemories {
  /** Goes on in a new session of the same user when this one is full. */
  add(userId: string, sessionId: string, memory: NewMemory): Promise<{ id: string; session_id: string }>;
  /** The same, unless the user has it already: then that one is confirmed. Close memories come with it. */
  remember(
    owner: { readonly user_id: string },
    memory: NewMemory,
    options: { readonly sessionId: string },
  ): Promise<Remembered>;
  get(userId: string, memoryId: string): Promise<MemoryEntry | undefined>;
  update(userId: string, memory: MemoryEntry, changes: MemoryChanges): Promise<MemoryEntry>;
  search(userId: string, query: UserQuery): Promise<FoundMemories>;
}

export interface FoundMemories {
  readonly memories: readonly FoundMemory[];
  readonly nextCursor?: string;
  /** The strength that match qualities are relative to. */
  readonly strongest?: number;
  /** With an embedder: whether the meaning of the text had a say. */
  readonly semantic?: { readonly used: boolean; readonly reason?: string };
}

export interface ForgetReport extends GoingTexts {
  readonly pieces: number;
  readonly receipt_id: string | null;
}

/** @throws ValidationError SCOPE_MISSING */
export function requireUser(scope: ToolScope): string {
  return scope.userId ?? missing('a user');
}

/** @throws ValidationError SCOPE_MISSING */
export function requireSession(scope: ToolScope): string {
  return scope.sessionId ?? missing('a session');
}

/** @throws ValidationError SCOPE_MISSING */
export function requireAgent(scope: ToolScope): string {
  return scope.agentId ?? missing('an agent');
}

function missing(what: string): never {
  throw new ValidationError('SCOPE_MISSING', `This tool needs ${what}, and was called without one.`);
}
