import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type LogStore, type LonghandEvent, MemoryManager, type PruneReport } from '../src/index.ts';
import { FakeClock } from '../src/testing/fake-clock.ts';
import { pause, startProcess } from './campaign.ts';
import { newRoot, openFiles, STORES } from './open-stores.ts';
import type { PruneTask } from './processes/pruner.ts';

const DAY_MS = 86_400_000;
const SECRET = 'quokkaword';

interface Scene {
  readonly manager: MemoryManager;
  readonly clock: FakeClock;
  readonly store: LogStore;
  readonly events: LonghandEvent[];
}

/** Pruned only by the test, unless it says otherwise. */
const BY_HAND = { transcript: { retain_days: 7 }, retention: { interval_minutes: 0 } };

function openScene(store: LogStore, config: object = BY_HAND): Scene {
  const clock = new FakeClock();
  const events: LonghandEvent[] = [];
  return {
    manager: new MemoryManager({ store, clock, config, onEvent: (e) => events.push(e) }),
    clock,
    store,
    events,
  };
}

const said = (id: string) => [{ id, role: 'user' as const, content: `${SECRET} in ${id}` }];

/** Idle sessions: each with one old message, and the first half with a young one too. */
async function fill({ manager, clock }: Scene, count: number): Promise<void> {
  const { transcripts } = await manager.layers();
  for (let i = 0; i < count; i++) {
    await manager.createSession('ada', { session_id: `s${i}` });
    await transcripts.archive(`s${i}`, said(`old-${i}`));
  }
  clock.advance(30 * DAY_MS);
  for (let i = 0; i < count / 2; i++)
    await transcripts.archive(`s${i}`, [{ id: `young-${i}`, role: 'user', content: 'just now' }]);
}

async function bytesOf(store: LogStore): Promise<string> {
  const pieces: string[] = [];
  for await (const { bytes } of store.scan()) pieces.push(Buffer.from(bytes).toString('latin1'));
  return pieces.join('\n');
}

