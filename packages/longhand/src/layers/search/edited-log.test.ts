import { randomUUID } from 'node:crypto';
import {
  appendFileSync,
  cpSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../test/campaign.ts';
import { MemoryManager } from '../../memory-manager.ts';
import { FakeClock } from '../../testing/fake-clock.ts';

const clock = new FakeClock(Date.UTC(2026, 5, 1));
const now = new Date(clock.now());

/** As many editors do it: the file stays the same one. */
function editInPlace(root: string, change: (log: string) => string, file = 'memory.jsonl'): void {
  const path = join(root, 'sessions/one', file);
  const { ino } = statSync(path);
  writeFileSync(path, change(readFileSync(path, 'utf8')));
  expect(statSync(path).ino).toBe(ino);
  // A person takes longer than a tick of the system's clock.
  const later = new Date(Date.now() + 1_000);
  utimesSync(path, later, later);
}

/** The line keeps its length: spaces stand where its checksum was. */
function withoutChecksum(log: string, id: string): string {
  const line = new RegExp(`("id":"${id}".*),"checksum":"[^"]*"\\}`);
  return log.replace(line, (whole, kept: string) => `${kept}}`.padEnd(whole.length));
}

async function filled(root: string): Promise<MemoryManager> {
  const manager = new MemoryManager({ semantic: false, storageRoot: root });
  await manager.createSession('ada', { session_id: 'one' });
  for (const [i, text] of ['a red car', 'a blue boat', 'a green tram'].entries())
    await manager.addMemory('one', { id: `mem_${i}`, type: 'finding', content: { text } });
  return manager;
}

async function seen(manager: MemoryManager, text: string): Promise<unknown[]> {
  const found = await manager.queryMemories('one', { text });
  return found.map(({ id, content }) => [id, content.text]);
}

describe('a line that a person changes in place', () => {
  test('is found and shown as it is now, by a process that has just shown it as it was', async () => {
    const root = temporaryFolder();
    await using manager = await filled(root);
    expect(await seen(manager, 'a red')).toEqual([['mem_0', 'a red car']]);
    expect((await manager.getMemory('one', 'mem_0'))?.content.text).toBe('a red car');
    editInPlace(root, (log) =>
      log.replace('a red car', 'a red bicycle').replace(/("id":"mem_0".*),"checksum":"[^"]*"/, '$1'),
    );
    expect(await seen(manager, 'red')).toEqual([['mem_0', 'a red bicycle']]);
    expect(await seen(manager, 'car')).toEqual([]);
    expect(await seen(manager, 'boat')).toEqual([['mem_1', 'a blue boat']]);
    expect((await manager.getMemory('one', 'mem_0'))?.content.text).toBe('a red bicycle');
  });

  const toBus = (log: string): string => withoutChecksum(log.replace('a red car', 'a red bus'), 'mem_0');

  test('and leaves the file as long as it was, is so for a reader that reads it first', async () => {
    const root = temporaryFolder();
    await using manager = await filled(root);
    expect((await manager.getMemory('one', 'mem_0'))?.content.text).toBe('a red car');
    const { size } = statSync(join(root, 'sessions/one/memory.jsonl'));
    editInPlace(root, toBus);
    expect(statSync(join(root, 'sessions/one/memory.jsonl')).size).toBe(size);
    expect((await manager.getMemory('one', 'mem_0'))?.content.text).toBe('a red bus');
  });

  test('and leaves the file as long as it was, is so for a search', async () => {
    const root = temporaryFolder();
    await using manager = await filled(root);
    expect(await seen(manager, 'red')).toEqual([['mem_0', 'a red car']]);
    editInPlace(root, toBus);
    expect(await seen(manager, 'red')).toEqual([['mem_0', 'a red bus']]);
    expect(await seen(manager, 'car')).toEqual([]);
  });

  test('while no process had it open is so for one that starts from the index on the disk', async () => {
    const root = temporaryFolder();
    const indexLimits = { sealAtDocuments: 1, sealWhenBuilding: 64 };
    const first = await filled(root);
    await first.close();
    const second = new MemoryManager({ semantic: false, storageRoot: root, indexLimits });
    expect(await seen(second, 'red')).toEqual([['mem_0', 'a red car']]);
    await second.close();
    expect(readdirSync(join(root, 'users/ada/index')).length).toBeGreaterThan(1);
    editInPlace(root, toBus);
    await using third = new MemoryManager({ semantic: false, storageRoot: root, indexLimits });
    expect(await seen(third, 'red')).toEqual([['mem_0', 'a red bus']]);
    expect(await seen(third, 'car')).toEqual([]);
  });

  test('in the very tick in which it was last read is so once the index is rebuilt', async () => {
    const root = temporaryFolder();
    const path = join(root, 'sessions/one/memory.jsonl');
    await using manager = await filled(root);
    const { mtime } = statSync(path);
    utimesSync(path, mtime, mtime);
    expect(await seen(manager, 'red')).toEqual([['mem_0', 'a red car']]);
    editInPlace(root, toBus);
    utimesSync(path, mtime, mtime);
    await manager.rebuildIndex('one');
    expect(await seen(manager, 'red')).toEqual([['mem_0', 'a red bus']]);
    expect(await seen(manager, 'car')).toEqual([]);
    expect((await manager.getMemory('one', 'mem_0'))?.content.text).toBe('a red bus');
  });

  test('in a transcript is read as it is now', async () => {
    const root = temporaryFolder();
    await using manager = await filled(root);
    const { transcripts } = await manager.layers();
    await transcripts.archive('one', [{ id: 'm1', role: 'user', content: 'by car' }]);
    expect(await transcripts.messages('one')).toMatchObject([{ content: 'by car' }]);
    const change = (log: string): string => withoutChecksum(log.replace('by car', 'by bus'), 'm1');
    editInPlace(root, change, 'transcript.jsonl');
    expect(await transcripts.messages('one')).toMatchObject([{ content: 'by bus' }]);
  });
});

describe('a line that a person writes', () => {
  const logOf = (root: string): string => join(root, 'sessions/one/memory.jsonl');
  const write = (root: string, id: string, type: string, text: string): void =>
    appendFileSync(logOf(root), `${JSON.stringify({ id, type, content: { text } })}\n`);

  test.each([undefined, now])(
    'stands where it stands in the log, before and after a compaction (%s)',
    async (asOf) => {
      const root = temporaryFolder();
      await using manager = new MemoryManager({ semantic: false, storageRoot: root, clock });
      await manager.createSession('ada', { session_id: 'one' });
      const say = (id: string, text: string) =>
        manager.addMemory('one', { id, type: 'conversation', content: { text } });
      await say('mem_0', 'What is the plan for the garden?');
      write(root, 'mem_a', 'conversation', 'We buy them on Saturday.');
      write(root, 'mem_b', 'conversation', 'Or on Sunday.');
      for (let i = 1; i < 6; i++) await say(`mem_${i}`, `Something else ${i}`);
      const when = asOf === undefined ? { now } : { now, asOf };
      const answers = async () => ({
        byTime: (await manager.queryMemories('one', { sortBy: 'time', ...when })).map(({ id }) => id),
        found: await manager.queryMemories('one', { text: 'garden plan', explain: true, ...when }),
      });
      const before = await answers();
      expect(before.byTime).toEqual(['mem_5', 'mem_4', 'mem_3', 'mem_2', 'mem_1', 'mem_b', 'mem_a', 'mem_0']);
      expect(before.found.map(({ id }) => id)).toEqual(['mem_0', 'mem_a', 'mem_b']);
      await manager.compactSession('one');
      expect(await answers()).toEqual(before);
    },
  );

  test('is on one page, whatever numbers the lines behind it have', async () => {
    const root = temporaryFolder();
    await using manager = new MemoryManager({ semantic: false, storageRoot: root, clock });
    await manager.createSession('ada', { session_id: 'one' });
    const offset = statSync(logOf(root)).size;
    write(root, 'mem_p', 'finding', 'tea by hand');
    const drafts = Array.from({ length: offset + 5 }, (_, i) => ({
      id: `mem_${i}`,
      type: 'finding' as const,
      content: { text: `tea ${i}` },
    }));
    await manager.addMemories('one', drafts);
    const paged: string[] = [];
    for (let cursor: string | undefined, isFirst = true; isFirst || cursor; isFirst = false) {
      const page = await manager.pageMemories('one', { sortBy: 'time', limit: 1, ...(cursor && { cursor }) });
      paged.push(...page.memories.map(({ id }) => id));
      cursor = page.nextCursor;
    }
    expect(paged).toEqual([...drafts.map(({ id }) => id).toReversed(), 'mem_p']);
  });

  type Between = (manager: MemoryManager, root: string, given: readonly string[]) => Promise<unknown>;
  const BETWEEN: readonly (readonly [string, Between])[] = [
    ['nothing', async () => undefined],
    ['a compaction', (manager) => manager.compactSession('one')],
    [
      'the deletion of what was given, and a compaction',
      async (manager, _root, given) => {
        for (const id of given) await manager.deleteMemory('one', id);
        await manager.compactSession('one');
      },
    ],
    [
      'the forgetting of what was given',
      async (manager, _root, given) =>
        (await manager.layers()).privacy.forget({ session: 'one', ids: ['mem_none', ...given] }),
    ],
    [
      'a compaction after the deletion of one that was not given yet',
      async (manager) => {
        await manager.deleteMemory('one', 'mem_a');
        await manager.compactSession('one');
      },
    ],
    [
      'a line of another person, and a compaction',
      async (manager, root) => {
        write(root, `mem_late_${randomUUID()}`, 'finding', 'tea');
        await manager.compactSession('one');
      },
    ],
    [
      'a line that was put in at the front',
      async (_manager, root) =>
        editInPlace(root, (log) => {
          const line = JSON.stringify({ id: `mem_late_${randomUUID()}`, type: 'finding', content: {} });
          return log.replace('\n', `\n${line}\n`);
        }),
    ],
  ];
  const PAGED = [{ sortBy: 'time' }, { sortBy: 'importance' }, { sortBy: 'time', asOf: now }] as const;

  describe.each(BETWEEN)('with %s between two pages', (_what, happens) => {
    test.each(PAGED)('is on one page, and no other is missing, by %o', async (query) => {
      const root = temporaryFolder();
      await using manager = new MemoryManager({ semantic: false, storageRoot: root, clock });
      await manager.createSession('ada', { session_id: 'one' });
      const timestamp = new Date(clock.now());
      const say = (id: string) =>
        manager.addMemory('one', { id, timestamp, type: 'finding', content: { text: 'tea' } });
      // All of the same time: a person's line has that of the session.
      await say('mem_0');
      for (const id of ['mem_a', 'mem_b', 'mem_c']) write(root, id, 'finding', 'tea');
      for (const id of ['mem_1', 'mem_2', 'mem_3']) await say(id);
      for (const id of ['mem_d', 'mem_e']) write(root, id, 'finding', 'tea');
      await say('mem_4');
      const inOrder = (await manager.queryMemories('one', query)).map(({ id }) => id);
      expect(inOrder).toHaveLength(10);
      const given: string[] = [];
      for (let cursor: string | undefined, isFirst = true; isFirst || cursor; isFirst = false) {
        const page = await manager.pageMemories('one', { ...query, limit: 2, ...(cursor && { cursor }) });
        const ids = page.memories.map(({ id }) => id);
        given.push(...ids);
        cursor = page.nextCursor;
        await happens(manager, root, ids);
      }
      const wasThere = given.filter((id) => !id.startsWith('mem_late'));
      const isDeleted = !given.includes('mem_a');
      expect(wasThere).toEqual(isDeleted ? inOrder.filter((id) => id !== 'mem_a') : inOrder);
      if (isDeleted) expect(await manager.getMemory('one', 'mem_a')).toBeNull();
    });
  });

  test('stands before those that came after it, also for a process that starts from the stored index', async () => {
    const root = temporaryFolder();
    const indexLimits = { sealAtDocuments: 1, sealWhenBuilding: 64 };
    const timestamp = new Date(clock.now());
    const said: string[] = [];
    for (let round = 0; round < 3; round++) {
      await using manager = new MemoryManager({ semantic: false, storageRoot: root, clock, indexLimits });
      if (round === 0) await manager.createSession('ada', { session_id: 'one' });
      for (const id of [`mem_by_hand_${round}`, `mem_again_${round}`]) {
        write(root, id, 'finding', 'tea');
        said.unshift(id);
      }
      for (let i = 0; i < 3; i++) {
        const id = `mem_${round}_${i}`;
        await manager.addMemory('one', { id, timestamp, type: 'finding', content: { text: 'tea' } });
        said.unshift(id);
        const found = await manager.queryMemories('one', { sortBy: 'time' });
        expect(found.map((each) => each.id)).toEqual(said);
      }
    }
  });

  test('is searched with all of a long log, though the process that indexed it was killed half way', async () => {
    const root = temporaryFolder();
    const copy = temporaryFolder();
    const indexLimits = {
      sealAtDocuments: 3,
      sealWhenBuilding: 5,
      mergeAtSegments: 2,
      maxMergedDocuments: 64,
    };
    const open = () => new MemoryManager({ semantic: false, storageRoot: root, clock, indexLimits });
    const first = open();
    await first.createSession('ada', { session_id: 'one' });
    await first.createSession('ada', { session_id: 'two' });
    expect(await first.queryMemories('one', { text: 'tea', scope: 'user' })).toEqual([]);
    const ids = Array.from({ length: 6 }, (_, i) => `mem_${i}`);
    for (const id of ids) write(root, id, 'finding', `tea ${id}`);
    await first.queryMemories('one', { text: 'tea', limit: 0 });
    // The rest is published after the answer: on the disk is a part of the log.
    const folder = join(root, 'users/ada/index');
    cpSync(folder, copy, { recursive: true });
    await first.close();
    rmSync(folder, { recursive: true });
    cpSync(copy, folder, { recursive: true });
    await using second = open();
    const found = await second.queryMemories('two', { text: 'tea', scope: 'user' });
    expect(found.map(({ id }) => id).toSorted()).toEqual(ids);
  });
});
