import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  FileStore,
  IOError,
  type LogStore,
  type LonghandEvent,
  MemoryManager,
  type NewMemory,
} from '../../index.ts';
import { FakeClock } from '../../testing/index.ts';

/** Seals at the first occasion, so that a handful of memories makes an index with several segments. */
const EARLY = { sealAtDocuments: 4, sealWhenBuilding: 6, mergeAtSegments: 3, maxMergedDocuments: 1_000 };
const WORDS = ['tea', 'coffee', 'harbour', 'boats', 'garden', 'roses', 'ticket'];
const QUESTIONS = ['tea', 'green boats in the harbour', 'ros*', '"tea number"', 'Ana'];

let root: string;
let clock: FakeClock;
let opened: MemoryManager[];
let events: LonghandEvent[];

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'longhand-'));
  clock = new FakeClock();
  opened = [];
  events = [];
});
afterEach(async () => {
  for (const manager of opened) await manager.close();
  rmSync(root, { recursive: true });
});

function open(folder = root): MemoryManager {
  const store = new FileStore({ root: folder });
  const onEvent = (event: LonghandEvent): void => void events.push(event);
  const manager = new MemoryManager({ store, clock, indexLimits: EARLY, onEvent });
  opened.push(manager);
  return manager;
}

const draft = (i: number): NewMemory => ({
  id: `m${i}`,
  type: i % 3 === 0 ? 'finding' : 'conversation',
  content: { text: `${WORDS[i % WORDS.length]} number ${i}`, speaker: i % 2 === 0 ? 'Ana' : 'Ben' },
  tags: [`t${i % 2}`],
});
const drafts = (from: number, to: number): NewMemory[] =>
  Array.from({ length: to - from }, (_, i) => draft(from + i));

/** Two sessions whose index is on the disk in several segments, with documents that are gone. */
async function fill(): Promise<void> {
  const manager = open();
  await manager.createSession('ada', { session_id: 'one' });
  await manager.createSession('ada', { session_id: 'two' });
  for (let i = 0; i < 24; i += 4) {
    await manager.addMemories(i % 8 === 0 ? 'one' : 'two', drafts(i, i + 4));
    await manager.queryMemories('one', { text: 'tea', now: new Date(clock.now()) });
  }
  await manager.deleteMemory('one', 'm1');
  await manager.setImportance('two', 'm5', 1);
  await manager.addMemories('one', drafts(30, 36));
  await manager.close();
}

const folderOf = (folder = root): string => join(folder, 'users', 'ada', 'index');
const manifestPath = (): string => join(folderOf(), 'manifest.json');
const segmentPaths = (): string[] =>
  readdirSync(folderOf())
    .filter((name) => name.endsWith('.segment'))
    .map((name) => join(folderOf(), name));
const logPath = (session: string): string => join(root, 'sessions', session, 'memory.jsonl');

async function answersOf(manager: MemoryManager): Promise<unknown> {
  const now = new Date(clock.now());
  const answers: unknown[] = [];
  for (const text of QUESTIONS) {
    answers.push(await manager.queryMemories('one', { text, scope: 'user', explain: true, limit: 50, now }));
    answers.push(await manager.searchSessions('ada', text, { now }));
  }
  answers.push(await manager.queryMemories('two', { tags: { include: ['t1'] }, now }));
  return answers;
}

/** What an index gives that was never anywhere but in memory. */
async function expectedAnswers(): Promise<unknown> {
  const copy = mkdtempSync(join(tmpdir(), 'longhand-'));
  cpSync(root, copy, { recursive: true });
  rmSync(folderOf(copy), { recursive: true, force: true });
  const manager = new MemoryManager({ store: new FileStore({ root: copy }), clock });
  const answers = await answersOf(manager);
  await manager.close();
  rmSync(copy, { recursive: true });
  return answers;
}

/** The right answers, and an index on the disk that gives them again without being built. */
async function expectMended(): Promise<void> {
  const expected = await expectedAnswers();
  const manager = open();
  expect(await answersOf(manager)).toEqual(expected);
  await manager.close();
  const written = readFileSync(manifestPath(), 'utf8');
  const again = open();
  expect(await answersOf(again)).toEqual(expected);
  expect(readFileSync(manifestPath(), 'utf8')).toBe(written);
}

