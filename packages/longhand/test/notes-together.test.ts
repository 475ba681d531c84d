import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import type { LogStore } from '../src/core/store.ts';
import type { Notes } from '../src/layers/notes/notes.ts';
import { ADDRESS, Desk, filePlace, PLACES } from './notes-desk.ts';
import { temporaryFolder } from './open-stores.ts';

/** Several writers of the same notes: agents, processes, people. No change is overwritten unseen. */
const CONFLICT = expect.objectContaining({ code: 'NOTES_CONFLICT' });
const isConflict = (error: unknown): boolean => (error as { code?: string }).code === 'NOTES_CONFLICT';

/** The store, with something happening right before a call is passed on. */
function interrupted(store: LogStore, method: keyof LogStore, happens: () => Promise<void>): LogStore {
  let isDue = true;
  return new Proxy(store, {
    get(target, name) {
      const value = Reflect.get(target, name, target) as unknown;
      if (typeof value !== 'function') return value;
      return (...parameters: unknown[]): unknown => {
        const call = (): unknown => Reflect.apply(value, target, parameters) as unknown;
        if (name !== method || !isDue) return call();
        isDue = false;
        return happens().then(call);
      };
    },
  });
}

describe.each(PLACES)('notes written by several on the %s store', (_name, makePlace) => {
  it('keep every one of 20 parallel appends of one process', async () => {
    const desk = new Desk(makePlace().open());
    const items = Array.from({ length: 20 }, (_, i) => `- item ${i}`);
    await Promise.all(items.map((item) => desk.apply('append', item)));
    expect((await desk.text()).split('\n').sort()).toEqual([...items].sort());
    expect(await desk.history()).toHaveLength(20);
  });

  it('keep every append of several processes that was not refused, and say which were', async () => {
    const place = makePlace();
    const desks = Array.from({ length: 4 }, () => new Desk(place.open()));
    const items = Array.from({ length: 20 }, (_, i) => `- item ${i}`);
    const results = await Promise.allSettled(items.map((item, i) => desks[i % 4]!.apply('append', item)));
    const kept = items.filter((_, i) => results[i]!.status === 'fulfilled');
    for (const result of results)
      if (result.status === 'rejected') expect(isConflict(result.reason)).toBe(true);
    expect(kept.length).toBeGreaterThan(0);
    for (const desk of desks) expect((await desk.text()).split('\n').sort()).toEqual(kept.sort());
    expect(await desks[0]!.history()).not.toContainEqual(expect.stringContaining('by hand'));
    expect(await desks[0]!.document()).toBe(await desks[1]!.text());
  });

  it('let one of two who overwrite at once win, and the other one know', async () => {
    const place = makePlace();
    const [one, other] = [new Desk(place.open()), new Desk(place.open())];
    await one.apply('overwrite', 'start');
    for (const pair of [
      [one, one],
      [one, other],
    ] as const) {
      const results = await Promise.allSettled(pair.map((desk, i) => desk.apply('overwrite', `text ${i}`)));
      const [winner] = results.flatMap((result, i) => (result.status === 'fulfilled' ? [i] : []));
      expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      expect(await other.text()).toBe(`text ${winner}`);
      await one.apply('overwrite', 'start');
    }
  });

  it('refuse a change of a version that is no longer the last', async () => {
    const place = makePlace();
    const [one, other] = [new Desk(place.open()), new Desk(place.open())];
    const { version } = await one.apply('overwrite', '# a\n');
    expect((await other.apply('append', 'b', undefined, { expectedVersion: version })).version).toBe(2);
    await expect(one.apply('append', 'c', undefined, { expectedVersion: version })).rejects.toEqual(CONFLICT);
    expect((await one.apply('append', 'c', undefined, { expectedVersion: 2 })).text).toBe('# a\nb\nc');
  });

  it('do an operation again when others changed something else, and refuse when they changed the same', async () => {
    const place = makePlace();
    const other = new Desk(place.open());
    const meanwhile = (happens: () => Promise<unknown>): Desk =>
      new Desk(interrupted(place.open(), 'append', async () => void (await happens())));
    await other.apply('overwrite', '# a\n1\n# b\n2\n');
    const elsewhere = meanwhile(() => other.apply('replace_section_by_header', '3', 'b'));
    expect((await elsewhere.apply('replace_section_by_header', '4', 'a')).text).toBe('# a\n4\n# b\n3\n');
    const same = meanwhile(() => other.apply('replace_section_by_header', '5', 'a'));
    await expect(same.apply('delete_section_by_header', undefined, 'a')).rejects.toEqual(CONFLICT);
    const all = meanwhile(() => other.apply('append', 'x'));
    await expect(all.apply('overwrite', 'y')).rejects.toEqual(CONFLICT);
    const cleared = meanwhile(() => other.apply('append', 'z'));
    await expect(cleared.apply('delete_all_notes')).rejects.toEqual(CONFLICT);
    const added = meanwhile(() => other.apply('append', 'q'));
    expect((await added.apply('append', 'r')).text).toBe('# a\n5\n# b\n3\nx\nz\nq\nr');
    expect(await other.text()).toBe('# a\n5\n# b\n3\nx\nz\nq\nr');
  });

  it('give way to a person who saves between the version and the document, and keep both texts', async () => {
    const place = makePlace();
    const hand = new Desk(place.open());
    await hand.apply('overwrite', 'start');
    const store = interrupted(place.open(), 'writeDocument', () => hand.saveByHand('person'));
    const desk = new Desk(store);
    await expect(desk.apply('append', 'agent')).rejects.toMatchObject({
      code: 'NOTES_CONFLICT',
      details: { version: 2, current_version: 3 },
    });
    expect(await desk.read()).toMatchObject({ text: 'person', version: 3 });
    expect(await hand.layer.readVersion('ada', 'scribe', 2)).toBe('start\nagent');
    expect(await hand.history()).toEqual(['1 overwrite', '2 append', '3 edited by hand']);
  });

  it('are brought out by a reader while the writer is on its way', async () => {
    const place = makePlace();
    const reader = new Desk(place.open());
    await reader.apply('overwrite', 'start');
    const seen: string[] = [];
    const store = interrupted(place.open(), 'writeDocument', async () => {
      seen.push(await reader.text());
    });
    expect((await new Desk(store).apply('append', 'more')).version).toBe(2);
    expect(seen).toEqual(['start\nmore']);
    expect(await reader.history()).toEqual(['1 overwrite', '2 append']);
  });

  it('do not lose a text that came back word for word under a slow writer', async () => {
    const place = makePlace();
    const other = new Desk(place.open());
    await other.apply('overwrite', 'A');
    const store = interrupted(place.open(), 'writeDocument', async () => {
      expect(await other.text()).toBe('B');
      await other.apply('overwrite', 'A');
    });
    await new Desk(store).apply('overwrite', 'B');
    expect(await other.read()).toMatchObject({ text: 'A', version: 3 });
    expect(await other.document()).toBe('A');
  });

  it('may be forgotten during a write', async () => {
    const place = makePlace();
    const other = new Desk(place.open());
    await other.apply('overwrite', 'canary');
    const store = interrupted(
      place.open(),
      'writeDocument',
      async () => void (await other.layer.forget('ada', 'scribe')),
    );
    await expect(new Desk(store).apply('append', 'x')).rejects.toEqual(CONFLICT);
    expect(await other.read()).toMatchObject({ text: '', version: 0 });
    expect(await other.document()).toBeUndefined();
  });

  it('give up, rather than go on for ever, when others are always faster', async () => {
    const place = makePlace();
    const other = new Desk(place.open());
    await other.apply('overwrite', 'start');
    const inner = place.open();
    let count = 0;
    const busy = new Proxy(inner, {
      get(target, name) {
        const value = Reflect.get(target, name, target) as unknown;
        if (typeof value !== 'function') return value;
        return (...parameters: unknown[]): unknown => {
          const call = (): unknown => Reflect.apply(value, target, parameters) as unknown;
          return name === 'append' ? other.apply('append', `x${count++}`).then(call) : call();
        };
      },
    });
    await expect(new Desk(busy).apply('append', 'mine')).rejects.toEqual(CONFLICT);
    expect(await other.text()).not.toContain('mine');
  });
});

