import { expect, test } from 'vitest';
import type { Durability } from '../src/core/store.ts';
import { MemoryManager } from '../src/memory-manager.ts';
import { FileStore } from '../src/stores/file/file-store.ts';
import type { FileSystem } from '../src/stores/file/file-system.ts';
import {
  createFaultFileSystem,
  FakeClock,
  type Fault,
  type FaultFileSystem,
  LOOKING_CALLS,
  SimulatedDisk,
  type SimulatedProcess,
  systemError,
} from '../src/testing/index.ts';
import { isTorture, sized, withSeed } from './campaign.ts';
import { CorrectionScript } from './correction-script.ts';
import { FaultScript, LOCK_TIMES, ROOT } from './fault-script.ts';
import type { PatientSteps } from './patient-steps.ts';
import { createChance } from './processes/chance.ts';
import { StoreModel } from './store-model.ts';

/**
 * The file system fails at every single call of a script, once and from then on, with each of the ways in
 * which it can. Whatever was acknowledged is there once and unaltered, before the trouble is over and after;
 * what was not is rejected with the code that fits, or stays pending and is stored when the trouble is over;
 * nothing hangs, and the next process finds no litter.
 */

const ERRORS = ['EIO', 'ENOSPC', 'EDQUOT', 'EMFILE'];
const FULL = new Set(['ENOSPC', 'EDQUOT', 'shorten']);
/** What a caller may be told. A log that could not be made is not found afterwards. */
const EXPECTED = {
  full: ['done', 'STORAGE_FULL', 'READ_ONLY', 'STORAGE_ROOT_UNUSABLE', 'SESSION_NOT_FOUND'],
  other: ['done', 'IO_FAILED', 'READ_ONLY', 'STORAGE_ROOT_UNUSABLE', 'SESSION_NOT_FOUND'],
};

async function runWith(
  durability: Durability,
  makeFaults: (running: SimulatedProcess) => Fault[],
  wrap: (running: SimulatedProcess) => FileSystem = (running) => running,
): Promise<Pick<FaultFileSystem, 'trace' | 'counts'>> {
  const disk = new SimulatedDisk();
  const running = disk.startProcess();
  const faults = makeFaults(running);
  const fileSystem = createFaultFileSystem(wrap(running), faults);
  const model = new StoreModel();
  const script = new FaultScript(model, faults.length > 0);
  const store = script.open(fileSystem, durability);
  await script.run(store);
  await model.check(store).catch((error) => rethrowUnlessUnreadable(error));
  fileSystem.heal();
  await script.settle();
  await model.check(store);
  await store.close();
  running.kill();
  await checkNextProcess(disk, model, durability);
  checkOutcomes(script, faults);
  return { trace: [...fileSystem.trace], counts: { ...fileSystem.counts } };
}

/** While the trouble lasts, a reader may be refused; it is never given wrong answers. */
function rethrowUnlessUnreadable(error: unknown): void {
  if (
    (error as { code?: string }).code !== 'IO_FAILED' &&
    (error as { code?: string }).code !== 'STORAGE_FULL'
  )
    throw error;
}

async function checkNextProcess(
  disk: SimulatedDisk,
  model: StoreModel,
  durability: Durability,
): Promise<void> {
  const clock = new FakeClock(Date.now() + 2 * 3_600_000);
  const fileSystem = disk.startProcess();
  const store = new FileStore({ root: ROOT, fileSystem, durability, clock, lockTimes: LOCK_TIMES });
  await model.check(store);
  for (const log of await store.list('session')) {
    const { id, body } = model.newBody();
    model.ask(log, id, body);
    await store.append({ kind: 'session', id: log }, [body]);
    model.promise(log, [id]);
  }
  await model.check(store);
  await store.close();
  const inLogs = disk.paths('/data/store/sessions');
  expect(inLogs.filter((path) => /\.tmp$|\/\.(new|removed)-|\/lock$/.test(path))).toEqual([]);
}

