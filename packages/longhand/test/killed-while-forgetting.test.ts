import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FileStore, LonghandError, MemoryManager } from '../src/index.ts';
import { createNodeFileSystem, type FileSystem } from '../src/stores/file/file-system.ts';
import { loadKernelLocks } from '../src/stores/file/kernel-locks.ts';
import { temporaryFolder } from './campaign.ts';

/**
 * A process dies before every single call that changes something on the disk, while it forgets or redacts. A retry in
 * another process completes it: the words are in no file, and all else is there and is found.
 */
const SECRETS = ['xyzzyword', 'plughvalue'];
const KEPT = ['kept_1', 'kept_2', 'kept_3'];
const INDEX_LIMITS = { indexLimits: { sealAtDocuments: 2 } };
const system = createNodeFileSystem(loadKernelLocks().locks);

const OPERATIONS: Readonly<Record<string, (manager: MemoryManager) => Promise<unknown>>> = {
  'forgets a session': async (manager) => (await manager.layers()).privacy.forget({ session: 'chat' }),
  'deletes a session': (manager) => manager.deleteSession('chat'),
  'deletes a session of its owner': (manager) =>
    manager.as({ account_id: 'local', user_id: 'ada' }).deleteSession('chat'),
  'forgets a user': async (manager) => (await manager.layers()).privacy.forget({ user: 'ada' }),
  'forgets by ids': async (manager) =>
    (await manager.layers()).privacy.forget({ user: 'ada', ids: ['mem_1', 'log_1'] }),
  'redacts a memory and a detail': async (manager) => {
    const { privacy } = await manager.layers();
    await privacy.redact({ session: 'chat', memory: 'mem_1', text: SECRETS[0]! });
    await privacy.redact({ user: 'ada', detail: 'log_1', text: SECRETS[1]! });
  },
};

interface Mortal {
  readonly fileSystem: FileSystem;
  /** Of the calls to come that change something on the disk, this one and all behind it fail. */
  dieBefore(call: number): void;
  isDead(): boolean;
}

function makeMortal(): Mortal {
  const changing = new Set<keyof FileSystem>([
    ...(['write', 'truncate', 'setMode', 'sync', 'syncDirectory', 'rename', 'unlink'] as const),
    ...(['makeDirectory', 'removeDirectory'] as const),
  ]);
  let left = Number.POSITIVE_INFINITY;
  const isDead = (): boolean => left <= 0;
  const fileSystem = new Proxy(system, {
    get: (target, name) => {
      const call = Reflect.get(target, name, target) as (...given: unknown[]) => unknown;
      // A dead process releases its files and their locks.
      if (name === 'close' || name === 'unlock') return call;
      return (...given: unknown[]) => {
        if (changing.has(name as keyof FileSystem)) left--;
        if (isDead()) throw Object.assign(new Error('dead'), { code: 'EROFS' });
        return call(...given);
      };
    },
  });
  const dieBefore = (call: number): void => {
    left = call;
  };
  return { fileSystem, dieBefore, isDead };
}

async function makeTemplate(): Promise<string> {
  const root = join(temporaryFolder(false), 'template');
  await using manager = new MemoryManager({ storageRoot: root, ...INDEX_LIMITS });
  const layers = await manager.layers();
  for (const session_id of ['chat', 'other']) await manager.createSession('ada', { session_id });
  await layers.transcripts.archive('chat', [
    { id: 'msg_1', role: 'user', content: `The code is ${SECRETS[0]}.` },
  ]);
  await manager.addMemory('chat', {
    id: 'mem_1',
    type: 'finding',
    content: { text: `The code is ${SECRETS[0]}.` },
    provenance: { author: 'user', message_id: 'msg_1' },
  });
  await manager.updateMemory('chat', 'mem_1', { tags: ['code'] });
  for (const id of KEPT)
    await manager.addMemory('other', { id, type: 'finding', content: { text: `about ${id}` } });
  await layers.details.store('chat', { content: `large ${SECRETS[1]} `.repeat(50), key: 'log_1' });
  await manager.queryMemories('chat', { text: 'code', scope: 'user' });
  for (const session_id of ['chat', 'other']) await manager.closeSession(session_id);
  return root;
}

function filesWithSecrets(root: string): readonly string[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => SECRETS.some((secret) => readFileSync(path).includes(secret)));
}

/** What is not there any more needs no second time. */
async function askAgain(operate: Promise<unknown>): Promise<void> {
  try {
    await operate;
  } catch (error) {
    if (!LonghandError.isInstance(error) || !error.code.endsWith('_NOT_FOUND')) throw error;
  }
}

test.each(Object.entries(OPERATIONS))(
  'who %s and is killed is finished by asking again',
  async (_, operate) => {
    const template = await makeTemplate();
    expect(filesWithSecrets(template).length).toBeGreaterThan(2);
    const folder = temporaryFolder(false);
    for (let dieAt = 1; ; dieAt++) {
      const root = join(folder, String(dieAt));
      mkdirSync(root, { mode: 0o700 });
      cpSync(template, root, { recursive: true });
      const { fileSystem, dieBefore, isDead } = makeMortal();
      const doomed = new MemoryManager({ store: new FileStore({ root, fileSystem }), ...INDEX_LIMITS });
      await doomed.listSessions();
      dieBefore(dieAt);
      await operate(doomed).catch(() => undefined);
      const hasDied = isDead();
      await doomed.close().catch(() => undefined);

      await using manager = new MemoryManager({ storageRoot: root, ...INDEX_LIMITS });
      await askAgain(operate(manager));
      expect(filesWithSecrets(root), `killed at call ${dieAt}`).toEqual([]);
      expect((await (await manager.layers()).privacy.verifyErased(SECRETS)).found).toEqual([]);
      if (operate !== OPERATIONS['forgets a user']) {
        const found = await manager.queryMemories('other', { text: 'about', scope: 'user' });
        expect(found.map(({ id }) => id).sort()).toEqual(KEPT);
      }
      await manager.close();
      rmSync(root, { recursive: true });
      if (!hasDied) return;
    }
  },
);
