import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { readLog } from '../core/read-log.ts';
import { currentSchema, type Schema } from '../core/schema.ts';
import type { LogAddress, LogStore } from '../core/store.ts';
import { FileStore } from '../stores/file/file-store.ts';
import { MemoryStore } from '../stores/memory/memory-store.ts';
import { FollowedLog } from './followed-log.ts';

const NOTES: LogAddress = { kind: 'notes', userId: 'u', id: 'a' };
const TIME = '2026-01-01T00:00:00.000Z';

const word = (text: string): { schema_version: number; record: string; timestamp: string; text: string } => ({
  schema_version: 1,
  record: 'word',
  timestamp: TIME,
  text,
});
const WORDS = {
  start: (): string[] => [],
  apply: (state: string[], { fields }: { fields: Record<string, unknown> }): void => {
    if (fields.record === 'word') state.push(String(fields.text));
  },
};

const folders: string[] = [];
const STORES: readonly (readonly [string, () => readonly LogStore[]])[] = [
  ['memory', () => Array.from({ length: 2 }, () => memory).slice(0, 2)],
  [
    'file',
    () => {
      const root = mkdtempSync(join(tmpdir(), 'longhand-'));
      folders.push(root);
      return [new FileStore({ root }), new FileStore({ root })];
    },
  ],
];
let memory = new MemoryStore();
afterEach(() => {
  memory = new MemoryStore();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

describe.each(STORES)('a followed log on the %s store', (_name, open) => {
  it('begins again when others remove it in the moment before a change is written', async () => {
    const [store, other] = open() as [LogStore, LogStore];
    const log = new FollowedLog({ store, schema: currentSchema }, NOTES, WORDS);
    await log.change(() => [word('forgotten')]);
    const append = store.append.bind(store);
    store.append = async (...given) => {
      await other.remove(NOTES);
      return append(...given);
    };
    expect(await log.change(() => [word('new')])).toEqual(['new']);
    expect(await log.change(() => [word('newer')])).toEqual(['newer']);
    const unmade = log.change(() => [word('never')], { create: false });
    await expect(unmade).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
  });

  it('does not begin again beside a session that others have removed, and created for another user', async () => {
    const [store, other] = open() as [LogStore, LogStore];
    const session = { kind: 'session', id: 's' } as const;
    await store.append(session, ['{"record":"session"}'], { create: 'new' });
    const log = new FollowedLog({ store, schema: currentSchema }, { kind: 'transcript', id: 's' }, WORDS);
    await log.change(() => [word('first')]);
    const append = store.append.bind(store);
    store.append = async (...given) => {
      store.append = append;
      await other.remove(session);
      await other.append(session, ['{"record":"session"}'], { create: 'new' });
      return append(...given);
    };
    const changing = log.change(() => [word('of the session before')]);
    await expect(changing).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
  });

  it('is empty until something is written, and follows what others write', async () => {
    const stores = open();
    const [one, other] = stores.map(
      (store) => new FollowedLog({ store, schema: currentSchema }, NOTES, WORDS),
    ) as [FollowedLog<string[]>, FollowedLog<string[]>];
    expect(await one.current()).toEqual([]);
    expect(await one.exists()).toBe(false);
    expect(await one.change(() => [word('a')])).toEqual(['a']);
    expect(await other.current()).toEqual(['a']);
    await other.change((words) => [word(`${words.join('')}b`), { ...word('c'), record: 'unknown' }]);
    expect(await one.current()).toEqual(['a', 'ab']);
    for (const store of new Set(stores)) await store.close();
  });

  it('notices a log that is made and removed while it looks', async () => {
    const [store, another] = open() as [LogStore, LogStore];
    const log = new FollowedLog({ store, schema: currentSchema }, NOTES, WORDS);
    for (const text of ['a', 'b']) {
      for (let looks = 0; looks < 3; looks++) expect(await log.find()).toBeUndefined();
      await new FollowedLog({ store: another, schema: currentSchema }, NOTES, WORDS).change(() => [
        word(text),
      ]);
      for (let looks = 0; looks < 3; looks++) expect(await log.find()).toEqual([text]);
      await another.remove(NOTES);
    }
    expect(await log.find()).toBeUndefined();
    for (const each of new Set([store, another])) await each.close();
  });

  it('decides from the newest state, whichever process wrote it, and loses nothing', async () => {
    const stores = open();
    const logs = stores.map((store) => new FollowedLog({ store, schema: currentSchema }, NOTES, WORDS));
    await Promise.all(
      Array.from({ length: 40 }, (_, i) => logs[i % 2]!.change((words) => [word(String(words.length))])),
    );
    expect(await logs[0]!.current()).toEqual(Array.from({ length: 40 }, (_, i) => String(i)));
    for (const store of new Set(stores)) await store.close();
  });

  it('writes nothing when the decision fails, and goes on', async () => {
    const [store] = open();
    const log = new FollowedLog({ store: store!, schema: currentSchema }, NOTES, WORDS);
    await log.change(() => [word('a')]);
    const failing = log.change(() => {
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await log.change((words) => (words.includes('a') ? [] : [word('b')]))).toEqual(['a']);
    await store!.close();
  });

  it('drops, changes and keeps records in a rewrite', async () => {
    const stores = open();
    const [log, other] = stores.map(
      (store) => new FollowedLog({ store, schema: currentSchema }, NOTES, WORDS),
    ) as [FollowedLog<string[]>, FollowedLog<string[]>];
    await log.change(() => ['a', 'b', 'c'].map(word));
    expect(await other.current()).toEqual(['a', 'b', 'c']);
    const verdict = ({ fields }: { fields: Record<string, unknown> }) =>
      fields.text === 'a' ? 'drop' : fields.text === 'b' ? word('B') : 'keep';
    expect(await log.rewrite(verdict, [word('end')])).toEqual(['B', 'c', 'end']);
    expect(await other.current()).toEqual(['B', 'c', 'end']);
    for (const store of new Set(stores)) await store.close();
  });

  it('lifts records of an earlier schema, and writes them in the current one when it is rewritten', async () => {
    const [store] = open();
    // In a made-up version 0 a word was called a term, and had no time.
    const schema: Schema = {
      version: 1,
      steps: { 0: ({ term, ...rest }) => ({ ...rest, record: 'word', timestamp: TIME, text: term }) },
    };
    await store!.append(NOTES, [JSON.stringify({ schema_version: 0, term: 'old' })], { create: 'new' });
    const log = new FollowedLog({ store: store!, schema }, NOTES, WORDS);
    expect(await log.current()).toEqual(['old']);
    expect(await log.change((words) => [word(`${words.join('')}er`)])).toEqual(['old', 'older']);
    const recordsOf = async (): Promise<unknown[]> =>
      (await readLog(store!, NOTES)).lines.map(({ text }) => {
        const { seq: _seq, checksum: _checksum, ...record } = JSON.parse(text) as Record<string, unknown>;
        return record;
      });
    expect((await recordsOf())[0]).toEqual({ schema_version: 0, term: 'old' });
    expect(await log.rewrite(() => 'keep', [word('end')])).toEqual(['old', 'older', 'end']);
    expect(await recordsOf()).toEqual([word('old'), word('older'), word('end')]);
    await store!.close();
  });

  it('refuses a log of a later schema as a whole, and leaves it as it is', async () => {
    const [store] = open();
    const bodies = [word('a'), { ...word('b'), schema_version: 2 }].map((record) => JSON.stringify(record));
    await store!.append(NOTES, bodies, { create: 'new' });
    const before = (await readLog(store!, NOTES)).lines.map(({ text }) => text);
    const log = new FollowedLog({ store: store!, schema: currentSchema }, NOTES, WORDS);
    const tooNew = { code: 'SCHEMA_TOO_NEW', details: { version: 2, supported: 1 } };
    await expect(log.current()).rejects.toMatchObject(tooNew);
    await expect(log.change(() => [word('c')])).rejects.toMatchObject(tooNew);
    await expect(log.rewrite(() => 'drop', [])).rejects.toMatchObject(tooNew);
    expect((await readLog(store!, NOTES)).lines.map(({ text }) => text)).toEqual(before);
    await store!.close();
  });

  it('starts again when the log was removed', async () => {
    const stores = open();
    const [log, other] = stores.map(
      (store) => new FollowedLog({ store, schema: currentSchema }, NOTES, WORDS),
    ) as [FollowedLog<string[]>, FollowedLog<string[]>];
    await log.change(() => [word('a')]);
    await other.current();
    await stores[0]!.remove(NOTES);
    expect(await other.current()).toEqual([]);
    expect(await other.change(() => [word('b')])).toEqual(['b']);
    expect(await log.current()).toEqual(['b']);
    for (const store of new Set(stores)) await store.close();
  });

  it('needs the session that it would lie beside', async () => {
    const [store] = open();
    const log = new FollowedLog(
      { store: store!, schema: currentSchema },
      { kind: 'transcript', id: 'sess_none' },
      WORDS,
    );
    await expect(log.change(() => [word('a')])).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
    await store!.close();
  });
});
