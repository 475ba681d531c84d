import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { MemoryManager } from '../../src/index.ts';
import { PostgresStore, type PostgresStoreOptions } from '../../src/stores/postgres/index.ts';
import { temporaryFolder } from '../open-stores.ts';
import { usePostgres } from './open-postgres.ts';

const database = usePostgres();
const WORDS = 'harbour bakery ferry museum garden bridge market station library tower'.split(' ');
const limits = { sealAtDocuments: 8, sealWhenBuilding: 8 };

/** A store that counts the bytes of derived files that it fetches. */
function counted(accountId: string, options: Partial<PostgresStoreOptions> = {}) {
  const { pool } = database;
  let fetched = 0;
  const counting = {
    connect: () => pool.connect(),
    query: async (text: string, values?: unknown[]) => {
      const result = await pool.query(text, values);
      if (text.includes('load_index'))
        for (const { bytes } of result.rows) fetched += (bytes as Buffer | null)?.length ?? 0;
      return result;
    },
  };
  const store = new PostgresStore({ pool: counting, accountId, ...options });
  return {
    store,
    fetched: (): number => {
      const bytes = fetched;
      fetched = 0;
      return bytes;
    },
  };
}

/** A manager as a server that has just started has it. */
function started(accountId: string, options: Partial<PostgresStoreOptions> = {}) {
  const { store, fetched } = counted(accountId, options);
  return { manager: new MemoryManager({ store, semantic: false, indexLimits: limits }), fetched };
}

async function fill(manager: MemoryManager, user: string): Promise<void> {
  await manager.createSession(user, { session_id: `of-${user}` });
  const memories = Array.from({ length: 40 }, (_, i) => ({
    type: 'finding' as const,
    content: {
      text: `The ${WORDS[i % 10]} of ${user} has number ${i} beside the ${WORDS[(i * 7 + 3) % 10]}.`,
    },
  }));
  for (let at = 0; at < memories.length; at += 10)
    await manager.addMemories(`of-${user}`, memories.slice(at, at + 10));
  await manager.recall(user, 'number');
}

const answersOf = async (manager: MemoryManager, user: string): Promise<unknown> => {
  const found = [];
  for (const word of WORDS)
    found.push((await manager.recall(user, `Where is the ${word}?`)).map(({ id }) => id));
  return found;
};

const filesIn = (folder: string): string[] =>
  (readdirSync(folder, { recursive: true }) as string[])
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile());

describe('the folder in front of the segments', () => {
  it('spares a server that starts the bytes, and may be lost or damaged at any time', async () => {
    const account = randomUUID();
    const cacheFolder = join(temporaryFolder(), 'cache');
    const first = started(account, { cacheFolder });
    await fill(first.manager, 'ada');
    const plain = started(account);
    const expected = await answersOf(plain.manager, 'ada');
    expect(plain.fetched()).toBeGreaterThan(0);
    await first.manager.close();
    await plain.manager.close();
    const warm = started(account, { cacheFolder });
    expect(await answersOf(warm.manager, 'ada')).toEqual(expected);
    await warm.manager.close();

    const damages: readonly (readonly [string, () => void])[] = [
      ['nothing', () => undefined],
      ['a file is cut', () => truncateSync(filesIn(cacheFolder)[0]!, 20)],
      ['a file is empty', () => writeFileSync(filesIn(cacheFolder)[0]!, '')],
      [
        'a bit of every file is flipped',
        () => {
          for (const path of filesIn(cacheFolder)) {
            const bytes = readFileSync(path);
            bytes[bytes.length >> 1]! ^= 1;
            writeFileSync(path, bytes);
          }
        },
      ],
      ['a file is gone', () => rmSync(filesIn(cacheFolder)[0]!)],
      [
        'foreign things lie there',
        () => mkdirSync(join(cacheFolder, readdirSync(cacheFolder)[0]!, 'x', 'y'), { recursive: true }),
      ],
      ['all of it is gone', () => rmSync(cacheFolder, { recursive: true, force: true })],
      [
        'a file has its place',
        () => {
          rmSync(cacheFolder, { recursive: true, force: true });
          writeFileSync(cacheFolder, 'x');
        },
      ],
    ];
    for (const [name, damage] of damages) {
      damage();
      const server = started(account, { cacheFolder });
      expect(await answersOf(server.manager, 'ada'), name).toEqual(expected);
      const fetched = server.fetched();
      if (name === 'nothing') expect(fetched).toBe(0);
      if (name.includes('file') || name.startsWith('all')) expect(fetched, name).toBeGreaterThan(0);
      // And again in mid-work.
      if (!name.startsWith('all')) damage();
      expect(await answersOf(server.manager, 'ada'), name).toEqual(expected);
      await server.manager.close();
    }
  });

  it('holds nothing of a user who is forgotten, nor of what another server has rewritten', async () => {
    const account = randomUUID();
    const cacheFolder = join(temporaryFolder(), 'cache');
    const [one, other] = [started(account, { cacheFolder }), started(account)];
    await fill(one.manager, 'ada');
    await answersOf(one.manager, 'ada');
    const holds = (word: string): boolean =>
      filesIn(cacheFolder).some((path) => readFileSync(path).includes(word));
    expect(holds('harbour')).toBe(true);
    await other.manager.forget('ada', { text: 'harbour' });
    await one.manager.recall('ada', 'bakery');
    await one.manager.close();
    const next = started(account, { cacheFolder });
    await next.manager.recall('ada', 'bakery');
    expect(holds('harbour')).toBe(false);
    expect(holds('bakery')).toBe(true);
    await next.manager.forget('ada', { everything: true });
    expect(filesIn(cacheFolder)).toEqual([]);
    for (const { manager } of [next, other]) await manager.close();
  });
});

it('keeps no more bytes in memory than it may: users asked for least recently leave', async () => {
  const { store, fetched } = counted(randomUUID(), { cacheBytes: 3_500 });
  const users = ['ada', 'bob', 'eve', 'joe', 'kim', 'lea'];
  for (const user of users) {
    await store.publishIndex(user, 'index', undefined, async (writer) => {
      (await writer.write('one.segment', Buffer.alloc(1_000, user))).close();
      return { manifest: 'first', names: ['one.segment'] };
    });
  }
  const load = async (user: string): Promise<number> => {
    const stored = (await store.loadIndex(user, 'index', () => ['one.segment']))!;
    expect(Buffer.from(stored.open('one.segment')!.read(0, 3)).toString()).toBe(user);
    return fetched();
  };
  // The last three are held; the use of one keeps it, and the next ones take the places of the others.
  for (const [user, bytes] of [
    ['lea', 0],
    ['joe', 0],
    ['kim', 0],
    ['ada', 1_000],
    ['joe', 0],
    ['bob', 1_000],
    ['kim', 1_000],
    ['joe', 0],
    ['lea', 1_000],
  ] as const)
    expect(await load(user), user).toBe(bytes);
  await store.close();
});
