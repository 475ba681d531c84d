import { describe, expect, it } from 'vitest';
import type { EventFacts } from '../../core/events.ts';
import { isCurrent, readAfter, readLog } from '../../core/read-log.ts';
import type { LogAddress, LogSlice } from '../../core/store.ts';
import { UNCHANGED } from '../../core/store.ts';
import { newsSince } from '../../testing/conformance-records.ts';
import { createFaultFileSystem, FakeClock, SimulatedDisk } from '../../testing/index.ts';
import { FileStore } from './file-store.ts';
import type { FileStoreOptions } from './file-store-options.ts';
import { O_CREAT, O_RDONLY, O_WRONLY } from './file-system.ts';
import { asOnWindows } from './windows.ts';

/** What other processes and people do to a log behind the back of a process that only appends. */

const LOG: LogAddress = { kind: 'session', id: 's' };
const FOLDER = '/store/sessions/s';
const bodyOf = (id: string): string => `{"schema_version":1,"id":"${id}"}`;
const keepAll = ({ lines }: LogSlice) => ({ keep: lines.map((line) => ({ line })), append: [] });

async function makeLog() {
  const disk = new SimulatedDisk();
  const person = disk.startProcess();
  const events: EventFacts[] = [];
  const emit = (event: EventFacts): void => void events.push(event);
  const clock = new FakeClock(Date.now());
  const open = (fileSystem: FileStoreOptions['fileSystem'] = disk.startProcess()): FileStore =>
    new FileStore({ root: '/store', fileSystem, clock, emit });
  const write = (name: string, text: string): void => {
    const fd = person.open(`${FOLDER}/${name}`, O_WRONLY | O_CREAT, 0o600);
    person.write(fd, Buffer.from(text));
    person.close(fd);
  };
  const mine = open();
  await mine.append(LOG, [bodyOf('first')], { create: 'new' });
  await mine.append(LOG, [bodyOf('a')]);
  return { disk, person, events, clock, open, write, mine };
}

async function idsOf(store: FileStore): Promise<(string | undefined)[]> {
  const { lines, damage } = await readLog(store, LOG);
  expect(damage).toEqual([]);
  return lines.map((line) => line.memoryId);
}

describe('a log whose anchor a person has removed', () => {
  it('keeps what a process writes with the old lock while another rewrites the log', async () => {
    const { person, open, mine } = await makeLog();
    person.unlink(`${FOLDER}/.lock.k`);
    const theirs = open();
    let appended: Promise<unknown> | undefined;
    await theirs.rewrite(LOG, (slice) => {
      appended = mine.append(LOG, [bodyOf('b')]);
      return keepAll(slice);
    });
    await appended;
    expect(await idsOf(mine)).toEqual(['first', 'a', 'b']);
    await mine.append(LOG, [bodyOf('c')]);
    expect(await idsOf(theirs)).toEqual(['first', 'a', 'b', 'c']);
    for (const store of [mine, theirs]) await store.close();
  });

  it.each(['append', 'rewrite'] as const)('has its new one used by all after an %s', async (how) => {
    const { person, open, mine } = await makeLog();
    person.unlink(`${FOLDER}/.lock.k`);
    const theirs = open();
    // With an append this process sees that another one has written; before a rewrite it looks in any case.
    if (how === 'append') {
      await theirs.append(LOG, [bodyOf('b')]);
      await mine.append(LOG, [bodyOf('c')]);
    } else {
      await theirs.append(LOG, []);
      await mine.rewrite(LOG, keepAll);
    }
    const order: string[] = [];
    let appended: Promise<unknown> | undefined;
    await theirs
      .rewrite(LOG, (slice) => {
        appended = mine.append(LOG, [bodyOf('d')]).then(() => order.push('append'));
        return keepAll(slice);
      })
      .then(() => order.push('rewrite'));
    await appended;
    expect(order).toEqual(['rewrite', 'append']);
    for (const store of [mine, theirs]) await store.close();
  });
});

it('a log whose anchor is another one at every look is written when it stays, and its rewrite is refused till then', async () => {
  const { disk, events, open, mine } = await makeLog();
  await mine.close();
  const process = disk.startProcess();
  let inode = 0;
  let isUnsteady = true;
  const theirs = open({
    ...process,
    stat: (path) => {
      const status = process.stat(path);
      const isShown = isUnsteady && path.endsWith('.lock.k') && status !== undefined;
      return isShown ? { ...status, inode: --inode } : status;
    },
  });
  await expect(theirs.rewrite(LOG, keepAll)).rejects.toMatchObject({
    code: 'IO_FAILED',
    message: expect.stringContaining('`.lock.k` was gone, or another one') as string,
  });
  const appended = theirs.append(LOG, [bodyOf('b')]);
  while (!events.some(({ kind }) => kind === 'io-failed')) await new Promise((done) => setTimeout(done, 2));
  isUnsteady = false;
  await appended;
  expect(await idsOf(theirs)).toEqual(['first', 'a', 'b']);
  await theirs.close();
});