describe('the index on the disk', () => {
  test('is written for a few long memories as it is for many short ones', async () => {
    const long = Array.from({ length: 40_000 }, (_, i) => `word${i % 500}`).join(' ');
    const withDefaults = (): MemoryManager => {
      const manager = new MemoryManager({ store: new FileStore({ root }), clock });
      opened.push(manager);
      return manager;
    };
    const manager = withDefaults();
    await manager.createSession('ada', { session_id: 'one' });
    for (const id of ['m1', 'm2'])
      await manager.addMemory('one', { id, type: 'finding', content: { id, long } });
    await manager.queryMemories('one', { text: 'word7' });
    await manager.close();
    expect(segmentPaths()).toHaveLength(1);
    expect((await withDefaults().queryMemories('one', { text: 'word7' })).map(({ id }) => id)).toHaveLength(
      2,
    );
  });

  test('is written also by a program that asks on and on without a pause', async () => {
    const manager = open();
    const ask = async (): Promise<string> =>
      JSON.stringify(await manager.queryMemories('one', { text: 'tea', now: new Date(clock.now()) }));
    await manager.createSession('ada', { session_id: 'one' });
    await ask();
    await manager.addMemories('one', drafts(0, 5));
    const answers = new Set<string>();
    for (let i = 0; i < 20; i++) answers.add(await ask());
    // Nothing that waits for its turn has had one.
    expect(existsSync(manifestPath())).toBe(false);
    for (let i = 0; i < 20; i++) answers.add(await ask());
    expect(existsSync(manifestPath())).toBe(true);
    expect(answers.size).toBe(1);
  });

  test('says at the end of a process what of the logs it covers, when they hold no new memories', async () => {
    await fill();
    const user = open();
    await user.queryMemories('one', { text: 'tea' });
    await user.close();
    const named = JSON.parse(readFileSync(manifestPath(), 'utf8').split('\n')[0]!) as {
      readonly sessions: Readonly<Record<string, { readonly position: { readonly at: number } }>>;
    };
    for (const id of ['one', 'two']) {
      expect(named.sessions[id]!.position.at).toBe(statSync(logPath(id)).size);
    }
  });

  test('is used by the next process as it is', async () => {
    await fill();
    expect(segmentPaths().length).toBeGreaterThan(1);
    await expectMended();
  });

  test.each<[string, () => void]>([
    ['missing', () => rmSync(manifestPath())],
    ['empty', () => truncateSync(manifestPath(), 0)],
    ['cut short', () => truncateSync(manifestPath(), Math.floor(statSync(manifestPath()).size / 2))],
    ['no JSON', () => writeFileSync(manifestPath(), 'once upon a time')],
    ['JSON of something else', () => writeFileSync(manifestPath(), '[]\n')],
    [
      'without its checksum',
      () => writeFileSync(manifestPath(), readFileSync(manifestPath(), 'utf8').split('\n')[0]!),
    ],
    ['of another version', () => writeFileSync(manifestPath(), ofVersion(2))],
  ])('is built again when its manifest is %s', async (_, harm) => {
    await fill();
    harm();
    await expectMended();
  });

  test.each<[string, (path: string) => void]>([
    ['missing', (path) => rmSync(path)],
    ['empty', (path) => truncateSync(path, 0)],
    ['cut short', (path) => truncateSync(path, statSync(path).size - 7)],
    ['longer than it was', (path) => appendFileSync(path, 'more')],
    ['another whole one', (path) => cpSync(segmentPaths().find((other) => other !== path)!, path)],
    ['not to be read', (path) => putFolder(path)],
  ])('is built again when a segment is %s', async (_, harm) => {
    for (const which of [0, -1]) {
      await rebuildRoot();
      harm(segmentPaths().sort().at(which)!);
      await expectMended();
    }
  });

  test('is built again, whichever bit of it flips', async () => {
    await fill();
    const expected = await expectedAnswers();
    const copy = mkdtempSync(join(tmpdir(), 'longhand-'));
    cpSync(folderOf(), copy, { recursive: true });
    const names = readdirSync(copy).filter((name) => !name.startsWith('.'));
    const flips = fc.record({
      name: fc.constantFrom(...names),
      share: fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
      bit: fc.nat(7),
    });
    await fc.assert(
      fc.asyncProperty(flips, async ({ name, share, bit }) => {
        rmSync(folderOf(), { recursive: true });
        cpSync(copy, folderOf(), { recursive: true });
        const bytes = readFileSync(join(folderOf(), name));
        bytes[Math.floor(share * bytes.length)]! ^= 1 << bit;
        writeFileSync(join(folderOf(), name), bytes);
        const manager = open();
        expect(await answersOf(manager)).toEqual(expected);
        await manager.close();
      }),
      { numRuns: 60 },
    );
    rmSync(copy, { recursive: true });
  });

  test('is built again under a process that is using it', async () => {
    await fill();
    const expected = await expectedAnswers();
    const manager = open();
    await manager.searchSessions('ada', 'tea');
    for (const path of segmentPaths()) {
      const { size } = statSync(path);
      writeFileSync(path, Buffer.alloc(size, 0xa5), { flag: 'r+' });
    }
    expect(await answersOf(manager)).toEqual(expected);
  });

  test('is no reason to fail when it cannot be written', async () => {
    await fill();
    const expected = await expectedAnswers();
    rmSync(folderOf(), { recursive: true });
    writeFileSync(folderOf(), 'in the way');
    const manager = open();
    expect(await answersOf(manager)).toEqual(expected);
    await manager.close();
    expect(events).toContainEqual(expect.objectContaining({ kind: 'io-failed', operation: 'seal' }));
  });

  async function rebuildRoot(): Promise<void> {
    rmSync(root, { recursive: true });
    await fill();
  }
});