describe.each(PLACES)('notes that stop half way on the %s store', (_name, makePlace) => {
  const WRITES = [
    'create',
    'append',
    'append',
    'rewrite',
    'writeDocument',
    'writeDocument',
    'remove',
    'removeDocument',
  ];

  /** A process that dies at its nth write, before or after it. */
  function mortal(store: LogStore, lastWrite: number, dies: 'before' | 'after'): LogStore {
    let writes = 0;
    return new Proxy(store, {
      get(target, name) {
        const value = Reflect.get(target, name, target) as unknown;
        if (typeof value !== 'function') return value;
        return (...parameters: unknown[]): unknown => {
          const isWrite = WRITES.includes(String(name));
          if (writes > lastWrite || (isWrite && writes === lastWrite && dies === 'before')) {
            writes = lastWrite + 1;
            return Promise.reject(new Error('dead'));
          }
          const result = Reflect.apply(value, target, parameters) as unknown;
          if (!isWrite) return result;
          return Promise.resolve(result as Promise<unknown>).then((outcome) => {
            if (writes++ === lastWrite) throw new Error('dead');
            return outcome;
          });
        };
      },
    });
  }

  const STEPS: readonly ((desk: Desk) => Promise<unknown>)[] = [
    (desk) => desk.apply('overwrite', '# a\n1\n'),
    (desk) => desk.apply('append', '# b\n2\n'),
    (desk) => desk.apply('replace_section_by_header', '3\n', 'a'),
    (desk) => desk.layer.restore('ada', 'scribe', 1),
    (desk) => desk.apply('delete_all_notes'),
    (desk) => desk.apply('prepend', 'last'),
  ];
  const TEXTS = ['', '# a\n1\n', '# a\n1\n# b\n2\n', '# a\n3\n# b\n2\n', '# a\n1\n', '', 'last'];

  it('have the text before or after, never a person’s edit that was none', async () => {
    let hasRunThrough = false;
    for (let lastWrite = 0; !hasRunThrough; lastWrite++) {
      for (const dies of ['before', 'after'] as const) {
        const place = makePlace();
        const dying = new Desk(mortal(place.open(), lastWrite, dies), { notes: { keep_versions: 1 } });
        let done = 0;
        try {
          for (const step of STEPS) {
            await step(dying);
            done++;
          }
          hasRunThrough = true;
        } catch (error) {
          expect((error as Error).message).toContain('dead');
        }
        const next = new Desk(place.open());
        const { text, version } = await next.read();
        expect([TEXTS[done], TEXTS[done + 1]]).toContain(text);
        expect(version).toBeGreaterThanOrEqual(done);
        expect(await next.history()).not.toContainEqual(expect.stringContaining('by hand'));
        expect((await next.document()) ?? '').toBe(text);
        expect((await next.apply('append', 'onward')).text).toContain('onward');
      }
    }
  });

  it('know a person’s edit from a document left behind, also after a crash between the two', async () => {
    const place = makePlace();
    const writer = new Desk(place.open());
    await writer.apply('overwrite', 'one');
    // Its writes: the version, the document. It dies before it can note that the document was written.
    const dying = new Desk(mortal(place.open(), 1, 'after'));
    await expect(dying.apply('overwrite', 'two')).rejects.toThrow('dead');
    const next = new Desk(place.open());
    expect(await next.read()).toMatchObject({ text: 'two', version: 2 });
    await next.saveByHand('one');
    expect(await new Desk(place.open()).read()).toMatchObject({ text: 'one', version: 3 });
    expect(await next.history()).toEqual(['1 overwrite', '2 overwrite', '3 edited by hand']);
  });

  it('forget for good what they were told to, at the second try', async () => {
    const secret = (text: string): boolean => text.includes('canary');
    let hasRunThrough = false;
    for (let lastWrite = 0; !hasRunThrough; lastWrite++) {
      for (const dies of ['before', 'after'] as const) {
        for (const matches of [secret, undefined]) {
          const place = makePlace();
          const writer = new Desk(place.open());
          await writer.apply('overwrite', 'canary\nold\n');
          await writer.apply('append', 'new\n');
          const dying = new Desk(mortal(place.open(), lastWrite, dies));
          const forget = ({ layer }: Desk): Promise<number> =>
            matches === undefined
              ? layer.forget('ada', 'scribe')
              : layer.forgetText('ada', 'scribe', matches);
          const result = await Promise.allSettled([forget(dying)]);
          hasRunThrough = result[0]!.status === 'fulfilled';
          const next = new Desk(place.open());
          await next.read();
          await forget(next);
          expect(await next.text()).toBe(matches === undefined ? '' : 'old\nnew\n');
          for await (const { bytes } of next.store.scan()) {
            expect(Buffer.from(bytes).includes('canary')).toBe(false);
          }
        }
      }
    }
  });
});