describe.each(STORES)('retention on the %s store', (_name, makeStore) => {
  test('hides what was captured from a message from the moment on that the message has expired', async () => {
    const { manager, clock } = openScene(makeStore()());
    await manager.createSession('ada', { session_id: 'one' });
    const { details, transcripts } = await manager.layers();
    const output = `${SECRET} ${'line of a log\n'.repeat(2_000)}`;
    const { detail } = await details.captureToolOutput('one', { output, messageId: 'asked' });
    const key = detail!.memory_key;
    const chosen = await details.store('one', {
      content: `${SECRET} chosen`,
      description: 'kept',
      type: 'finding-notes',
    });
    await transcripts.archive('one', said('asked'));
    const seen = async () => ({
      listed: (await details.list('ada')).map(({ memory_key }) => memory_key).sort(),
      found: (await details.search('ada', SECRET)).map(({ memory_key }) => memory_key).sort(),
      retrieved: await details.retrieve('ada', key).then(
        () => true,
        (error) => error.code,
      ),
    });
    const all = [key, chosen.memory_key].sort();
    expect(await seen()).toEqual({ listed: all, found: all, retrieved: true });
    clock.advance(8 * DAY_MS);
    const left = { listed: [chosen.memory_key], found: [chosen.memory_key], retrieved: 'DETAIL_NOT_FOUND' };
    expect(await seen()).toEqual(left);
    expect(await manager.prune()).toMatchObject({ messages: 1, details: 1 });
    expect(await seen()).toEqual(left);
    await manager.close();
  });

  test('reaches idle sessions, and a reader sees the same before and after', async () => {
    const scene = openScene(makeStore()());
    const { manager, store, events } = scene;
    await fill(scene, 4);
    const seen = async () => {
      const { transcripts, windows, privacy } = await manager.layers();
      const shown: unknown[] = [];
      for (const session of ['s0', 's3']) {
        const context = await manager.assembleContext({
          ...{
            session,
            user: 'ada',
            messages: [{ role: 'user', content: 'What did I say?' }],
            budget: 2_000,
          },
        });
        shown.push(
          await transcripts.messages(session),
          await transcripts.batches(session),
          await windows.read(session),
          context.messages,
        );
      }
      for await (const line of privacy.exportUser('ada')) shown.push(line.replace(/"\d{4}-[^"]*Z"/g, ''));
      return JSON.stringify(shown);
    };
    const before = await seen();
    expect(before).not.toContain(SECRET);
    expect(before).toContain('just now');
    expect(await bytesOf(store)).toContain(SECRET);

    const report = await manager.prune();
    expect(report).toMatchObject({ dry_run: false, is_claimed: false, messages: 4, details: 0, failed: [] });
    expect(report.sessions.map(({ session_id }) => session_id)).toEqual(['s0', 's1', 's2', 's3']);
    expect(await bytesOf(store)).not.toContain(SECRET);
    expect(await seen()).toBe(before);
    expect(events.filter(({ kind }) => kind === 'retention-finished')).toMatchObject([
      { level: 'INFO', sessions: 4, messages: 4, details: 0, failed: 0 },
    ]);
    expect((await manager.metrics()).counters['memory.retention.removed.count']).toBe(4);
    expect(await manager.prune()).toMatchObject({ messages: 0, sessions: [] });
    await manager.close();
  });

  test('a dry run says what the real one does, and changes nothing', async () => {
    const scene = openScene(makeStore()(), { ...BY_HAND, details: { expire_after_days: 7 } });
    const { manager, clock, store } = scene;
    const { details, transcripts } = await manager.layers();
    await manager.createSession('ada', { session_id: 'chat' });
    await transcripts.archive('chat', said('m1'));
    // Of a message, of its own age, and of both.
    await details.captureToolOutput('chat', { output: 'long '.repeat(2_000), messageId: 'm1' });
    await details.store('chat', { content: 'old', key: 'old' });
    await fill(scene, 2);
    // In another session: what is stored makes room for itself.
    await details.store('s0', { content: 'young', key: 'young' });
    const bytes = await bytesOf(store);
    const rehearsed = await manager.prune({ dryRun: true });
    expect(await bytesOf(store)).toBe(bytes);
    const done = await manager.prune();
    expect(done).toEqual({ ...rehearsed, dry_run: false });
    expect(done).toMatchObject({ messages: 3, details: 2 });
    expect(done.sessions[0]).toMatchObject({ session_id: 'chat', oldest: expect.stringMatching(/T.*Z$/) });
    expect(Date.parse(done.sessions[0]!.oldest)).toBe(clock.now() - 30 * DAY_MS);
    expect((await details.list('ada')).map(({ memory_key }) => memory_key)).toEqual(['young']);
    await manager.close();
  });

  test('opens a session again only when something in it may have had its time', async () => {
    const scene = openScene(makeStore()());
    const { manager, clock, store } = scene;
    await fill(scene, 3);
    await manager.prune();
    let reads = 0;
    const list = store.list.bind(store) as (kind: string, of?: string) => unknown;
    Object.assign(store, {
      list: (kind: string, of?: string) => {
        if (kind === 'blob') reads++;
        return list(kind, of);
      },
    });
    await manager.prune();
    expect(reads).toBe(0);
    clock.advance(7 * DAY_MS + 1);
    expect(await manager.prune()).toMatchObject({ messages: 2 });
    expect(reads).toBeGreaterThanOrEqual(3);
    await manager.close();
  });

  test('passes over sessions that are deleted or written to meanwhile', async () => {
    const scene = openScene(makeStore()());
    const { manager } = scene;
    await fill(scene, 4);
    const { transcripts } = await manager.layers();
    const doing: Promise<unknown>[] = [];
    const report = await manager.prune({
      onProgress: (done) => {
        if (done !== 1) return;
        doing.push(manager.deleteSession('s1'));
        doing.push(transcripts.archive('s2', said('new')));
      },
    });
    await Promise.all(doing);
    expect(report.failed).toEqual([]);
    expect((await transcripts.messages('s2')).map(({ id }) => id)).toEqual(['new']);
    await expect(transcripts.messages('s1')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
    expect((await manager.prune()).messages).toBe(0);
    await manager.close();
  });

  test('erases what has passed its retention and is still in the log', async () => {
    const scene = openScene(makeStore()());
    const { manager, store, clock } = scene;
    await fill(scene, 2);
    const { privacy } = await manager.layers();
    const { pieces } = await privacy.forget({ session: 's0', ids: ['old-0'] });
    expect(pieces.messages).toBe(1);
    expect(await privacy.redact({ session: 's1', message: 'old-1', text: SECRET })).toBe(1);
    expect(await bytesOf(store)).not.toContain(SECRET);
    clock.advance(1);
    await manager.close();
  });

  test('runs automatically, once for all managers, and again when the settings change', async () => {
    const open = makeStore();
    const first = openScene(open());
    await fill(first, 2);
    await first.manager.close();
    const config = { transcript: { retain_days: 7 }, retention: { interval_minutes: 0.01 } };
    const [one, two] = [openScene(open(), config), openScene(open(), config)];
    for (const { clock, manager } of [one, two]) {
      clock.advance(31 * DAY_MS);
      await manager.listSessions();
    }
    const runs = () => [...one.events, ...two.events].filter(({ kind }) => kind === 'retention-finished');
    await expect.poll(() => runs().length).toBeGreaterThan(0);
    expect(runs()[0]).toMatchObject({ messages: 2 });
    // By their clocks no time has passed: the others find it done.
    await pause(1_500);
    expect(runs()).toHaveLength(1);
    one.clock.advance(60_000);
    await expect.poll(() => runs().length).toBeGreaterThan(1);
    expect(runs()[1]).toMatchObject({ messages: 0 });
    await one.manager.close();
    await two.manager.close();
  });
});

/** Messages that are old by the clock of the processes that prune. */
async function idleStore(root: string, sessions: number): Promise<void> {
  await using manager = new MemoryManager({ storageRoot: root });
  const { transcripts } = await manager.layers();
  for (let i = 0; i < sessions; i++) {
    await manager.createSession('ada', { session_id: `s${i}` });
    await transcripts.archive(`s${i}`, said(`m${i}`));
  }
}

test('one process prunes at a time; when it is killed, the next one does the rest', async () => {
  const root = newRoot();
  await idleStore(root, 6);
  const start = (task: Partial<PruneTask>) => startProcess('pruner.ts', { root, ...task });
  const killed = start({ stopAfter: 3 });
  await expect.poll(() => killed.lines).toContain('halted 3');
  const other = start({});
  expect((await other.ended).code).toBe(0);
  expect(other.lines).toEqual(['pruned true 0']);
  killed.child.kill('SIGKILL');
  await killed.ended;
  expect(existsSync(join(root, 'indices/retention.json'))).toBe(false);
  const next = start({});
  expect((await next.ended).code).toBe(0);
  expect(next.lines).toEqual(['pruned false 3']);
  expect(await bytesOf(openFiles(root))).not.toContain(SECRET);
  const { messages, settings } = JSON.parse(readFileSync(join(root, 'indices/retention.json'), 'utf8'));
  expect([messages, settings]).toEqual([3, 'transcript 0.5, details 0']);
});

test('two processes that prune at once remove everything once', async () => {
  const root = newRoot();
  await idleStore(root, 40);
  const both = [0, 1].map(() => startProcess('pruner.ts', { root }));
  for (const { ended } of both) expect((await ended).code).toBe(0);
  const counts = both.map(({ lines }) => Number(lines[0]!.split(' ')[2]));
  expect(counts[0]! + counts[1]!).toBe(40);
  expect(await bytesOf(openFiles(root))).not.toContain(SECRET);
});

test('an option that there is none of is refused', async () => {
  await using manager = new MemoryManager({ storageRoot: newRoot() });
  const options = { dryrun: true } as object;
  await expect(manager.prune(options) as Promise<PruneReport>).rejects.toMatchObject({
    code: 'INVALID_OPTION',
  });
});
