import { expect, it } from 'vitest';
import { encodeLine } from '../../core/line.ts';
import { readLog } from '../../core/read-log.ts';
import type { LogAddress } from '../../core/store.ts';
import { createFaultFileSystem, FakeClock, SimulatedDisk } from '../../testing/index.ts';
import { FileStore } from './file-store.ts';
import { O_APPEND, O_WRONLY } from './file-system.ts';

/** A process that has rested looks at the log before it takes the lock, and encodes with the number it expects. */

const LOG: LogAddress = { kind: 'session', id: 's' };
const bodyOf = (id: string): string => `{"schema_version":1,"id":"${id}"}`;

async function makeLog() {
  const disk = new SimulatedDisk();
  const clock = new FakeClock();
  const faulty = createFaultFileSystem(disk.startProcess());
  let beforeLock = (): void => undefined;
  const looks: string[] = [];
  /** How many bytes each call for a lock was for: two stand in line, one goes past it. */
  const locked: number[] = [];
  const fileSystem = {
    ...faulty,
    stat: (path: string) => {
      looks.push(path);
      return faulty.stat(path);
    },
    tryLock: (fd: number, byte: number, count?: number) => {
      const act = beforeLock;
      beforeLock = () => undefined;
      act();
      locked.push(count ?? 1);
      return faulty.tryLock(fd, byte, count);
    },
  };
  const mine = new FileStore({ root: '/store', fileSystem, clock });
  await mine.append(LOG, [bodyOf('first')], { create: 'new' });
  await mine.append(LOG, [bodyOf('mine')]);
  const theirs = new FileStore({ root: '/store', fileSystem: disk.startProcess(), clock });
  await theirs.append(LOG, [bodyOf('theirs')]);
  const rest = (): void => clock.advance(1_000);
  return {
    mine,
    theirs,
    faulty,
    rest,
    disk,
    clock,
    looks,
    locked,
    onNextLock: (act: () => void) => {
      beforeLock = act;
    },
  };
}

async function linesOf(store: FileStore): Promise<[string | undefined, number | undefined][]> {
  const { lines, damage } = await readLog(store, LOG);
  expect(damage).toEqual([]);
  return lines.map((line) => [line.memoryId, line.seq]);
}

it('numbers behind what another process wrote while it rested', async () => {
  const { mine, theirs, rest } = await makeLog();
  rest();
  await Promise.all([mine.append(LOG, [bodyOf('a'), bodyOf('b')]), mine.append(LOG, [bodyOf('c')])]);
  const expected = [
    ['first', 1],
    ['mine', 2],
    ['theirs', 3],
    ['a', 4],
    ['b', 5],
    ['c', 6],
  ];
  expect(await linesOf(mine)).toEqual(expected);
  for (const store of [mine, theirs]) await store.close();
});

it('numbers again when another process was faster to the lock', async () => {
  const { mine, theirs, rest, disk, onNextLock } = await makeLog();
  rest();
  const copy = (await readLog(theirs, LOG)).lines.at(-1)!;
  onNextLock(() => {
    // What a whole append of another process leaves, in one stroke.
    const person = disk.startProcess();
    const fd = person.open('/store/sessions/s/memory.jsonl', O_WRONLY | O_APPEND);
    person.write(fd, Buffer.from(encodeLine(bodyOf('between'), copy.seq! + 1, true)));
    person.close(fd);
  });
  await mine.append(LOG, [bodyOf('a')]);
  expect(await linesOf(mine)).toEqual([
    ['first', 1],
    ['mine', 2],
    ['theirs', 3],
    ['between', 4],
    ['a', 5],
  ]);
  for (const store of [mine, theirs]) await store.close();
});

it.each(['stat', 'read'] as const)('is stored when the %s of the look fails', async (kind) => {
  const { mine, theirs, rest, faulty } = await makeLog();
  rest();
  faulty.strike([{ kind, at: 1, fail: 'EIO' }]);
  await mine.append(LOG, [bodyOf('a')]);
  expect(faulty.hasStruck).toBe(true);
  expect((await linesOf(theirs)).at(-1)).toEqual(['a', 4]);
  for (const store of [mine, theirs]) await store.close();
});

it('leaves to the lock what is decided there', async () => {
  const { mine, theirs, rest } = await makeLog();
  rest();
  await Promise.all([
    mine.append(LOG, ({ lines }) => [bodyOf(`after-${lines.length}`)]),
    mine.append(LOG, [bodyOf('a')]),
  ]);
  expect((await linesOf(mine)).slice(3)).toEqual([
    ['after-3', 4],
    ['a', 5],
  ]);
  for (const store of [mine, theirs]) await store.close();
});

it('looks at nothing under the lock that it found in order before, except the log', async () => {
  const { mine, theirs, rest, looks, onNextLock } = await makeLog();
  rest();
  looks.length = 0;
  onNextLock(() => looks.push('the lock'));
  await mine.append(LOG, [bodyOf('a')]);
  const names = looks.map((path) => path.split('/').at(-1));
  expect(names).toEqual(['.lock.k', 'lock', 'memory.jsonl', 'the lock', 'memory.jsonl']);
  for (const store of [mine, theirs]) await store.close();
});

it('stands in line again after a tenth of a millisecond, however busy it is', async () => {
  const { mine, theirs, rest, clock, locked } = await makeLog();
  rest();
  locked.length = 0;
  for (let i = 0; i < 7; i++) {
    await mine.append(LOG, [bodyOf(`a${i}`)]);
    clock.advance(0.04);
  }
  expect(locked).toEqual([2, 1, 1, 2, 1, 1, 2]);
  for (const store of [mine, theirs]) await store.close();
});

it('takes no wait for the lock for a rest', async () => {
  const { mine, theirs, rest, disk, clock, looks } = await makeLog();
  const holder = disk.startProcess();
  const anchor = holder.open('/store/sessions/s/.lock.k', O_WRONLY);
  holder.tryLock(anchor, 0);
  const waiting = mine.append(LOG, [bodyOf('a')]);
  await new Promise((resolve) => setImmediate(resolve));
  rest();
  holder.close(anchor);
  await waiting;
  clock.advance(1);
  looks.length = 0;
  await mine.append(LOG, [bodyOf('b')]);
  expect(looks.map((path) => path.split('/').at(-1))).toEqual(['memory.jsonl']);
  for (const store of [mine, theirs]) await store.close();
});
