import { NotFoundError, ValidationError } from '../core/errors.ts';
import { parseMemoryId, parseSessionId } from '../core/ids.ts';
import { readLog } from '../core/read-log.ts';
import { isMemoryEntry, type MemoryEntry } from '../core/records.ts';
import type { DecideRewrite, LogSlice } from '../core/store.ts';
import { foldSession } from '../layers/memories/session-fold.ts';
import { addressOf } from '../layers/memories/sessions.ts';
import { REDACTED, TextRedaction } from '../layers/redacted.ts';
import type { SessionRef } from '../layers/session-ref.ts';
import { damagedLines } from '../layers/unreadable-lines.ts';
import { choiceOfPiece } from './choice.ts';
import type { PrivacyLayers } from './privacy-layers.ts';
import { planSessions, type SessionErasure } from './session-plan.ts';

/** Takes a text out of one piece, and leaves the rest of it. */
export type RedactionRequest =
  | { readonly session: string; readonly memory: string; readonly text: string }
  | { readonly session: string; readonly message: string; readonly text: string }
  /** Notes of an agent on a user. */
  | { readonly user: string; readonly agent: string; readonly text: string }
  /** A detail, by its key. */
  | { readonly user: string; readonly detail: string; readonly text: string }
  /** A journal or core memory. */
  | { readonly agent: string; readonly memory: string; readonly text: string };

const SHAPES = 'session memory text/session message text/user agent text/user detail text/agent memory text'
  .split('/')
  .map((shape) => shape.split(' '));

/** Exactly one of the shapes: the one whose scope was checked. @throws ValidationError INVALID_OPTION */
export function checkRedaction(request: RedactionRequest): void {
  const given = Object.entries(request).filter(([, value]) => value !== undefined);
  const isShape = SHAPES.some(
    (shape) => shape.length === given.length && given.every(([name]) => shape.includes(name)),
  );
  if (isShape && given.every(([, value]) => typeof value === 'string')) {
    if (request.text !== '') return;
    throw new ValidationError('INVALID_OPTION', 'Say which text to redact.');
  }
  const shapes = SHAPES.map((shape) => shape.join(', ')).join('; or ');
  throw new ValidationError('INVALID_OPTION', `To redact, give texts for ${shapes}; and nothing else.`);
}

/**
 * Replaces every occurrence of a text, in every file that holds the piece. What was taken from the same message says
 * the same, and is redacted with it. How many occurrences there were.
 * @param request a checked one
 * @param incarnation that the session must be in which the request names; any when left out
 * @throws NotFoundError when there is no such piece
 */
export async function redact(
  layers: PrivacyLayers,
  request: RedactionRequest,
  incarnation?: string,
): Promise<number> {
  const { text } = request;
  if ('session' in request) {
    const session = { id: parseSessionId(request.session), incarnation };
    return 'memory' in request
      ? redactPiece(layers, session, 'memory', parseMemoryId(request.memory), text)
      : redactPiece(layers, session, 'message', request.message, text);
  }
  if ('detail' in request) return layers.details.redact(request.user, request.detail, text);
  if ('memory' in request) return layers.journal.redact(request.agent, request.memory, text);
  return layers.notes.redact(request.user, request.agent, (line) => line.replaceAll(text, REDACTED));
}

async function redactPiece(
  layers: PrivacyLayers,
  { id: sessionId, incarnation }: { readonly id: string; readonly incarnation: string | undefined },
  kind: 'memory' | 'message',
  id: string,
  text: string,
): Promise<number> {
  const { user_id: userId } = (await layers.sessions.current(sessionId)).session;
  const reach = await layers.context.store.list('session', userId);
  const choice = choiceOfPiece(kind, id);
  const scope = { scope: [sessionId], reach, choice, userId, incarnation };
  const { sessions, journals } = await planSessions(layers, scope);
  const isThere = (planned: SessionErasure): boolean =>
    planned.sessionId === sessionId &&
    planned.pieces[kind === 'memory' ? 'memories' : 'transcript'].includes(id);
  if (!sessions.some(isThere)) throw new NotFoundError('MEMORY_NOT_FOUND', `There is no ${kind} ${id}.`);
  let count = 0;
  for (const { agentId, ids } of journals)
    for (const memory of ids) {
      if ((await layers.journal.find(agentId, memory)) !== undefined)
        count += await layers.journal.redact(agentId, memory, text);
      // Deleted, and not yet out of the log.
      else await layers.journal.forget(agentId, [memory]);
    }
  for (const planned of sessions) {
    const { memories, transcript, details } = planned.pieces;
    let inLog = 0;
    for (const memory of memories) inLog += await redactMemory(layers, planned, memory, text);
    if (memories.length > 0) await bringAlong(layers, planned, userId, inLog > 0);
    count += inLog;
    for (const key of details) count += await layers.details.redact(userId, key, text);
    for (const message of transcript) count += await redactMessage(layers, planned, message, text);
  }
  return count;
}

