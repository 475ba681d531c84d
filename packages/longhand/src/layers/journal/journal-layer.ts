import { ifGone } from '../../core/errors.ts';
import type { LogStore } from '../../core/store.ts';
import type { ExportLine, Layer } from '../layer.ts';
import type { LayerContext } from '../layer-context.ts';
import type { Agents } from './agents.ts';
import { mayBeOf } from './audience.ts';
import type { AgentMemorySource, Journal } from './journal.ts';

/** Agents with their journal and core. */
export function journalLayer({ store }: LayerContext, journal: Journal, agents: Agents): Layer {
  return {
    name: 'journal',
    async export({ userId, sessionId }) {
      return sessionId === undefined ? exportLines(store, journal, userId) : [];
    },
    async erase(erasure) {
      if (erasure.kind === 'journal') await journal.forget(erasure.agentId, erasure.ids, erasure.unreadable);
      else if (erasure.kind === 'agent') await agents.delete(erasure.agentId);
    },
    async eraseTaken({ sessionId, userId }, heldIn) {
      if (heldIn !== undefined) return;
      for (const agentId of await store.list('agent')) {
        const sources = (await journal.sources(agentId).catch(ifGone)) ?? [];
        const isTaken = ({ provenance }: AgentMemorySource): boolean =>
          provenance?.session_id === sessionId && mayBeOf(userId, provenance);
        const ids = sources.filter(isTaken).map(({ id }) => id);
        const unreadable = { names: new Set([sessionId]), takesTorn: ids.length > 0 };
        if (ids.length > 0 || (await journal.unreadable(agentId, unreadable)).isThere)
          await journal.forget(agentId, ids, unreadable).catch(ifGone);
      }
    },
    async copy({ kind, id }, copy) {
      if (kind === 'agent')
        await copy.log({ kind, id }, { whose: (fields) => (fields as AgentMemorySource).provenance });
    },
    async verify({ kind, id }, report) {
      if (kind === 'agent') await report.log({ kind, id });
    },
  };
}

async function* exportLines(
  store: LogStore,
  journal: Journal,
  userId: string,
): AsyncGenerator<ExportLine, void> {
  for (const agentId of await store.list('agent'))
    for (const memory of await journal.export(agentId, userId).catch(() => []))
      yield { kind: 'agent_memory', ...memory };
}
