import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { MemoryManager } from '../../src/index.ts';
import { PostgresStore } from '../../src/stores/postgres/index.ts';
import { temporaryFolder } from '../open-stores.ts';
import { poolFor, usePostgres } from './open-postgres.ts';
import { startServer } from './server.ts';

const database = usePostgres();
const CANARY = 'xylophonecanary';

/** Files of tables that hold the canary. */
async function filesWithCanary(root: pg.Pool): Promise<string[]> {
  await root.query('CHECKPOINT');
  const { rows } = await root.query("SELECT current_setting('data_directory') AS folder");
  const base = join(rows[0].folder as string, 'base');
  return (
    readdirSync(base, { recursive: true, withFileTypes: true }) as {
      parentPath: string;
      name: string;
      isFile(): boolean;
    }[]
  )
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((path) => readFileSync(path).includes(CANARY));
}

it('is restored from a copy of its folder, and what was forgotten since is forgotten again', async () => {
  const root = poolFor(database.server, 'postgres');
  onTestFinished(() => root.end());
  const manager = new MemoryManager({
    store: database.store('acme', { owner: database.owner }),
    semantic: false,
  });
  for (const [user, text] of [
    ['ada', CANARY],
    ['bob', 'harmless'],
  ] as const) {
    await manager.createSession(user, { session_id: user });
    await manager.addMemory(user, { type: 'finding', id: `mem_${user}`, content: { text } });
  }
  const { details } = await manager.layers();
  await details.store('ada', { content: CANARY.repeat(100_000), description: 'a log' });

  // What pg_basebackup does: the folder is copied while the server runs and another process writes.
  const copy = join(temporaryFolder(), 'data');
  const backup = await root.connect();
  await backup.query("SELECT pg_backup_start('nightly', fast => true)");
  let isOver = false;
  const writing = (async () => {
    for (let i = 0; !isOver; i++)
      await manager.addMemory('bob', {
        type: 'finding',
        id: `mem_bob_${i}`,
        content: { text: `harmless ${i}` },
      });
  })();
  const { rows } = await backup.query("SELECT current_setting('data_directory') AS folder");
  const folder = rows[0].folder as string;
  const isCopied = (path: string): boolean =>
    !/postmaster\.(pid|opts)$|pg_wal.+/.test(path.slice(folder.length));
  cpSync(folder, copy, { recursive: true, filter: isCopied });
  isOver = true;
  await writing;
  const count = (await manager.queryMemories('bob', { limit: 10_000 })).length;
  const { rows: stopped } = await backup.query('SELECT labelfile FROM pg_backup_stop()');
  backup.release();
  cpSync(join(folder, 'pg_wal'), join(copy, 'pg_wal'), { recursive: true });

  const receipt = await manager.forget('ada', { everything: true });
  expect(receipt.still_held).toBeUndefined();
  expect(await filesWithCanary(root)).toEqual([]);
  // The receipts are kept apart from the backup, which is older than they are.
  const receipts = JSON.parse(JSON.stringify(await (await manager.layers()).privacy.receipts()));
  await manager.close();

  const restored = await startServer({ data: copy, backupLabel: stopped[0].labelfile as string });
  const connection = restored.connection('memory');
  const [pool, owner, restoredRoot] = ['server', 'keeper', 'postgres'].map((user) => {
    const each = new pg.Pool({ ...connection, user });
    each.on('error', () => undefined);
    return each;
  }) as [pg.Pool, pg.Pool, pg.Pool];
  const again = new MemoryManager({
    store: new PostgresStore({ pool, owner, accountId: 'acme' }),
    semantic: false,
  });
  // Everything that was there when the backup ended, and what was forgotten only later.
  expect((await again.queryMemories('bob', { limit: 10_000 })).length).toBe(count);
  expect(await again.getMemory('ada', 'mem_ada')).not.toBeNull();
  expect(await filesWithCanary(restoredRoot)).not.toEqual([]);
  const layers = await again.layers();
  const replayed = await layers.privacy.replay(receipts);
  expect(replayed.map(({ pieces, still_held }) => [pieces, still_held])).toEqual([
    [receipt.pieces, undefined],
  ]);
  expect(await filesWithCanary(restoredRoot)).toEqual([]);
  expect((await layers.privacy.verifyErased([CANARY])).isErased).toBe(true);
  expect(await again.getMemory('bob', 'mem_bob')).not.toBeNull();
  expect(await layers.privacy.replay(receipts)).toEqual([]);
  await again.close();
  for (const each of [pool, owner, restoredRoot]) await each.end();
  await restored.stop();
});