describe('an index that is ahead of its log', () => {
  test('follows a log that lost its end', async () => {
    await fill();
    for (const session of ['one', 'two']) {
      const lines = readFileSync(logPath(session), 'utf8').split('\n');
      writeFileSync(logPath(session), `${lines.slice(0, 5).join('\n')}\n`);
      await expectMended();
    }
  });

  test('follows a log that was put back from an older copy, with what has been deleted since', async () => {
    const manager = open();
    await manager.createSession('ada', { session_id: 'one' });
    await manager.createSession('ada', { session_id: 'two' });
    await manager.addMemories('two', drafts(0, 12));
    await manager.addMemories('one', drafts(20, 23));
    cpSync(logPath('two'), join(root, 'copy'));
    await manager.deleteMemory('two', 'm0');
    await manager.compactSession('two');
    await manager.addMemories('one', drafts(23, 30));
    await manager.queryMemories('one');
    await manager.close();
    cpSync(join(root, 'copy'), logPath('two'));
    await expectMended();
    const found = await open().queryMemories('one', { scope: 'user', text: 'tea' });
    expect(found.map(({ id }) => id)).toContain('m0');
  });

  test('is told apart in a process that was there all the time, when its session is asked', async () => {
    await fill();
    const manager = open();
    await answersOf(manager);
    const lines = readFileSync(logPath('two'), 'utf8').split('\n');
    writeFileSync(logPath('two'), `${lines.slice(0, 4).join('\n')}\n`);
    await manager.queryMemories('two', { text: 'tea' });
    expect(await answersOf(manager)).toEqual(await expectedAnswers());
  });

  test('leaves out a memory whose line is damaged, and fills its place', async () => {
    await fill();
    const manager = open();
    const before = await manager.queryMemories('one', { text: 'number', scope: 'user', limit: 3 });
    const bytes = readFileSync(logPath(before[0]!.session_id));
    const at = bytes.indexOf(String(before[0]!.content.text));
    bytes[at]! ^= 1;
    writeFileSync(logPath(before[0]!.session_id), bytes);
    const after = await open().queryMemories('one', { text: 'number', scope: 'user', limit: 3 });
    expect(after.length).toBe(3);
    expect(after.map(({ id }) => id)).not.toContain(before[0]!.id);
    expect(await answersOf(open())).toEqual(await expectedAnswers());
  });

  test('takes what a person wrote with its session’s time, and not what was deleted', async () => {
    await fill();
    const manager = open();
    await answersOf(manager);
    const deleted = readFileSync(logPath('one'), 'utf8')
      .split('\n')
      .find((line) => line.includes('"m1"') && line.includes('content'))!;
    appendFileSync(logPath('one'), `${deleted}\n{"type":"finding","content":{"text":"tea by hand"}}\n`);
    const found = await manager.queryMemories('one', { text: '"tea by hand"' });
    expect(found.map(({ timestamp }) => timestamp)).toEqual([new Date(clock.now()).toISOString()]);
    expect(await answersOf(manager)).toEqual(await expectedAnswers());
  });

  test('is missing no session when the change file is gone', async () => {
    await fill();
    const expected = await expectedAnswers();
    rmSync(join(root, 'users', 'ada', 'changes'));
    expect(await answersOf(open())).toEqual(expected);
    rmSync(join(root, 'users', 'ada'), { recursive: true });
    expect((await open().queryMemories('two', { text: 'number' })).length).toBeGreaterThan(0);
  });
});

