import { CorruptionError, NotFoundError, ValidationError } from '../core/errors.ts';
import { parseName } from '../core/ids.ts';
import type { JsonObject } from '../core/records.ts';
import type { Detail } from '../layers/details/detail-records.ts';
import { replacedByDeleted } from '../layers/memories/replacements.ts';
import { isSessionGone } from '../layers/memories/session-owner.ts';
import { unreadableSessions } from '../layers/memories/unreadable-sessions.ts';
import type { PrivacyLayers } from './privacy-layers.ts';

const EXPORT_VERSION = 1;

/**
 * Everything that is kept about a user, one JSON object a line, so that neither side needs to hold it whole:
 * sessions with their settings, memories, messages, summaries, details with their values in pieces of base64,
 * notes with their versions, and what agents have saved in conversations with the user. What cannot be read is told in a
 * line of the kind `damage`, and keeps nothing else back. What others remove meanwhile is passed over.
 */
export async function* exportUser(layers: PrivacyLayers, user: string): AsyncGenerator<string, void> {
  const userId = parseName(user, 'user id');
  const { clock } = layers.context;
  yield line('export', {
    version: EXPORT_VERSION,
    user_id: userId,
    exported_at: new Date(clock.now()).toISOString(),
  });
  await layers.context.store.folder?.adoptSessions(userId);
  for (const session of await layers.sessions.list(userId)) {
    const session_id = session.id;
    const held = await readSession(layers, userId, session_id);
    if (held === undefined) continue;
    const { fold, messages, summary, details } = held;
    const { entries, damage } = fold;
    yield line('session', session);
    for (const { entry } of entries) yield line('memory', entry);
    const memories = replacedByDeleted(fold);
    if (Object.keys(memories).length > 0) yield line('replaced', { session_id, memories });
    if (damage.length > 0) yield line('damage', { session_id, lines: damage.length });
    for (const message of messages) yield line('message', { session_id, ...message });
    if (summary !== undefined) yield line('summary', { session_id, ...summary });
    for (const detail of details.toReversed()) yield* linesOfDetail(layers, userId, detail);
  }
  for (const agent_id of await layers.notes.list(userId)) {
    try {
      yield line('notes', { user_id: userId, ...(await layers.notes.exportOf(userId, agent_id)) });
    } catch (error) {
      // A person has saved what no notes can be.
      if (!(error instanceof ValidationError)) throw error;
      yield line('damage', { user_id: userId, agent_id });
    }
  }
  for (const agentId of await layers.context.store.list('agent')) {
    const saved = await layers.journal.export(agentId, userId).catch(() => []);
    for (const memory of saved) yield line('agent_memory', memory);
  }
  // In no list: an export must not look whole when it is not.
  for (const unreadable of await unreadableSessions(layers.context.store, layers.sessions, userId))
    yield line('damage', unreadable);
}

function line(kind: string, fields: object): string {
  return `${JSON.stringify({ kind, ...fields } as unknown as JsonObject)}\n`;
}

/** `undefined` when it is gone by now, or another's: then what it holds is nothing of this user. */
async function readSession(layers: PrivacyLayers, userId: string, sessionId: string) {
  const { sessions, maintenance, transcripts, summaries, details } = layers;
  try {
    return await sessions.readAs(sessionId, { user_id: userId }, async () => ({
      fold: await maintenance.fold(sessionId),
      messages: await transcripts.messages(sessionId),
      summary: await summaries.current(sessionId),
      details: await details.list(userId, { sessionId }),
    }));
  } catch (error) {
    if (isSessionGone(error)) return undefined;
    throw error;
  }
}

async function* linesOfDetail(
  layers: PrivacyLayers,
  userId: string,
  detail: Detail,
): AsyncGenerator<string, void> {
  const { session_id, memory_key } = detail;
  let isBegun = false;
  try {
    for await (const chunk of layers.details.stream(userId, memory_key)) {
      if (!isBegun) yield line('detail', detail);
      isBegun = true;
      const base64 = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString('base64');
      yield line('detail_content', { memory_key, base64 });
    }
    if (!isBegun) yield line('detail', detail);
  } catch (error) {
    if (error instanceof NotFoundError) return;
    // Lost, or not what was stored: what was given of it cannot be relied on, and the rest goes on.
    if (!(error instanceof CorruptionError)) throw error;
    if (!isBegun) yield line('detail', detail);
    yield line('damage', { session_id, memory_key });
  }
}