describe.each(PLACES)('notes that are watched on the %s store', (_name, makePlace) => {
  it('tell of every change of this process at once, and of no look', async () => {
    const desk = new Desk(makePlace().open());
    const heard: Notes[] = [];
    const end = desk.layer.watch('ada', 'scribe', (notes) => heard.push(notes));
    await desk.read();
    await desk.apply('append', 'a');
    await desk.apply('append', 'b');
    await desk.read();
    await desk.layer.forgetText('ada', 'scribe', (line) => line === 'a');
    await desk.layer.forget('ada', 'scribe');
    expect(heard.map(({ version, text }) => [version, text])).toEqual([
      [1, 'a'],
      [2, 'a\nb'],
      [3, 'b'],
      [0, ''],
    ]);
    expect(desk.events).toEqual(
      [1, 2, 3, 0].map((version) => ({ kind: 'notes-changed', user_id: 'ada', agent_id: 'scribe', version })),
    );
    end();
    await desk.apply('append', 'c');
    expect(heard).toHaveLength(4);
    expect(desk.events).toHaveLength(5);
  });

  it('tell of what other processes and people do', async () => {
    const place = makePlace();
    const [desk, other] = [new Desk(place.open()), new Desk(place.open())];
    await desk.apply('overwrite', 'start');
    const heard: string[] = [];
    desk.layer.watch('ada', 'scribe', ({ text }) => heard.push(text));
    await other.apply('append', 'more');
    await vi.waitFor(() => expect(heard).toEqual(['start\nmore']), { timeout: 20_000 });
    await other.saveByHand('by hand');
    await vi.waitFor(() => expect(heard).toEqual(['start\nmore', 'by hand']), { timeout: 20_000 });
    await other.layer.forget('ada', 'scribe');
    await vi.waitFor(() => expect(heard.at(-1)).toBe(''), { timeout: 20_000 });
    expect(desk.events.length).toBe(4);
  });

  it('say once when they cannot be looked at, and go on when they can', async () => {
    const desk = new Desk(makePlace().open());
    await desk.apply('overwrite', 'start');
    const heard: string[] = [];
    desk.layer.watch('ada', 'scribe', ({ text }) => heard.push(text));
    await desk.saveByHand('\0');
    await vi.waitFor(() => expect(desk.events.map(({ kind }) => kind)).toContain('io-failed'), {
      timeout: 20_000,
    });
    await desk.saveByHand('fine');
    await vi.waitFor(() => expect(heard).toEqual(['fine']), { timeout: 20_000 });
    expect(desk.events.filter(({ kind }) => kind === 'io-failed')).toHaveLength(1);
  });

  it('leave nothing running without listeners, and when the store is closed', async () => {
    const desk = new Desk(makePlace().open());
    const timers = (): number =>
      process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length;
    const before = timers();
    await desk.read();
    const ends = [1, 2].map(() => desk.layer.watch('ada', 'scribe', () => undefined));
    for (const end of ends) end();
    expect(timers()).toBe(before);
    await desk.store.close();
    desk.layer.watch('ada', 'scribe', () => undefined);
    expect(desk.events).toEqual([]);
  });
});

