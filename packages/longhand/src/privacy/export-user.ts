import { CorruptionError, ValidationError } from '../core/errors.ts';
import { parseName } from '../core/ids.ts';
import type { JsonObject } from '../core/records.ts';
import { unreadableSessions } from '../layers/memories/unreadable-sessions.ts';
import type { PrivacyLayers } from './privacy-layers.ts';

const EXPORT_VERSION = 1;

/**
 * Everything that is kept about a user, one JSON object a line, so that neither side needs to hold it whole:
 * sessions with their settings, memories, messages, summaries, details with their values in pieces of base64,
 * and notes with their versions. Journal and core belong to agents, and are not about one user. What cannot be read is
 * told in a line of the kind `damage`, and keeps nothing else back.
 */
export async function* exportUser(layers: PrivacyLayers, user: string): AsyncGenerator<string, void> {
  const userId = parseName(user, 'user id');
  const { clock } = layers.workshop;
  const line = (kind: string, fields: object): string =>
    `${JSON.stringify({ kind, ...fields } as unknown as JsonObject)}\n`;
  yield line('export', {
    version: EXPORT_VERSION,
    user_id: userId,
    exported_at: new Date(clock.now()).toISOString(),
  });
  for (const session of await layers.sessions.list(userId)) {
    const session_id = session.id;
    yield line('session', session);
    // By now it may be another's: then what it holds is nothing of this user.
    const { fold, messages, summary } = await layers.sessions.readAs(
      session_id,
      { user_id: userId },
      async () => ({
        fold: await layers.maintenance.fold(session_id),
        messages: await layers.transcripts.messages(session_id),
        summary: await layers.summaries.current(session_id),
      }),
    );
    const { entries, damage } = fold;
    for (const { entry } of entries) yield line('memory', entry);
    if (damage.length > 0) yield line('damage', { session_id, lines: damage.length });
    for (const message of messages) yield line('message', { session_id, ...message });
    if (summary !== undefined) yield line('summary', { session_id, ...summary });
    for await (const { detail, content } of layers.details.exportSession(session_id)) {
      yield line('detail', detail);
      const { memory_key } = detail;
      try {
        for await (const chunk of content) {
          const base64 = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString('base64');
          yield line('detail_content', { memory_key, base64 });
        }
      } catch (error) {
        // Lost, or not what was stored: what was given of it cannot be relied on, and the rest goes on.
        if (!(error instanceof CorruptionError)) throw error;
        yield line('damage', { session_id, memory_key });
      }
    }
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
  // In no list: an export must not look whole when it is not.
  for (const unreadable of await unreadableSessions(layers.workshop.store, layers.sessions, userId))
    yield line('damage', unreadable);
}
