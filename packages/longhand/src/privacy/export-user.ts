import { parseName } from '../core/ids.ts';
import type { ExportLine, ExportScope } from '../layers/layer.ts';
import { unreadableSessions } from '../layers/memories/unreadable-sessions.ts';
import { isSessionGone } from '../layers/session-ref.ts';
import type { PrivacyLayers } from './privacy-layers.ts';

const EXPORT_VERSION = 1;

/**
 * Everything that the layers keep about a user, one JSON object a line, so that neither side needs to hold it whole:
 * sessions with their settings and what each layer holds of them, and then what the layers hold of the user outside
 * sessions. What cannot be read is reported in a line of the kind `damage`, and keeps nothing else back. What others remove
 * meanwhile is passed over.
 */
export async function* exportUser(layers: PrivacyLayers, user: string): AsyncGenerator<string, void> {
  const userId = parseName(user, 'user id');
  const { clock, store } = layers.context;
  const exported_at = new Date(clock.now()).toISOString();
  yield line({ kind: 'export', version: EXPORT_VERSION, user_id: userId, exported_at });
  await store.folder?.adoptSessions(userId);
  for (const session of await layers.sessions.list({ user_id: userId })) {
    const parts = await partsOf(layers, { userId, sessionId: session.id });
    if (parts === undefined) continue;
    yield line({ kind: 'session', ...session });
    for (const part of parts) for await (const each of part) yield line(each);
  }
  for (const layer of layers.all)
    for await (const each of (await layer.export?.({ userId })) ?? []) yield line(each);
  // In no list: an export must not look whole when it is not.
  for (const unreadable of await unreadableSessions(store, layers.sessions, userId))
    yield line({ kind: 'damage', ...unreadable });
}

function line(fields: ExportLine): string {
  return `${JSON.stringify(fields)}\n`;
}

/** `undefined` when the session is gone by now, or another user's: then what it holds is nothing of this user. */
async function partsOf({ sessions, all }: PrivacyLayers, scope: Required<ExportScope>) {
  try {
    const read = async () => {
      const parts: (Iterable<ExportLine> | AsyncIterable<ExportLine>)[] = [];
      for (const layer of all) parts.push((await layer.export?.(scope)) ?? []);
      return parts;
    };
    const owner = { user_id: scope.userId };
    return await sessions.on(scope.sessionId, owner, (session) => sessions.read(session, read));
  } catch (error) {
    if (isSessionGone(error)) return undefined;
    throw error;
  }
}
