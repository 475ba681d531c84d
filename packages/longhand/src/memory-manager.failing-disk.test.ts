import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type EventFacts, FileStore, MemoryManager } from './index.ts';
import { createNodeFileSystem, type FileSystem } from './stores/file/file-system.ts';
import { loadKernelLocks } from './stores/file/kernel-locks.ts';
import { createFaultFileSystem, type Fault, type FaultFileSystem } from './testing/index.ts';

function temporaryRoot(): string {
  const folder = mkdtempSync(join(tmpdir(), 'longhand-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'store');
}

const finding = { type: 'finding', content: { text: 'x' } } as const;

describe('while the disk fails', () => {
  interface Failing {
    readonly manager: MemoryManager;
    readonly root: string;
    readonly session: string;
    readonly events: EventFacts[];
    readonly disk: { faults: FaultFileSystem };
    readonly real: FileSystem;
    breakDown(code: string): void;
  }

  /** A store whose disk works until it is told to break down. */
  async function open(): Promise<Failing> {
    const root = temporaryRoot();
    const events: EventFacts[] = [];
    const real = createNodeFileSystem(loadKernelLocks().locks);
    const disk = { faults: createFaultFileSystem(real) };
    const fileSystem = new Proxy(real, { get: (_, name) => Reflect.get(disk.faults, name) as unknown });
    const onEvent = (event: EventFacts): void => void events.push(event);
    const lockTimes = { lockTimeoutMs: 1_000, maxRetries: 2, retryBackoffMs: 1 };
    const store = new FileStore({ root, fileSystem, lockTimes, emit: onEvent });
    const manager = new MemoryManager({ store });
    const { id: session } = await manager.createSession('ada');
    await manager.addMemory(session, finding);
    const breakDown = (code: string): void => {
      const fault: Fault = { at: 1, kind: 'write', fail: code, isPersistent: true };
      disk.faults = createFaultFileSystem(real, [fault]);
    };
    return { manager, root, session, events, disk, real, breakDown };
  }

  const until = async (isSo: () => boolean): Promise<void> => {
    for (let i = 0; !isSo(); i++) {
      if (i > 5_000) throw new Error('What was waited for did not happen.');
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  };

  test('a write stays pending, says so, and is stored when the disk is well again', async () => {
    const { manager, session, events, disk, breakDown } = await open();
    breakDown('EIO');
    let isAcknowledged = false;
    const adding = manager.addMemories(session, [finding, finding]).then((ids) => {
      isAcknowledged = true;
      return ids;
    });
    await until(() => events.some(({ kind }) => kind === 'write-pending'));
    expect(isAcknowledged).toBe(false);
    expect(await manager.getSessionStats(session)).toMatchObject({ total_entries: 1, pending_writes: 2 });
    const pending = events.find((event) => event.kind === 'write-pending')!;
    expect(pending).toMatchObject({ records: 2, reason: 'EIO' });
    // Others that come meanwhile wait behind it, in order.
    const later = manager.addMemory(session, { ...finding, id: 'later' });
    disk.faults.heal();
    const ids = await adding;
    await later;
    expect(events.some(({ kind }) => kind === 'write-recovered')).toBe(true);
    const { total_entries, pending_writes } = await manager.getSessionStats(session);
    expect([total_entries, pending_writes]).toEqual([4, 0]);
    const order = (await manager.exportSession(session, 'jsonl'))
      .split('\n')
      .slice(1, -1)
      .map((line) => (JSON.parse(line) as { id: string }).id);
    expect(order).toEqual([...ids, 'later']);
    await manager.close();
  });

  test('everything that waits is counted as pending: with an id of its own, and deletions too', async () => {
    const { manager, session, events, disk, breakDown } = await open();
    const id = await manager.addMemory(session, finding);
    breakDown('EIO');
    const waiting = [
      manager.addMemories(session, [
        { ...finding, id: 'own_1' },
        { ...finding, id: 'own_2' },
      ]),
    ];
    await until(() => events.some(({ kind }) => kind === 'write-pending'));
    expect((await manager.getSessionStats(session)).pending_writes).toBe(2);
    const more = [
      manager.addMemory(session, { ...finding, id: 'own_3' }),
      manager.deleteMemory(session, id),
      manager.addMemory(session, finding),
    ];
    await expect.poll(async () => (await manager.getSessionStats(session)).pending_writes).toBe(5);
    disk.faults.heal();
    await Promise.all([...waiting, ...more]);
    const { total_entries, pending_writes } = await manager.getSessionStats(session);
    expect([total_entries, pending_writes]).toEqual([5, 0]);
    await manager.close();
  });

  test('what is still pending when the store is closed is refused, never acknowledged', async () => {
    const { manager, root, session, events, breakDown } = await open();
    breakDown('EIO');
    const adding = manager.addMemory(session, finding);
    const refusal = expect(adding).rejects.toMatchObject({ name: 'IOError', code: 'IO_FAILED' });
    await until(() => events.some(({ kind }) => kind === 'write-pending'));
    await manager.close();
    await refusal;
    await using again = new MemoryManager({ storageRoot: root });
    expect((await again.getSessionStats(session)).total_entries).toBe(1);
  });

  test.each(['ENOSPC', 'EDQUOT'])('%s is refused after a few tries, with the log as it was', async (code) => {
    const { manager, session, disk, breakDown } = await open();
    const before = await manager.exportSession(session, 'jsonl');
    breakDown(code);
    await expect(manager.addMemory(session, finding)).rejects.toMatchObject({
      name: 'IOError',
      code: 'STORAGE_FULL',
    });
    expect(await manager.exportSession(session, 'jsonl')).toBe(before);
    disk.faults.heal();
    await manager.addMemory(session, finding);
    expect((await manager.getSessionStats(session)).total_entries).toBe(2);
    await manager.close();
  });

  test.each(['forget', 'compact'])(
    'a disk that fills up at any write of a %s says so, and the next try finishes it',
    async (what) => {
      const word = 'xyzzy';
      for (let at = 1, isDone = false; !isDone; at++) {
        const { manager, session, disk, real } = await open();
        const secret = { ...finding, id: 'secret', content: { text: word }, tags: [word] };
        await manager.addMemories(session, [secret, ...Array.from({ length: 500 }, () => finding)]);
        // An index that is worth keeping on the disk, and the files that people read.
        await manager.queryMemories(session, { text: word, scope: 'user' });
        await manager.compactSession(session);
        if (what === 'compact') await manager.deleteMemory(session, 'secret');
        const { privacy } = await manager.layers();
        const run = async (): Promise<unknown> =>
          what === 'forget'
            ? privacy.forget({ user: 'ada', ids: ['secret'] })
            : manager.compactSession(session);
        disk.faults = createFaultFileSystem(real, [
          { at, kind: 'write', fail: 'ENOSPC', isPersistent: true },
        ]);
        const failure = await run().then(
          () => undefined,
          (error: unknown) => error,
        );
        isDone = failure === undefined;
        if (!isDone) expect(failure).toMatchObject({ name: 'IOError', code: 'STORAGE_FULL' });
        disk.faults.heal();
        await manager.close();
      }
    },
  );

  test('reading goes on, and a deletion waits like any write', async () => {
    const { manager, session, disk, breakDown, events } = await open();
    const id = await manager.addMemory(session, finding);
    breakDown('EIO');
    const deleting = manager.deleteMemory(session, id);
    await until(() => events.some(({ kind }) => kind === 'write-pending'));
    expect((await manager.getMemory(session, id))!.id).toBe(id);
    disk.faults.heal();
    expect(await deleting).toBe(true);
    expect(await manager.getMemory(session, id)).toBeNull();
    await manager.close();
  });
});