describe('several processes', () => {
  test('that both seal give the same answers, and leave one index', async () => {
    const managers = [open(), open(), open()];
    await managers[0]!.createSession('ada', { session_id: 'one' });
    await managers[0]!.createSession('ada', { session_id: 'two' });
    for (let i = 0; i < 60; i += 3) {
      await managers[i % 3]!.addMemories(i % 2 === 0 ? 'one' : 'two', drafts(i, i + 3));
      if (i % 9 === 0) await managers[1]!.deleteMemory('one', `m${i}`);
      if (i === 30) await managers[2]!.compactSession('one');
      const answers = await Promise.all(managers.map(answersOf));
      expect(answers[1]).toEqual(answers[0]);
      expect(answers[2]).toEqual(answers[0]);
    }
    expect(await answersOf(managers[0]!)).toEqual(await expectedAnswers());
    for (const manager of managers) await manager.close();
    await expectMended();
    const named = JSON.parse(readFileSync(manifestPath(), 'utf8').split('\n')[0]!) as {
      segments: { name: string }[];
    };
    expect(
      segmentPaths()
        .map((path) => path.split('/').at(-1))
        .sort(),
    ).toEqual(named.segments.map(({ name }) => name).sort());
  });

  test('find an index that another one publishes while they start', async () => {
    await fill();
    const late = open();
    const early = open();
    await early.addMemories('one', drafts(40, 52));
    const [first, second] = await Promise.all([answersOf(late), answersOf(early)]);
    expect(first).toEqual(second);
    expect(first).toEqual(await expectedAnswers());
  });

  test('leave nothing of a user on the disk who has little to search', async () => {
    const manager = new MemoryManager({ storageRoot: root });
    await manager.createSession('ada', { session_id: 'one' });
    await manager.addMemory('one', draft(1));
    await manager.queryMemories('one', { text: 'tea' });
    await manager.close();
    expect(existsSync(folderOf())).toBe(false);
  });
});

function ofVersion(version: number): string {
  return readFileSync(manifestPath(), 'utf8').replace('{"version":1', `{"version":${version}`);
}

/** A folder in place of the file: no process can read that, whatever its rights are. */
function putFolder(path: string): void {
  rmSync(path);
  mkdirSync(path);
}

test('a log that changed unseen is found by processes that ask once and end, whichever it is', async () => {
  const SESSIONS = 40;
  const writer = open();
  for (let n = 0; n < SESSIONS; n++) {
    await writer.createSession('ada', { session_id: `s${n}` });
    await writer.addMemory(`s${n}`, { type: 'finding', content: { text: `tea ${n}` } });
  }
  await writer.queryMemories('s0', { text: 'tea', scope: 'user' });
  await writer.close();
  for (const changed of ['s0', `s${SESSIONS - 1}`]) {
    const text = `ticket of ${changed}`;
    // As a backup that is put back, or a person's editor would: nothing is noted.
    appendFileSync(
      join(root, 'sessions', changed, 'memory.jsonl'),
      `${JSON.stringify({ type: 'finding', content: { text } })}\n`,
    );
    let isFound = false;
    for (let processes = 0; !isFound && processes < 100; processes++) {
      const once = open();
      const found = await once.queryMemories('s20', { text, scope: 'user' });
      isFound = found.some(({ content }) => content.text === text);
      await once.close();
    }
    expect(isFound).toBe(true);
  }
});

