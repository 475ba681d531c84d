import { join } from 'node:path';
import { MemoryManager } from 'longhand';
import { LIMIT_RAISED } from './contenders/longhand.ts';
import { makeEntries } from './entries.ts';

export const FULL_BYTES = 10 * 1024 * 1024;
const BATCH = 250;

export interface FullSession {
  readonly storageRoot: string;
  readonly sessionId: string;
  readonly ids: readonly string[];
}

/** A session whose log alone takes 10 MB, of entries of 1 KB. */
export async function makeFullSession(folder: string): Promise<FullSession> {
  const storageRoot = join(folder, 'longhand');
  const manager = new MemoryManager({ storageRoot, config: LIMIT_RAISED });
  const { id: sessionId } = await manager.createSession('me');
  const entries = makeEntries(FULL_BYTES / 1024);
  const ids: string[] = [];
  let lineBytes = 0;
  while ((ids.length + BATCH) * lineBytes < FULL_BYTES) {
    ids.push(...(await manager.addMemories(sessionId, entries.slice(ids.length, ids.length + BATCH))));
    lineBytes = (await manager.getSessionStats(sessionId)).size.log / ids.length;
  }
  await manager.close();
  return { storageRoot, sessionId, ids };
}
