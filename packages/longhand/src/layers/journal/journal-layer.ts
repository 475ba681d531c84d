import type { LogStore } from '../../core/store.ts';
import type { ExportLine, Layer } from '../layer.ts';
import type { LayerContext } from '../layer-context.ts';
import type { Journal } from './journal.ts';

/** Agents with their journal and core. */
export function journalLayer({ store }: LayerContext, journal: Journal): Layer {
  return {
    name: 'journal',
    async export({ userId, sessionId }) {
      return sessionId === undefined ? exportLines(store, journal, userId) : [];
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
