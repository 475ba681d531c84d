import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../test/campaign.ts';
import { FileStore, loadKernelLocks, MemoryManager } from '../../index.ts';
import { createNodeFileSystem, type FileSystem } from '../../stores/file/file-system.ts';

/** So few memories make segments on the disk. */
const EARLY = { sealAtDocuments: 2, sealWhenBuilding: 4, mergeAtSegments: 8, maxMergedDocuments: 1_000 };

function open(root: string, fileSystem?: FileSystem): MemoryManager {
  const store = new FileStore({ root, ...(fileSystem === undefined ? {} : { fileSystem }) });
  return new MemoryManager({ store, indexLimits: EARLY });
}

async function remember(manager: MemoryManager, userId: string, sessionId: string): Promise<void> {
  await manager.createSession(userId, { session_id: sessionId });
  const numbers = ['one', 'two', 'three', 'four', 'five'];
  await manager.addMemories(
    sessionId,
    numbers.map((number) => ({ type: 'finding', content: { text: `secret number ${number}` } })),
  );
}

/** Sessions that a search of all that is a user's finds something in. */
async function sessionsFound(manager: MemoryManager, userId: string, sessionId: string): Promise<string[]> {
  const found = await manager.queryMemories(sessionId, { text: 'secret', scope: 'user', limit: 100 });
  const ranked = await manager.searchSessions(userId, 'secret');
  return [...new Set([...found, ...ranked].map(({ session_id }) => session_id))];
}

test('an index that was copied from one user to another shows nothing of theirs', async () => {
  const root = temporaryFolder();
  {
    await using manager = open(root);
    await remember(manager, 'ada', 'of-ada');
    await remember(manager, 'bob', 'of-bob');
    expect(await sessionsFound(manager, 'ada', 'of-ada')).toEqual(['of-ada']);
  }
  cpSync(join(root, 'users/ada/index'), join(root, 'users/bob/index'), { recursive: true });
  for (let process = 0; process < 2; process++) {
    await using manager = open(root);
    expect(await sessionsFound(manager, 'bob', 'of-bob')).toEqual(['of-bob']);
    expect(await sessionsFound(manager, 'ada', 'of-ada')).toEqual(['of-ada']);
  }
});

test('users whose names differ in capital letters are apart where the file system takes them for one', async () => {
  const root = temporaryFolder().toLowerCase();
  mkdirSync(root, { recursive: true });
  const folding = foldingFileSystem(root);
  for (let process = 0; process < 3; process++) {
    await using manager = open(root, folding);
    if (process === 0) {
      await remember(manager, 'ada', 'small');
      await remember(manager, 'Ada', 'capital');
    }
    expect(await sessionsFound(manager, 'Ada', 'capital')).toEqual(['capital']);
    expect(await sessionsFound(manager, 'ada', 'small')).toEqual(['small']);
  }
});

/** Names are the same whatever their letters' case, as on macOS and Windows. */
function foldingFileSystem(root: string): FileSystem {
  const real = createNodeFileSystem(loadKernelLocks({ probeIn: root }).locks);
  const folded: FileSystem = {
    ...real,
    open: (path, ...rest) => real.open(path.toLowerCase(), ...rest),
    stat: (path) => real.stat(path.toLowerCase()),
    list: (path) => real.list(path.toLowerCase()),
    unlink: (path) => real.unlink(path.toLowerCase()),
    makeDirectory: (path, ...rest) => real.makeDirectory(path.toLowerCase(), ...rest),
    removeDirectory: (path) => real.removeDirectory(path.toLowerCase()),
    syncDirectory: (path) => real.syncDirectory(path.toLowerCase()),
    rename: (from, to) => real.rename(from.toLowerCase(), to.toLowerCase()),
  };
  return folded;
}
