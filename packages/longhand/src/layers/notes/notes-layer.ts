import { ValidationError } from '../../core/errors.ts';
import type { ExportLine, Layer } from '../layer.ts';
import type { LayerContext } from '../layer-context.ts';
import type { NotesLayer } from './notes.ts';
import { DOCUMENT } from './notes-pair.ts';

export function notesLayer({ store }: LayerContext, notes: NotesLayer): Layer {
  return {
    name: 'notes',
    async export({ userId, sessionId }) {
      return sessionId === undefined ? exportLines(notes, userId) : [];
    },
    async erase(erasure) {
      if (erasure.kind !== 'notes') return;
      const { userId, agentId, lines } = erasure;
      if (lines === undefined) await notes.forget(userId, agentId);
      else await notes.forgetText(userId, agentId, (line) => lines.has(line.replace(/\r$/, '')));
    },
    async copy({ kind, id: userId }, copy) {
      if (kind !== 'user') return;
      for (const id of await store.list('notes', userId)) {
        const address = { kind: 'notes', id, userId } as const;
        await copy.log(address);
        await copy.document(address, DOCUMENT, userId);
        copy.counts.notes++;
      }
    },
    async verify({ kind, id: userId }, report) {
      if (kind !== 'user') return;
      for (const id of await store.list('notes', userId)) {
        report.counts.notes++;
        await report.log({ kind: 'notes', id, userId });
      }
    },
  };
}

async function* exportLines(notes: NotesLayer, user_id: string): AsyncGenerator<ExportLine, void> {
  for (const agent_id of await notes.list(user_id)) {
    try {
      yield { kind: 'notes', user_id, ...(await notes.exportOf(user_id, agent_id)) };
    } catch (error) {
      // A person has saved what no notes can be.
      if (!(error instanceof ValidationError)) throw error;
      yield { kind: 'damage', user_id, agent_id };
    }
  }
}