describe('queries at the same time', () => {
  const ask = (manager: MemoryManager) => manager.queryMemories('one', { text: 'tea', scope: 'user' });

  /** A store that tells of each look at the changes of a user, once it is over. */
  function openLooking(onLook: () => void | Promise<void>): MemoryManager {
    const store: LogStore = new FileStore({ root });
    const look = store.follow.bind(store);
    store.follow = async (userId, since) => {
      const changes = await look(userId, since);
      await onLook();
      return changes;
    };
    const manager = new MemoryManager({ store, clock });
    opened.push(manager);
    return manager;
  }

  test('share a look that began after all of them had asked', async () => {
    await fill();
    let looks = 0;
    const manager = openLooking(() => void looks++);
    await ask(manager);
    looks = 0;
    const [first, ...others] = await Promise.all([ask(manager), ask(manager), ask(manager)]);
    expect(looks).toBe(1);
    for (const other of others) expect(other).toEqual(first);
    await ask(manager);
    expect(looks).toBe(2);
  });

  test('see what was acknowledged while another one was looking', async () => {
    await fill();
    const writer = open();
    let late: Promise<readonly { readonly id: string }[]> | undefined;
    let isArmed = false;
    const manager = openLooking(async () => {
      if (!isArmed) return;
      isArmed = false;
      await writer.addMemory('two', { id: 'late', type: 'finding', content: { text: 'tea' } });
      late = ask(manager);
    });
    await ask(manager);
    isArmed = true;
    const [early] = await Promise.all([ask(manager), ask(manager)]);
    expect(early.map(({ id }) => id)).not.toContain('late');
    expect((await late!).map(({ id }) => id)).toContain('late');
  });

  test('do not fail with one whose look failed', async () => {
    await fill();
    let isFailing = false;
    const manager = openLooking(() => {
      if (!isFailing) return;
      isFailing = false;
      throw new IOError('IO_FAILED', 'The disk has a bad moment.');
    });
    const expected = await ask(manager);
    isFailing = true;
    const [failed, other] = await Promise.allSettled([ask(manager), ask(manager)]);
    expect(failed).toMatchObject({ status: 'rejected', reason: { code: 'IO_FAILED' } });
    expect(other).toEqual({ status: 'fulfilled', value: expected });
  });
});

