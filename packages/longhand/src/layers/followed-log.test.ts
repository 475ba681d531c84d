import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
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
  it('is empty until something is written, and follows what others write', async () => {
    const stores = open();
    const [one, other] = stores.map((store) => new FollowedLog(store, NOTES, WORDS)) as [
      FollowedLog<string[]>,
      FollowedLog<string[]>,
    ];
    expect(await one.current()).toEqual([]);
    expect(await one.exists()).toBe(false);
    expect(await one.change(() => [word('a')])).toEqual(['a']);
    expect(await other.current()).toEqual(['a']);
    await other.change((words) => [word(`${words.join('')}b`), { ...word('c'), record: 'unknown' }]);
    expect(await one.current()).toEqual(['a', 'ab']);
    for (const store of new Set(stores)) await store.close();
  });

  it('decides from the newest state, whoever wrote it, and loses nothing', async () => {
    const stores = open();
    const logs = stores.map((store) => new FollowedLog(store, NOTES, WORDS));
    await Promise.all(
      Array.from({ length: 40 }, (_, i) => logs[i % 2]!.change((words) => [word(String(words.length))])),
    );
    expect(await logs[0]!.current()).toEqual(Array.from({ length: 40 }, (_, i) => String(i)));
    for (const store of new Set(stores)) await store.close();
  });

  it('writes nothing when the decision fails, and goes on', async () => {
    const [store] = open();
    const log = new FollowedLog(store!, NOTES, WORDS);
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
    const [log, other] = stores.map((store) => new FollowedLog(store, NOTES, WORDS)) as [
      FollowedLog<string[]>,
      FollowedLog<string[]>,
    ];
    await log.change(() => ['a', 'b', 'c'].map(word));
    expect(await other.current()).toEqual(['a', 'b', 'c']);
    const verdict = ({ fields }: { fields: Record<string, unknown> }) =>
      fields.text === 'a' ? 'drop' : fields.text === 'b' ? word('B') : 'keep';
    expect(await log.rewrite(verdict, [word('end')])).toEqual(['B', 'c', 'end']);
    expect(await other.current()).toEqual(['B', 'c', 'end']);
    for (const store of new Set(stores)) await store.close();
  });

  it('starts again when the log was removed', async () => {
    const stores = open();
    const [log, other] = stores.map((store) => new FollowedLog(store, NOTES, WORDS)) as [
      FollowedLog<string[]>,
      FollowedLog<string[]>,
    ];
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
    const log = new FollowedLog(store!, { kind: 'transcript', id: 'sess_none' }, WORDS);
    await expect(log.change(() => [word('a')])).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
    await store!.close();
  });
});