function checkOutcomes(script: PatientSteps, faults: readonly Fault[], others: readonly string[] = []): void {
  const isFull = faults.some((fault) => 'shorten' in fault || ('fail' in fault && FULL.has(fault.fail)));
  // Two at once: a write that is short for want of room, and a cut that fails for whatever reason.
  const isOther = faults.length > 1 || faults.some((fault) => 'fail' in fault && !FULL.has(fault.fail));
  const expected = new Set([
    ...(isFull ? EXPECTED.full : []),
    ...(isOther ? EXPECTED.other : []),
    'done',
    ...others,
  ]);
  for (const { step, state } of script.outcomes) expect([...expected], step).toContain(state);
}

async function explained(what: string, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    throw new Error(what, { cause: error });
  }
}

for (const durability of ['buffered', 'group', 'strict'] as const) {
  test(`every call fails in every way, once and for long: ${durability}`, async () => {
    const { trace: calls } = await runWith(durability, () => []);
    expect(calls.length).toBeGreaterThan(60);
    for (let at = 1; at <= calls.length; at++) {
      const kind = calls[at - 1]!;
      for (const isPersistent of [false, true]) {
        for (const fail of durability === 'strict' && !isTorture ? ERRORS.slice(0, 2) : ERRORS) {
          const what = `${fail} at call ${at} (${kind})${isPersistent ? ' and from then on' : ''}`;
          await explained(what, () => runWith(durability, () => [{ at, fail, isPersistent }]));
        }
        if (kind !== 'write') continue;
        await explained(`short write ${at}`, () =>
          runWith(durability, () => [{ at, shorten: true, isPersistent }]),
        );
      }
    }
  });

  test(`every look, and every call for a lock, fails once and for long: ${durability}`, async () => {
    const { counts } = await runWith(durability, () => []);
    for (const kind of LOOKING_CALLS) {
      expect(counts[kind]).toBeGreaterThan(0);
      for (let at = 1; at <= counts[kind]; at++) {
        for (const isPersistent of [false, true]) {
          const what = `EIO at ${kind} ${at}${isPersistent ? ' and from then on' : ''}`;
          await explained(what, () => runWith(durability, () => [{ at, kind, fail: 'EIO', isPersistent }]));
        }
      }
    }
  });
}

/** Updates of a memory, by a manager that opens the store again when the fault strikes there. */
async function correctWith(
  durability: Durability,
  faults: readonly Fault[],
): Promise<Pick<FaultFileSystem, 'trace' | 'counts'>> {
  const disk = new SimulatedDisk();
  const running = disk.startProcess();
  const fileSystem = createFaultFileSystem(running, [...faults]);
  const script = new CorrectionScript(faults.length > 0);
  const options = { root: ROOT, durability, lockTimes: LOCK_TIMES, syncIntervalMs: 2 };
  let store: FileStore;
  try {
    store = new FileStore({ ...options, fileSystem });
  } catch {
    fileSystem.heal();
    store = new FileStore({ ...options, fileSystem });
  }
  const manager = new MemoryManager({ store });
  await script.run(manager);
  await script.check(manager).catch((error) => rethrowUnlessUnreadable(error));
  fileSystem.heal();
  await script.settle();
  await script.check(manager);
  await manager.close();
  running.kill();
  const next = new MemoryManager({ store: new FileStore({ ...options, fileSystem: disk.startProcess() }) });
  await script.check(next);
  await script.correctOnceMore(next);
  await script.check(next);
  await next.close();
  // A memory that could not be added is not there to be put right.
  checkOutcomes(script, faults, ['MEMORY_NOT_FOUND']);
  return { trace: [...fileSystem.trace], counts: { ...fileSystem.counts } };
}

