import type { TimeRange } from '../core/day-range.ts';
import { ValidationError } from '../core/errors.ts';
import { parseName, parseSessionId } from '../core/ids.ts';
import { parseTag } from '../core/new-memory.ts';
import { parseTimeZone } from '../core/time-zone.ts';
import { momentsOf } from '../layers/whole-days.ts';

/**
 * What to forget. A scope (`user`, `session` or `agent`) says whose; `ids`, `text`, `topic` or `timeRange` narrows it to
 * some of it. A scope alone means everything in it.
 */
export interface ForgetRequest {
  readonly user?: string;
  readonly session?: string;
  readonly agent?: string;
  /**
   * Memories, archived messages and details of a user or a session, by their ids and keys; of an agent, its journal and
   * core memories.
   */
  readonly ids?: readonly string[];
  /**
   * Everything that holds these words, whole and in any case: memories, messages and details of a user or a session; of a user
   * also lines of notes, and journal and core memories that belong to the user, of one agent when `agent` names it too.
   */
  readonly text?: string;
  /** With a text: `false` leaves messages alone, among them the one that asks for the forgetting. Default true. */
  readonly messages?: boolean;
  /** Memories with this tag or one under it. Needs a user or a session. */
  readonly topic?: string;
  /** Whatever was said or kept in it, both ends included; days without a time are whole. Needs a user or a session. */
  readonly timeRange?: TimeRange;
  /** Where the days of `timeRange` begin and end: an IANA name, `UTC` or `system`. The setting `time_zone` when left out. */
  readonly timeZone?: string;
}

/** What of a user to forget: an id, several, a selection, or everything there is. */
export type ForgetWhat =
  | string
  | readonly string[]
  | Pick<ForgetRequest, 'ids' | 'text' | 'topic' | 'timeRange' | 'timeZone'>
  | { readonly everything: true };

/** @throws ValidationError INVALID_OPTION unless it says what: nothing is forgotten by leaving something out */
export function forgetRequestOf(user: string, what: ForgetWhat): ForgetRequest {
  if (typeof what === 'string' || Array.isArray(what)) return { user, ids: [what].flat() };
  const { everything, ...selection } = (what ?? {}) as ForgetRequest & { readonly everything?: unknown };
  const { ids, text, topic, timeRange } = selection;
  const isSelected = (ids ?? text ?? topic ?? timeRange) !== undefined;
  if (everything === undefined ? isSelected : everything === true && !isSelected)
    return { ...selection, user };
  throw option('Say what to forget: ids, a text, a topic or a timeRange; or everything: true');
}

export type CheckedRequest = {
  readonly what: Selection;
  /** What is newer than this is not meant: for what was forgotten once and has come back from a copy. */
  readonly beforeMs?: number;
} & Subject;

export type Subject =
  | { readonly scope: 'user'; readonly userId: string }
  | { readonly scope: 'session'; readonly sessionId: string }
  | { readonly scope: 'agent'; readonly agentId: string };

export type Selection =
  | { readonly by: 'everything' }
  | ({ readonly by: 'ids'; readonly ids: ReadonlySet<string> } & Partial<HeldPieces>)
  | { readonly by: 'topic'; readonly tag: string }
  | { readonly by: 'time'; readonly startMs: number; readonly endMs: number };

/** Beside memories and details, what holds a text that is to be forgotten. */
export interface HeldPieces {
  readonly ids: ReadonlySet<string>;
  /** Ids of journal and core memories, by agent. */
  readonly ofAgents: ReadonlyMap<string, readonly string[]>;
  /** Lines of notes, by agent. */
  readonly noteLines: ReadonlyMap<string, ReadonlySet<string>>;
}

const FIELDS = ['user', 'session', 'agent', 'ids', 'text', 'messages', 'topic', 'timeRange', 'timeZone'];

/**
 * @param defaultZone where days begin and end when the request does not say
 * @throws ValidationError INVALID_OPTION, SCOPE_MISSING, INVALID_ID, INVALID_NAME, INVALID_TAG, INVALID_TIMESTAMP
 */
export function parseForgetRequest(request: ForgetRequest, defaultZone: string): CheckedRequest {
  const unknown = Object.keys(request).find((key) => !FIELDS.includes(key));
  if (unknown !== undefined) {
    throw option(
      `There is no ${JSON.stringify(unknown)} in a request to forget; there are: ${FIELDS.join(', ')}`,
    );
  }
  const { user, session, text } = request;
  const agent = text !== undefined && user !== undefined ? undefined : request.agent;
  const scopes = [user, session, agent].filter((scope) => scope !== undefined);
  if (scopes.length === 0) {
    throw new ValidationError(
      'SCOPE_MISSING',
      'Say whose: a user, a session or an agent. Nothing was forgotten.',
    );
  }
  if (scopes.length > 1) throw option('Name one scope: a user, a session or an agent');
  const zone = parseTimeZone(request.timeZone ?? defaultZone, 'timeZone', 'INVALID_OPTION');
  const what = parseSelection(request, zone);
  if (user !== undefined) return { scope: 'user', userId: parseName(user, 'user id'), what };
  if (session !== undefined) return { scope: 'session', sessionId: parseSessionId(session), what };
  if (text !== undefined || (what.by !== 'everything' && what.by !== 'ids'))
    throw option('An agent is forgotten as a whole, or its journal and core by ids');
  return { scope: 'agent', agentId: parseName(agent!, 'agent id'), what };
}

function parseSelection({ ids, text, topic, timeRange }: ForgetRequest, zone: string): Selection {
  const given = [ids, text, topic, timeRange].filter((selection) => selection !== undefined);
  if (given.length > 1) throw option('Select by ids, text, topic or time range, not by several of them');
  // What holds it is looked for when the request is carried out.
  if (text !== undefined) return { by: 'ids', ids: new Set() };
  if (ids !== undefined) {
    if (!Array.isArray(ids) || ids.length === 0 || !ids.every((id) => typeof id === 'string')) {
      throw option('ids must be a list of at least one id');
    }
    return { by: 'ids', ids: new Set(ids) };
  }
  if (topic !== undefined) return { by: 'topic', tag: parseTag(topic) };
  if (timeRange === undefined) return { by: 'everything' };
  if (typeof timeRange !== 'object' || timeRange === null)
    throw option('timeRange must have a start and an end');
  return { by: 'time', ...momentsOf(timeRange, zone, 'timeRange') };
}

function option(reason: string): ValidationError {
  return new ValidationError('INVALID_OPTION', `${reason}.`);
}
