import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { interrupted } from '../../../test/interrupted-store.ts';
import { openDetails, placesHolding } from '../../../test/open-details.ts';
import { STORES } from '../../../test/open-stores.ts';
import type { LogStore } from '../../core/store.ts';
import { type FileStore, MemoryStore } from '../../index.ts';

const DAY_MS = 86_400_000;

/** A store on which one call fails, as if the process had been killed there. */
function failingAt(store: LogStore, method: keyof LogStore): LogStore {
  return new Proxy(store, {
    get: (target, name) => {
      if (name === method) return async () => Promise.reject(new Error(`killed at ${method}`));
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}

describe.each(STORES)('forgetting details on the %s store', (_name, newStore) => {
  async function open() {
    const store = newStore();
    const opened = openDetails(store());
    await opened.sessions.create('ada', { session_id: 'one' });
    return { ...opened, store };
  }

  test('redacts what another process redacts at the same moment', async () => {
    for (let after = 0; after < 12; after++) {
      const store = newStore();
      const other = openDetails(store());
      await other.sessions.create('ada', { session_id: 'one' });
      await other.details.store('one', { content: 'xyzzyq and plugh', description: 'A log', key: 'log' });
      const { store: watched, next } = interrupted(store(), ['read', 'follow', 'openBlob']);
      const { details } = openDetails(watched);
      next.after = after;
      next.happen = async () => void (await other.details.redact('ada', 'log', 'xyzzyq'));
      expect(await details.redact('ada', 'log', 'plugh'), `after ${after}`).toBe(1);
      expect(await placesHolding(store(), 'plugh')).toEqual([]);
    }
  });

  test('reads the value that another process left, which was killed before it announced its redaction', async () => {
    const { details, store } = await open();
    await details.store('one', { content: 'xyzzyq and plugh', key: 'log' });
    expect((await details.retrieve('ada', 'log')).content).toBe('xyzzyq and plugh');
    const killed = openDetails(failingAt(store(), 'append')).details;
    await expect(killed.redact('ada', 'log', 'xyzzyq')).rejects.toThrow('killed at append');
    expect((await details.retrieve('ada', 'log')).content).toBe('[redacted] and plugh');
  });

  test('leaves no byte of them: value, description, metadata and key', async () => {
    const { details, context } = await open();
    const canary = {
      content: 'xyzzyq in the value',
      description: 'xyzzyq described',
      metadata: { a: 'xyzzyq' },
    };
    await details.store('one', { ...canary, key: 'xyzzyq-key' });
    await details.store('one', { content: 'stays', key: 'stays' });
    await details.setActive('ada', 'xyzzyq-key', false);
    expect((await placesHolding(context.store, 'xyzzyq')).length).toBeGreaterThan(1);
    expect(await details.forget('one', ['xyzzyq-key', 'never-there'])).toBe(1);
    expect(await placesHolding(context.store, 'xyzzyq')).toEqual([]);
    expect((await details.retrieve('ada', 'stays')).content).toBe('stays');
    expect(await details.search('ada', 'xyzzyq')).toEqual([]);

    await details.store('one', { ...canary, key: 'xyzzyq-key' });
    expect(await details.forget('one', 'all')).toBe(2);
    expect(await placesHolding(context.store, 'xyzzyq')).toEqual([]);
    expect(await context.store.list('blob', 'one')).toEqual([]);
    expect(await details.forget('one', 'all')).toBe(0);
    await expect(details.forget('none', 'all')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
  });

  test('is seen by other processes, also by those that have the details in memory', async () => {
    const { details, store, clock } = await open();
    const other = openDetails(store(), { clock }).details;
    await details.store('one', { content: 'x', key: 'k' });
    expect(await other.search('ada', 'bytes line')).toBeDefined();
    await other.get('ada', 'k');
    await details.remove('ada', 'k');
    await expect(other.get('ada', 'k')).rejects.toMatchObject({ code: 'DETAIL_NOT_FOUND' });
    await other.store('one', { content: 'y', key: 'k' });
    expect((await details.retrieve('ada', 'k')).content).toBe('y');
  });

  test('is finished by the next one when it was killed on the way', async () => {
    for (const method of ['removeBlobs', 'rewrite'] as const) {
      const { store, clock, details } = await open();
      await details.store('one', { content: 'xyzzyq', key: 'k' });
      await details.store('one', { content: 'stays', key: 'stays' });
      const killed = openDetails(failingAt(store(), method), { clock }).details;
      await expect(killed.forget('one', ['k'])).rejects.toThrow('killed');
      await expect(details.get('ada', 'k')).rejects.toMatchObject({ code: 'DETAIL_NOT_FOUND' });
      expect(await details.expire('one', clock.now())).toHaveLength(0);
      expect(await placesHolding(store(), 'xyzzyq')).toEqual([]);
      expect(await store().list('blob', 'one')).toHaveLength(1);
      expect((await details.retrieve('ada', 'stays')).content).toBe('stays');
    }
  });

  test('takes away what a crash left between value and record: when it is old, or with all', async () => {
    const { store, clock, details } = await open();
    await details.store('one', { content: 'stays', key: 'stays' });
    const killed = openDetails(failingAt(failingAt(store(), 'append'), 'removeBlobs'), { clock }).details;
    await expect(killed.store('one', { content: 'xyzzyq' })).rejects.toThrow('killed');
    expect(await store().list('blob', 'one')).toHaveLength(2);
    clock.advance(DAY_MS);
    await details.expire('one', clock.now());
    expect(await store().list('blob', 'one')).toHaveLength(2);
    clock.advance(1);
    await details.expire('one', clock.now());
    expect(await store().list('blob', 'one')).toHaveLength(1);
    expect((await details.retrieve('ada', 'stays')).content).toBe('stays');

    await expect(killed.store('one', { content: 'xyzzyq' })).rejects.toThrow('killed');
    expect(await details.forget('one', 'all')).toBe(1);
    expect(await store().list('blob', 'one')).toEqual([]);
    expect(await placesHolding(store(), 'xyzzyq')).toEqual([]);
  });

  test('never takes a value from a record: what was swept while it was stored is refused', async () => {
    const { store, clock, details } = await open();
    let release = (): void => undefined;
    const isWritten = new Promise<void>((resolve) => {
      release = resolve;
    });
    let letGo = (_line: string): void => undefined;
    const slow = openDetails(store(), {
      clock,
      summariser: {
        name: 'slow',
        summarise: async () => '',
        describe: () => {
          release();
          return new Promise<string>((resolve) => {
            letGo = resolve;
          });
        },
      },
    }).details;
    const storing = slow.store('one', { content: 'xyzzyq', key: 'k' });
    await isWritten;
    await details.forget('one', 'all');
    letGo('described');
    await expect(storing).rejects.toMatchObject({ code: 'IO_FAILED' });
    expect(await details.list('ada')).toEqual([]);
    expect(await store().list('blob', 'one')).toEqual([]);
    expect((await details.store('one', { content: 'again', key: 'k' })).size_bytes).toBe(5);
  });

  test('in one process spares what that process is storing at the moment', async () => {
    const store = newStore();
    let release = (): void => undefined;
    const isWritten = new Promise<void>((resolve) => {
      release = resolve;
    });
    let letGo = (_line: string): void => undefined;
    const { details, sessions } = openDetails(store(), {
      summariser: {
        name: 'slow',
        summarise: async () => '',
        describe: () => {
          release();
          return new Promise<string>((resolve) => {
            letGo = resolve;
          });
        },
      },
    });
    await sessions.create('ada', { session_id: 'one' });
    const storing = details.store('one', { content: 'value', key: 'k' });
    await isWritten;
    expect(await details.forget('one', 'all')).toBe(0);
    letGo('described');
    await storing;
    expect((await details.retrieve('ada', 'k')).content).toBe('value');
  });

  test('a value that is lost is reported, not passed over', async () => {
    const { details, store } = await open();
    await details.store('one', { content: 'x', key: 'k' });
    const [blob] = await store().list('blob', 'one');
    await store().removeBlobs({ kind: 'session', id: 'one' }, [blob!]);
    await expect(details.retrieve('ada', 'k')).rejects.toMatchObject({ code: 'CORRUPT_ENTRY' });
  });
});

describe('a damaged record', () => {
  test('keeps its value from being swept, until it is forgotten', async () => {
    const [, newStore] = STORES.find(([name]) => name === 'file')!;
    const store = newStore()() as FileStore;
    const { details, sessions, clock } = openDetails(store, {
      config: { details: { expire_after_days: 1 } },
    });
    await sessions.create('ada', { session_id: 'one' });
    await details.store('one', { content: 'first', key: 'first' });
    await details.store('one', { content: 'second', key: 'second' });
    const logs: string[] = [];
    for await (const { place } of store.scan()) if (/details.*jsonl$/.test(place)) logs.push(place);
    expect(new Set(logs).size).toBe(1);
    const path = join(store.root, logs[0]!);
    writeFileSync(path, readFileSync(path, 'utf8').replace('"memory_key":"first"', '"memory_key":"fjrst"'));
    clock.advance(10 * DAY_MS);
    const later = openDetails(store, { clock }).details;
    expect(await later.expire('one', clock.now())).toHaveLength(1);
    expect(await store.list('blob', 'one')).toHaveLength(1);
    await later.forget('one', 'all');
    expect(await store.list('blob', 'one')).toEqual([]);
    expect(readdirSync(join(store.root, 'sessions/one'), { recursive: true }).join()).not.toContain(
      'corrupt',
    );
  });
});

test('whatever several users do, none sees what is another’s', async () => {
  const USERS = ['ada', 'bob', 'eve'] as const;
  const steps = fc.array(
    fc.record({
      user: fc.constantFrom(...USERS),
      act: fc.constantFrom('store', 'retrieve', 'remove', 'search', 'list', 'setActive', 'forget'),
      key: fc.constantFrom('k1', 'k2', 'k3'),
      process: fc.nat(1),
    }),
    { maxLength: 40 },
  );
  const run = fc.asyncProperty(steps, async (script) => {
    const store = new MemoryStore();
    const opened = [openDetails(store), openDetails(store)];
    for (const user of USERS) await opened[0]!.sessions.create(user, { session_id: `of-${user}` });
    const held = new Map<string, Set<string>>(USERS.map((user) => [user, new Set()]));
    for (const { user, act, key, process } of script) {
      const { details } = opened[process]!;
      const own = held.get(user)!;
      const content = `common words, value of ${user} under ${key}`;
      const found = async (work: () => Promise<unknown>): Promise<void> => {
        if (own.has(key)) await work();
        else await expect(work()).rejects.toMatchObject({ code: 'DETAIL_NOT_FOUND' });
      };
      if (act === 'store') {
        await details.store(`of-${user}`, { content, key });
        own.add(key);
      } else if (act === 'retrieve') {
        await found(async () => expect((await details.retrieve(user, key)).content).toBe(content));
      } else if (act === 'remove') {
        await found(() => details.remove(user, key));
        own.delete(key);
      } else if (act === 'setActive') await found(() => details.setActive(user, key, true));
      else if (act === 'forget') {
        expect(await details.forget(`of-${user}`, [key])).toBe(own.has(key) ? 1 : 0);
        own.delete(key);
      } else {
        const hits = act === 'search' ? await details.search(user, 'common words') : await details.list(user);
        expect(hits.map(({ memory_key }) => memory_key).sort()).toEqual([...own].sort());
        for (const { session_id } of hits) expect(session_id).toBe(`of-${user}`);
      }
    }
  });
  await fc.assert(run, { seed: 1, numRuns: 60 });
});