describe('a process that only appends', () => {
  it('clears up behind one that wrote, and died with the lock', async () => {
    const { person, open, write, events, mine } = await makeLog();
    const theirs = open();
    await theirs.append(LOG, [bodyOf('b')]);
    write('lock', '{"pid":77}');
    write('memory.jsonl.77-0.tmp', 'half');
    await mine.append(LOG, [bodyOf('c')]);
    expect(events).toContainEqual({ kind: 'lock-taken-over', log: 'session s', from_pid: 77 });
    expect(person.list(FOLDER).filter((name) => name === 'lock' || name.endsWith('.tmp'))).toEqual([]);
    await theirs.append(LOG, [bodyOf('d')]);
    await mine.append(LOG, [bodyOf('e')]);
    expect(events.filter(({ kind }) => kind === 'lock-taken-over').length).toBe(1);
    for (const store of [mine, theirs]) await store.close();
  });

  it('shows people that it holds the lock when the append is a large one', async () => {
    const { disk, person, open, mine } = await makeLog();
    await mine.close();
    const views: (string | undefined)[] = [];
    const faulty = createFaultFileSystem(disk.startProcess());
    const store = open({
      ...faulty,
      write: (fd, data, position) => {
        // The log's own writes are the only ones that go to the end of a file and are large.
        if (position === undefined && data.length > 500) views.push(readView());
        return faulty.write(fd, data, position);
      },
    });
    const readView = (): string | undefined => {
      if (person.stat(`${FOLDER}/lock`) === undefined) return undefined;
      const fd = person.open(`${FOLDER}/lock`, O_RDONLY);
      const bytes = Buffer.alloc(1_000);
      const text = bytes.toString('utf8', 0, person.read(fd, bytes, 0));
      person.close(fd);
      return (JSON.parse(text) as { operation: string }).operation;
    };
    await store.append(LOG, [`{"text":"${'x'.repeat(600)}"}`]);
    const many = Array.from({ length: 300 }, (_, i) => `{"n":${i},"text":"${'x'.repeat(1_000)}"}`);
    await store.append(LOG, many);
    expect(views).toEqual([undefined, 'append']);
    expect(person.stat(`${FOLDER}/lock`)).toBeUndefined();
    await store.close();
  });

  it('measures for the one in a batch that has the least room', async () => {
    const { open, write, mine } = await makeLog();
    const store = open();
    await store.append(LOG, [`{"text":"${'x'.repeat(3_000)}"}`]);
    const { total } = await mine.size(LOG);
    // Another process's index, which nothing in the log tells of.
    write('index.json', 'x'.repeat(500));
    const answers = await Promise.allSettled([
      store.append(LOG, [bodyOf('free')]),
      store.append(LOG, [bodyOf('roomy')], { maxBytes: 1_000_000 }),
      store.append(LOG, [bodyOf('full')], { maxBytes: total + 600 }),
      store.append(LOG, [bodyOf('roomy too')], { maxBytes: 1_000_000 }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
    for (const each of [mine, store]) await each.close();
  });
});

describe('a log that a person edits in place, and leaves as long as it was', () => {
  const edit = ({ person }: Awaited<ReturnType<typeof makeLog>>): void => {
    const fd = person.open(`${FOLDER}/memory.jsonl`, O_WRONLY);
    person.write(fd, Buffer.from(' '), 1);
    person.close(fd);
  };

  /** With the time that the test itself may take. */
  const A_MOMENT_MS = 10_000;

  it.each([
    ['that is open', (opened: Awaited<ReturnType<typeof makeLog>>) => opened.mine],
    ['that is not', (opened: Awaited<ReturnType<typeof makeLog>>) => opened.open()],
  ])('is read again as a whole by a reader that has read it, where it is one %s', async (_where, storeOf) => {
    const opened = await makeLog();
    const { position } = await readLog(opened.mine, LOG);
    const store = storeOf(opened);
    for (const mayLag of [false, true])
      expect(await readAfter(store, LOG, position, { mayLag })).toBe(UNCHANGED);
    edit(opened);
    // Until then it may be a write whose bytes are still to come.
    expect(await readAfter(store, LOG, position)).toBe(UNCHANGED);
    const early = await newsSince(store, LOG, position, { aside: true });
    expect(early).toMatchObject({ reset: false, lines: [] });
    opened.clock.advance(A_MOMENT_MS);
    for (const known of [position, early.position]) {
      for (const mayLag of [true, false]) {
        const slice = await newsSince(store, LOG, known, { mayLag });
        expect(slice).toMatchObject({ reset: true, damage: [{ kind: 'checksum' }] });
        expect(await isCurrent(store, LOG, slice.position)).toBe(true);
      }
    }
  });

  it('is followed as before when it has only grown, whichever process wrote', async () => {
    const { mine, open, clock } = await makeLog();
    const theirs = open();
    let { position } = await readLog(mine, LOG);
    for (const store of [theirs, mine, theirs]) {
      await store.append(LOG, [bodyOf('b')]);
      clock.advance(A_MOMENT_MS);
      expect(await isCurrent(mine, LOG, position)).toBe(false);
      const slice = await newsSince(mine, LOG, position);
      expect(slice.reset).toBe(false);
      expect(slice.lines).toHaveLength(1);
      ({ position } = slice);
      expect(await isCurrent(mine, LOG, position)).toBe(true);
    }
  });

  it('is not noticed where the system tells of a write too late to go by it', async () => {
    const opened = await makeLog();
    const store = opened.open(asOnWindows(opened.disk.startProcess()));
    const { position } = await readLog(store, LOG);
    edit(opened);
    opened.clock.advance(A_MOMENT_MS);
    expect(await isCurrent(store, LOG, position)).toBe(true);
    // What another version or system has noted of it is no reason to doubt it.
    expect(
      await isCurrent(store, LOG, {
        ...position,
        token: { ...(position.token as object), modifiedMs: undefined },
      }),
    ).toBe(true);
    expect(await isCurrent(opened.mine, LOG, position)).toBe(true);
  });
});