it('a listener that throws disturbs no other', async () => {
  const desk = new Desk(PLACES[0]![1]().open());
  const heard: string[] = [];
  const uncaught: unknown[] = [];
  const listeners = process.listeners('uncaughtException');
  process.removeAllListeners('uncaughtException');
  process.on('uncaughtException', (error) => uncaught.push(error));
  desk.layer.watch('ada', 'scribe', () => {
    throw new Error('mine');
  });
  desk.layer.watch('ada', 'scribe', ({ text }) => heard.push(text));
  await desk.apply('append', 'a');
  await new Promise((resolve) => setImmediate(resolve));
  process.removeAllListeners('uncaughtException');
  for (const listener of listeners) process.on('uncaughtException', listener);
  expect(heard).toEqual(['a']);
  expect(uncaught).toEqual([expect.objectContaining({ message: 'mine' })]);
});

it('a file that an editor writes in the middle of everything is never lost', async () => {
  const root = temporaryFolder();
  const place = filePlace(root);
  const desks = [new Desk(place.open()), new Desk(place.open())];
  await desks[0]!.apply('overwrite', 'start\n');
  const file = join(root, 'users', 'ada', 'notes', 'scribe.md');
  const saved: string[] = [];
  const written: string[] = [];
  for (let round = 0; round < 25; round++) {
    await Promise.allSettled([
      desks[round % 2]!.apply('append', `agent ${round}\n`).then(() => written.push(`agent ${round}`)),
      (async () => {
        for (let i = 0; i < round % 5; i++) await Promise.resolve();
        if (round % 3 === 0) return;
        writeFileSync(file, `person ${round}\n`);
        saved.push(`person ${round}`);
      })(),
    ]);
  }
  await desks[0]!.read();
  const exported = await desks[0]!.layer.exportOf('ada', 'scribe');
  const everything = exported.versions.map(({ text }) => text).join('');
  for (const line of written) expect(everything).toContain(line);
  // A person's save that an exchange overtook within the same instant cannot be known of; the last one is there.
  expect(everything).toContain(saved.at(-1)!);
  expect(await desks[0]!.store.readDocument(ADDRESS, 'notes.md')).toBe(exported!.text);
});
