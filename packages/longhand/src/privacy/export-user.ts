import { parseName } from '../core/ids.ts';
import type { JsonObject } from '../core/records.ts';
import type { PrivacyLayers } from './privacy-layers.ts';

const EXPORT_VERSION = 1;

/**
 * Everything that is kept about a user, one JSON object a line, so that neither side needs to hold it whole:
 * sessions with their settings, memories, messages, summaries, details with their values in pieces of base64,
 * and notes with their versions. Journal and core belong to agents, and are not about one user.
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
    const { entries, damage } = await layers.maintenance.fold(session_id);
    for (const { entry } of entries) yield line('memory', entry);
    if (damage.length > 0) yield line('damage', { session_id, lines: damage.length });
    for (const message of await layers.transcripts.messages(session_id)) {
      yield line('message', { session_id, ...message });
    }
    const summary = await layers.summaries.current(session_id);
    if (summary !== undefined) yield line('summary', { session_id, ...summary });
    for await (const { detail, content } of layers.details.exportSession(session_id)) {
      yield line('detail', detail);
      for await (const chunk of content) {
        yield line('detail_content', {
          memory_key: detail.memory_key,
          base64: Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString('base64'),
        });
      }
    }
  }
  for (const notes of await layers.notes.export(userId)) yield line('notes', { user_id: userId, ...notes });
}