/** In every line of its id: what it said before it was corrected, too. */
async function redactMemory(
  { context, maintenance }: PrivacyLayers,
  { sessionId, incarnation }: SessionRef,
  id: string,
  text: string,
): Promise<number> {
  const { store, schema } = context;
  const redactedIn = (slice: LogSlice) =>
    foldSession(sessionId, slice, schema).records.flatMap(({ record, line }) =>
      isMemoryEntry(record) && record.id === id ? [{ line, ...redactEntry(record, text) }] : [],
    );
  const before = redactedIn(await readLog(store, addressOf(sessionId)));
  // Nothing is rewritten for nothing.
  if (before.length > 0 && before.every(({ count }) => count === 0)) return 0;
  // What was deleted goes first: a rewrite of what is left must not keep a copy of it.
  await maintenance.erase({ sessionId, incarnation });
  // A memory that was corrected says most of it again: the line that says it most often counts.
  let count = Math.max(0, ...before.map((each) => each.count));
  const decide: DecideRewrite = (slice) => {
    const found = redactedIn(slice).filter((each) => each.count > 0);
    const bodies = new Map(found.map(({ line, entry }) => [line, JSON.stringify(entry)]));
    count = Math.max(count, ...found.map((each) => each.count));
    const keep = slice.lines.map((line) => {
      const body = bodies.get(line);
      return body === undefined ? { line } : { line, body };
    });
    const quarantine = damagedLines(slice.damage).filter((line) => !line.text.includes(text));
    return { keep, append: [], quarantine, dryRun: found.length === 0 };
  };
  await store.rewrite(addressOf({ sessionId, incarnation }), decide);
  return count;
}

/** Updates what is made from a session's log. Also when nothing went: an earlier process may have been killed here. */
async function bringAlong(
  { context, sessions, maintenance, search }: PrivacyLayers,
  { sessionId, incarnation }: SessionRef,
  userId: string,
  isChanged: boolean,
): Promise<void> {
  if (!isChanged) return maintenance.catchUp(sessionId);
  sessions.forget(sessionId);
  await context.store.append(addressOf({ sessionId, incarnation }, userId), []);
  await (await search.load()).purge(userId);
  await maintenance.rebuildIndex(sessionId);
}

function redactEntry(entry: MemoryEntry, text: string) {
  const redaction = new TextRedaction(text);
  const content = redaction.inObject(entry.content);
  // A tag has no room for a mark, and is matched without case.
  const tags = entry.tags.filter((tag) => !tag.toLowerCase().includes(text.toLowerCase()));
  return { entry: { ...entry, content, tags }, count: redaction.count + entry.tags.length - tags.length };
}

async function redactMessage(
  { transcripts, summaries, windows, maintenance }: PrivacyLayers,
  { sessionId, incarnation }: SessionRef,
  messageId: string,
  text: string,
): Promise<number> {
  // What a summary has of a message that is its id alone is unknown: it can be forgotten, not redacted.
  const archived = await transcripts.redactText({ sessionId, incarnation }, messageId, text);
  const copies = (await windows.read(sessionId)).filter(({ id }) => id === messageId);
  const count = Math.max(archived, ...copies.map(({ content }) => content.split(text).length - 1));
  if (count > 0) {
    await windows.drop({ sessionId, incarnation });
    await summaries.recompute(sessionId);
    await maintenance.rebuildIndex(sessionId);
  }
  return count;
}
