import { NotFoundError } from '../../core/errors.ts';
import { readLog } from '../../core/read-log.ts';
import type { MemoryEntry } from '../../core/records.ts';
import { readEntry } from '../../recall/analysis/index.ts';
import type { OpenSegment } from '../../recall/index/index.ts';
import type { WordVectors } from '../../recall/vectors/index.ts';
import type { LayerContext } from '../layer-context.ts';
import { foldSession } from '../memories/session-fold.ts';
import { addressOf } from '../memories/sessions.ts';

/** The documents of a session in one segment, and where their vectors go. */
interface Stretch {
  readonly ids: readonly string[];
  readonly values: Int8Array;
}

/**
 * Gives segments vectors from the texts in the logs: a process without the table wrote them, or one with another. Each log is
 * read once.
 */
export async function makeVectors(
  segments: readonly OpenSegment[],
  words: WordVectors,
  context: LayerContext,
): Promise<void> {
  const { id: table, dimensions } = words;
  const ofSession = new Map<string, Stretch[]>();
  for (const opened of segments) {
    const { segment } = opened;
    const values = new Int8Array(segment.documentCount * dimensions);
    const ids: string[] = [];
    segment.forEachRow((_, { id }) => ids.push(id));
    for (const { id, start, end } of segment.sessions) {
      const stretch = {
        ids: ids.slice(start, end),
        values: values.subarray(start * dimensions, end * dimensions),
      };
      ofSession.set(id, [...(ofSession.get(id) ?? []), stretch]);
    }
    opened.vectors = { table, dimensions, values };
  }
  for (const [sessionId, stretches] of ofSession) {
    const entries = await entriesOf(sessionId, context);
    for (const { ids, values } of stretches) {
      for (const [at, id] of ids.entries()) {
        const entry = entries.get(id);
        const row = values.subarray(at * dimensions, (at + 1) * dimensions);
        if (entry !== undefined) words.read(readEntry(entry).said, row);
      }
    }
  }
}

/** By id; none when the session is gone: then the index is about to learn of it. */
async function entriesOf(
  sessionId: string,
  { store, schema }: LayerContext,
): Promise<ReadonlyMap<string, MemoryEntry>> {
  try {
    const { entries } = foldSession(sessionId, await readLog(store, addressOf(sessionId)), schema);
    return new Map(entries.map(({ entry }) => [entry.id, entry]));
  } catch (error) {
    if (error instanceof NotFoundError) return new Map();
    throw error;
  }
}