describe('what is gone from the logs', () => {
  const CANARY = 'xylophone';
  const bytesOnDisk = (): string =>
    readdirSync(folderOf())
      .map((name) => readFileSync(join(folderOf(), name), 'latin1'))
      .join('');
  const withCanary = (from: number, to: number): NewMemory[] =>
    drafts(from, to).map((each) => ({ ...each, content: { text: `${CANARY} ${each.id}` } }));

  test.each(['removed', 'rewritten'])(
    'goes from the segments when the process that had its log %s was killed before that',
    async (how) => {
      const writer = open();
      await writer.createSession('ada', { session_id: 'one' });
      await writer.createSession('ada', { session_id: 'two' });
      await writer.addMemories('one', withCanary(0, 8));
      await writer.addMemories('two', drafts(8, 12));
      await writer.queryMemories('one', { text: CANARY });
      await writer.close();
      expect(bytesOnDisk()).toContain(CANARY);
      // The store alone knows nothing of the index: as if the process had been killed between the two.
      const store = new FileStore({ root });
      const log = { kind: 'session', id: 'one' } as const;
      if (how === 'removed') await store.remove({ ...log, userId: 'ada' });
      else await store.rewrite(log, ({ lines }) => ({ keep: [{ line: lines[0]! }], append: [] }));
      await store.close();

      const next = open();
      expect(await next.queryMemories('two', { text: CANARY, scope: 'user' })).toEqual([]);
      await next.close();
      expect(bytesOnDisk()).not.toContain(CANARY);
      expect(await open().queryMemories('two', { text: 'number', scope: 'user' })).toHaveLength(4);
    },
  );

  test('goes automatically after a second, in a process that goes on', async () => {
    const [mine, theirs] = [open(), new FileStore({ root })];
    await mine.createSession('ada', { session_id: 'one' });
    await mine.createSession('ada', { session_id: 'two' });
    await mine.addMemories('one', withCanary(0, 8));
    await mine.queryMemories('one', { text: CANARY });
    await until(() => existsSync(manifestPath()) && bytesOnDisk().includes(CANARY));
    await theirs.remove({ kind: 'session', id: 'one', userId: 'ada' });
    await mine.queryMemories('two', { text: CANARY, scope: 'user' });
    await until(() => !bytesOnDisk().includes(CANARY));
    await theirs.close();
  });

  test('is not written down by a process that had it in memory when another one forgot it', async () => {
    const store = new FileStore({ root });
    let openGate = (): void => undefined;
    const gate = new Promise<void>((resolve) => {
      openGate = resolve;
    });
    let isAtGate = false;
    const publish = store.publishIndex.bind(store);
    store.publishIndex = async (...given) => {
      isAtGate = true;
      await gate;
      return publish(...given);
    };
    const slowManager = new MemoryManager({ store, clock, indexLimits: EARLY });
    opened.push(slowManager);
    const mine = open();
    await mine.createSession('ada', { session_id: 'one' });
    await mine.addMemories('one', withCanary(0, 5));
    await slowManager.queryMemories('one', { text: CANARY });
    await until(() => isAtGate);
    await mine.deleteSession('one');
    openGate();
    await slowManager.createSession('ada', { session_id: 'two' });
    expect(await slowManager.queryMemories('two', { text: CANARY, scope: 'user' })).toEqual([]);
    expect(bytesOnDisk()).not.toContain(CANARY);
  });

  test('makes no segment where nothing was on the disk, and a tail in memory answers on', async () => {
    const [mine, other] = [open(), open()];
    await mine.createSession('ada', { session_id: 'one' });
    await mine.addMemories('one', withCanary(0, 2));
    for (const manager of [mine, other]) expect(await manager.recall('ada', CANARY)).toHaveLength(2);
    const { privacy } = await mine.layers();
    await privacy.forget({ session: 'one', ids: ['m1'] });
    expect(segmentPaths()).toEqual([]);
    for (const manager of [mine, other]) {
      expect((await manager.recall('ada', CANARY)).map(({ id }) => id)).toEqual(['m0']);
      await manager.addMemories('one', drafts(manager === mine ? 10 : 20, manager === mine ? 18 : 28));
      await manager.recall('ada', CANARY);
    }
    await until(() => segmentPaths().length > 0);
  });

  test('leaves no segment of a process that was killed before it could publish it', async () => {
    const mine = open();
    await mine.createSession('ada', { session_id: 'one' });
    await mine.addMemories('one', withCanary(0, 2));
    mkdirSync(folderOf(), { recursive: true });
    writeFileSync(join(folderOf(), 'half.segment'), CANARY);
    await mine.deleteSession('one');
    expect(bytesOnDisk()).not.toContain(CANARY);
  });

  async function until(isSo: () => boolean): Promise<void> {
    while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 20));
  }
});

test('a line that was edited without taking its checksum out is reported when it is searched', async () => {
  await fill();
  const path = logPath('one');
  writeFileSync(path, readFileSync(path, 'utf8').replace('number 8', 'number eight'));
  events = [];
  const manager = open();
  await manager.queryMemories('two', { text: 'number', scope: 'user' });
  await manager.queryMemories('one', { text: 'number', scope: 'user' });
  const told = events.filter(({ kind }) => kind === 'corruption-found');
  expect(told).toEqual([expect.objectContaining({ log: 'session one', lines: 1 })]);
  expect((await manager.metrics()).counters['memory.errors.corruption.count']).toBe(1);
});

test('a damaged line is reported by every process, also when another one has indexed its log', async () => {
  await fill();
  const path = logPath('one');
  writeFileSync(path, readFileSync(path, 'utf8').replace('number 8', 'number eight'));
  for (const process of ['that meets it', 'that starts from the index of the one before', 'and the next']) {
    events = [];
    const manager = open();
    for (let i = 0; i < 2; i++) await manager.queryMemories('two', { text: 'number', scope: 'user' });
    await manager.close();
    const told = events.filter(({ kind }) => kind === 'corruption-found');
    expect(told, process).toEqual([expect.objectContaining({ log: 'session one', lines: 1 })]);
  }
  expect(readFileSync(manifestPath(), 'utf8')).toContain('"damaged_at":[');
});