for (const durability of ['buffered', 'strict'] as const) {
  test(`corrections survive every call that fails, once and for long: ${durability}`, async () => {
    const { trace: calls, counts } = await correctWith(durability, []);
    expect(calls.length).toBeGreaterThan(40);
    const faultsAt = (at: number): Fault[] => [
      { at, fail: 'EIO' },
      { at, fail: 'ENOSPC' },
      ...(calls[at - 1] === 'write' ? [{ at, shorten: true } as const] : []),
    ];
    const atEveryCall = calls.flatMap((_, i) => faultsAt(i + 1));
    const atEveryLook = LOOKING_CALLS.flatMap((kind) =>
      Array.from({ length: counts[kind] }, (_, i): Fault => ({ at: i + 1, kind, fail: 'EIO' })),
    );
    for (const fault of [...atEveryCall, ...atEveryLook]) {
      for (const isPersistent of [false, true]) {
        const struck = { ...fault, isPersistent };
        await explained(JSON.stringify(struck), () => correctWith(durability, [struck]));
      }
    }
  });
}

test('a write that is short and cannot be cut back is closed off, and nothing is stored twice', async () => {
  const { trace: calls } = await runWith('group', () => []);
  for (let at = 1; at <= calls.length; at++) {
    if (calls[at - 1] !== 'write') continue;
    for (const isPersistent of [false, true]) {
      const cut: Fault = { at: 1, kind: 'truncate', fail: 'EIO', isPersistent };
      await explained(`short write ${at}`, () => runWith('group', () => [{ at, shorten: true }, cut]));
    }
  }
});

/** The sync of a number takes the bytes with it. */
const losing =
  (at: number) =>
  (running: SimulatedProcess): Fault[] => [
    { at, kind: 'sync', when: 'before', run: (fd) => running.dropUnsynced(fd as number) },
    { at, kind: 'sync', fail: 'EIO' },
  ];

test('a failed sync that took the bytes with it costs nothing that was acknowledged', async () => {
  for (const durability of ['buffered', 'group', 'strict'] as const) {
    const { counts } = await runWith(durability, () => []);
    for (let at = 1; at <= counts.sync; at++) {
      await explained(`sync ${at}, ${durability}`, () => runWith(durability, losing(at)));
    }
  }
});

/** The first time that a log is to be rewritten, there is no room for it. */
function withoutRoomOnce(running: SimulatedProcess): FileSystem {
  let isFull = true;
  return {
    ...running,
    open: (path, flags, mode) => {
      const isNewLog = /memory\.jsonl\.[^/]*$/.test(path);
      if (isFull && isNewLog) {
        isFull = false;
        throw systemError('ENOSPC', 'open');
      }
      return running.open(path, flags, mode);
    },
  };
}

test('nor when the log cannot be rewritten at first', async () => {
  for (const durability of ['buffered', 'group', 'strict'] as const) {
    const { counts } = await runWith(durability, () => []);
    for (let at = 1; at <= counts.sync; at++) {
      // Counted as a second fault: no room is one of its answers.
      const faults = (running: SimulatedProcess): Fault[] => [
        ...losing(at)(running),
        { at: 1_000_000, kind: 'open', fail: 'ENOSPC' },
      ];
      await explained(`sync ${at}, ${durability}`, () => runWith(durability, faults, withoutRoomOnce));
    }
  }
});

test('random pairs of faults', () =>
  withSeed(async (seed) => {
    const chance = createChance(seed);
    const { trace: calls } = await runWith('group', () => []);
    for (let i = 0; i < sized(50, 10_000); i++) {
      const faults: Fault[] = Array.from({ length: 2 }, () => {
        const at = 1 + chance.below(calls.length);
        const isPersistent = chance.below(2) === 0;
        return chance.below(4) === 0
          ? { at, kind: 'write', shorten: true, isPersistent }
          : { at, fail: chance.pick(ERRORS), isPersistent };
      });
      await explained(JSON.stringify(faults), () => runWith('group', () => faults));
    }
  }));
