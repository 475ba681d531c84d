import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { MemoryManager, type NewMemory } from 'longhand';
import { textOf } from '../entries.ts';
import { makeRange } from './corpus.ts';
import { semanticOption } from './meaning.ts';

/**
 * A store as users have it: one user with many conversations, each of 500 memories, which are searched together
 * (`scope: 'user'`).
 */
export const SESSION_ENTRIES = 500;
export const USER = 'me';

export interface SearchStore {
  readonly storageRoot: string;
  readonly sessionIds: readonly string[];
}

/** Sessions for so many entries. */
export async function createSessions(manager: MemoryManager, entries: number): Promise<string[]> {
  const sessionIds: string[] = [];
  for (let from = 0; from < entries; from += SESSION_ENTRIES) {
    sessionIds.push((await manager.createSession(USER)).id);
  }
  return sessionIds;
}

/** Fills sessions, with one call of `addMemories` each. */
export async function addAll(
  manager: MemoryManager,
  sessionIds: readonly string[],
  makeBatch: (from: number, to: number) => readonly NewMemory[] = makeRange,
): Promise<void> {
  for (const [at, id] of sessionIds.entries()) {
    await manager.addMemories(id, makeBatch(at * SESSION_ENTRIES, (at + 1) * SESSION_ENTRIES));
  }
}

export async function makeStore(folder: string, entries: number): Promise<SearchStore> {
  const storageRoot = join(folder, `longhand-${entries}`);
  const manager = new MemoryManager({ storageRoot, ...semanticOption() });
  const sessionIds = await createSessions(manager, entries);
  await addAll(manager, sessionIds);
  await manager.close();
  return { storageRoot, sessionIds };
}

/** The search index goes, and the next query builds it from the logs. */
export function removeIndex({ storageRoot }: SearchStore): void {
  rmSync(indexFolder(storageRoot), { recursive: true, force: true });
}

export function indexFolder(storageRoot: string): string {
  return join(storageRoot, 'users', USER, 'index');
}

/** The texts of the ten best memories of the user. */
export async function searchTexts(
  manager: MemoryManager,
  sessionId: string,
  text: string,
): Promise<readonly string[]> {
  return (await manager.queryMemories(sessionId, { text, scope: 'user', limit: 10 })).map(textOf);
}
