import { join } from 'node:path';
import { MemoryManager, type PartialConfig } from 'longhand';
import type { Contender } from './contender.ts';

export const LONGHAND = 'Longhand';

export interface OpenLonghand extends Contender {
  readonly manager: MemoryManager;
  readonly sessionId: string;
}

/** One session with the defaults, unless told otherwise. */
export async function openLonghand(folder: string, config: PartialConfig = {}): Promise<OpenLonghand> {
  const manager = new MemoryManager({ storageRoot: join(folder, 'longhand'), config });
  const { id: sessionId } = await manager.createSession('me');
  return {
    name: LONGHAND,
    manager,
    sessionId,
    add: (entry) => manager.addMemory(sessionId, entry),
    addMany: (entries) => manager.addMemories(sessionId, entries),
    close: () => manager.close(),
  };
}

/** For runs that write more than a session's 10 MB. */
export const LIMIT_RAISED: PartialConfig = { storage: { max_session_size_mb: 4_096 } };
