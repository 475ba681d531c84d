import { ifGone } from '../../core/errors.ts';
import type { LogLine } from '../../core/line.ts';
import { isMemoryEntry, type MemoryEntry } from '../../core/records.ts';
import { type Layer, type Piece, takenFrom } from '../layer.ts';
import { replacedByDeleted } from './replacements.ts';
import type { SessionParts } from './session-parts.ts';
import { problemsOfSession, readIndexOf } from './session-soundness.ts';
import { addressOf } from './sessions.ts';
import { EPOCH, FORGOTTEN, parseStoredRecord, problemOfRecord } from './stored-record.ts';

/** The memories of sessions, and the records of the sessions in the same log. */
export function memoriesLayer({ context, sessions, maintenance, memories }: SessionParts): Layer {
  const { store, schema } = context;
  return {
    name: 'memories',
    async export({ sessionId: session_id }) {
      if (session_id === undefined) return [];
      const fold = await maintenance.fold(session_id);
      const { entries, damage } = fold;
      const memories = replacedByDeleted(fold);
      return [
        ...entries.map(({ entry }) => ({ kind: 'memory', ...entry })),
        ...(Object.keys(memories).length === 0 ? [] : [{ kind: 'replaced', session_id, memories }]),
        ...(damage.length === 0 ? [] : [{ kind: 'damage', session_id, lines: damage.length }]),
      ];
    },
    async pieces(_sessionId, { entries, records, deletedIds }) {
      const live = new Set(entries.map(({ line }) => line));
      // The last line of a memory counts: those before it, and those of deleted ones, wait for a compaction.
      const former = records.flatMap(({ record, line }) =>
        isMemoryEntry(record) && !live.has(line) ? [record] : [],
      );
      return [
        ...entries.map(({ entry }) => pieceOf(entry)),
        ...former.map((entry) => pieceOf(entry, deletedIds.has(entry.id) ? 'deleted' : 'outdated')),
      ];
    },
    async erase(erasure) {
      if (erasure.kind !== 'pieces') return;
      const { sessionId, pieces } = erasure;
      // From the log as it is now: what this process remembers as deleted may live again, when the record is damaged.
      sessions.forget(sessionId);
      for (const id of pieces.memories) await memories.delete(erasure, id, { reason: FORGOTTEN });
    },
    async eraseTaken({ sessionId }, heldIn) {
      if (heldIn === undefined) return;
      const isTaken = takenFrom(sessionId);
      const taken = (await maintenance.fold(heldIn.sessionId)).entries.filter(({ entry }) => isTaken(entry));
      for (const { entry } of taken) await memories.delete(heldIn, entry.id, { reason: 'session deleted' });
      // As with the session itself, nothing of it stays in a file.
      if (taken.length > 0) await maintenance.erase(heldIn);
    },
    async copy({ kind, id }, copy) {
      if (kind !== 'session') return;
      // As a compaction does it: what a person has left out is told, and the id stays that of the line.
      const ofPerson = async (line: LogLine): Promise<string | undefined> => {
        const createdAt = (await sessions.sessionIfReadable(id))?.created_at ?? EPOCH;
        const record = parseStoredRecord(line, { sessionId: id, schema, createdAt });
        return record && JSON.stringify(record);
      };
      await copy.log(addressOf(id), { ofPerson });
    },
    async verify({ kind, id: sessionId }, report) {
      if (kind !== 'session') return;
      const index = await readIndexOf(store, sessionId);
      await report.log(addressOf(sessionId), {
        ofLog: async (slice) =>
          (await problemsOfSession(context, report.isListed, sessionId, index, slice).catch(ifGone)) ?? [],
        ofLine: (line) => problemOfRecord(line, { sessionId, schema, createdAt: EPOCH }),
      });
    },
  };
}

function pieceOf({ id, timestamp, tags, provenance }: MemoryEntry, state?: Piece['state']): Piece {
  return {
    ...{ id, timestamp, tags, provenance, takesSource: true, agentId: provenance?.agent_id },
    ...(state === undefined ? {} : { state }),
    source: provenance?.message_id === undefined ? undefined : { id: provenance.message_id },
  };
}
