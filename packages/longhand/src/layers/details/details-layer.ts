import { CorruptionError, NotFoundError } from '../../core/errors.ts';
import { RunningDigest } from '../../core/sha256.ts';
import type { LogAddress, LogStore } from '../../core/store.ts';
import { FollowedLog } from '../followed-log.ts';
import { type ExportLine, type Layer, type Piece, takenFrom } from '../layer.ts';
import type { LayerContext } from '../layer-context.ts';
import { piecesOf } from '../value-pieces.ts';
import type { Verification } from '../verification.ts';
import { type Detail, type DetailState, detailFold, type KeptDetail } from './detail-records.ts';
import { withReadingBuffer } from './detail-scan.ts';
import type { Details } from './details.ts';
import { promptId, sourceMessageId } from './tool-capture.ts';

export function detailsLayer(context: LayerContext, details: Details): Layer {
  return {
    name: 'details',
    async export({ userId, sessionId }) {
      if (sessionId === undefined) return [];
      return exportLines(details, userId, await details.list(userId, { sessionId }));
    },
    pieces: async (sessionId) => (await details.keptInSession(sessionId)).map(pieceOf),
    unreadable: (sessionId, unreadable) => details.unreadable(sessionId, unreadable),
    async erase(erasure) {
      if (erasure.kind === 'pieces') {
        const { pieces, leftovers, unreadable } = erasure;
        await details.forget(erasure, pieces.details, { leftovers, unreadable });
      } else if (erasure.kind === 'leftovers') {
        const { sessionId, leftovers } = erasure;
        // Listing the values removes the drafts of writers that died.
        const blobs = await context.store.list('blob', sessionId);
        if (blobs.length > 0) await details.forget(erasure, [], { leftovers, unreadable: 'none' });
      }
    },
    async eraseTaken({ sessionId }, heldIn) {
      if (heldIn === undefined) return;
      const taken = (await details.keptInSession(heldIn.sessionId)).filter(takenFrom(sessionId));
      const keys = taken.map(({ memory_key }) => memory_key);
      if (keys.length > 0) await details.forget(heldIn, keys, { unreadable: 'none' });
    },
    async copy({ kind, id }, copy) {
      if (kind === 'session' && (await copy.log({ kind: 'details', id }))) await copy.values(id);
    },
    async verify({ kind, id }, report) {
      if (kind === 'session') await verifyValues(context, id, report);
    },
  };
}

function pieceOf(detail: KeptDetail): Piece {
  const { memory_key: id, created_at: timestamp, agent_id, provenance } = detail;
  const { message_timestamp: said } = detail.content_metadata;
  const source = sourceMessageId(detail);
  return {
    ...{ id, timestamp, keptAt: timestamp, tags: [], agentId: agent_id, provenance, takesSource: false },
    source:
      source === undefined
        ? undefined
        : { id: source, ...(typeof said === 'string' ? { timestamp: said } : {}) },
    promptId: promptId(detail),
  };
}

async function* exportLines(
  details: Details,
  userId: string,
  newestFirst: readonly Detail[],
): AsyncGenerator<ExportLine, void> {
  for (const detail of newestFirst.toReversed()) {
    const { session_id, memory_key } = detail;
    const head = { kind: 'detail', ...detail };
    let isBegun = false;
    try {
      for await (const chunk of details.stream(userId, memory_key)) {
        if (!isBegun) yield head;
        isBegun = true;
        const base64 = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString('base64');
        yield { kind: 'detail_content', memory_key, base64 };
      }
      if (!isBegun) yield head;
    } catch (error) {
      if (error instanceof NotFoundError) continue;
      // Lost, or not what was stored: what was given of it cannot be relied on, and the rest goes on.
      if (!(error instanceof CorruptionError)) throw error;
      if (!isBegun) yield head;
      yield { kind: 'damage', session_id, memory_key };
    }
  }
}

/** Every value against its digest. */
async function verifyValues(context: LayerContext, sessionId: string, report: Verification): Promise<void> {
  const address: LogAddress = { kind: 'details', id: sessionId };
  if ((await report.log(address)) === undefined) return;
  // Of its own: nothing that was read before is trusted.
  const log = new FollowedLog<DetailState>(context, address, detailFold);
  for (const { memory_key, blob, digest } of (await log.find())?.byKey.values() ?? []) {
    report.counts.details++;
    const found = await digestOf(context.store, sessionId, blob);
    if (found === digest) continue;
    // Another process may have removed it since.
    if ((await log.find())?.byKey.get(memory_key)?.blob !== blob) continue;
    const place = `${report.placeOf({ kind: 'session', id: sessionId })}: ${blob}`;
    report.damage.push({ place, offset: 0, kind: found === undefined ? 'missing' : 'digest' });
  }
}

/** `undefined` when the value is not there. */
async function digestOf(store: LogStore, sessionId: string, name: string): Promise<string | undefined> {
  const blob = await store.openBlob({ kind: 'session', id: sessionId }, name);
  if (blob === undefined) return undefined;
  try {
    const digest = new RunningDigest();
    await withReadingBuffer(async (buffer) => {
      for await (const bytes of piecesOf(blob, buffer)) digest.add(bytes);
    });
    return digest.hex();
  } finally {
    blob.close();
  }
}
