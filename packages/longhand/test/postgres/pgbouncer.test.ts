import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { readLog } from '../../src/core/read-log.ts';
import { MemoryManager } from '../../src/index.ts';
import { PostgresStore } from '../../src/stores/postgres/index.ts';
import { usePostgres } from './open-postgres.ts';
import { startPooler } from './pooler.ts';

const database = usePostgres();
const ROUNDS = 1_000;

it('keeps accounts apart through a pooler in transaction mode with one connection', async () => {
  const pool = new pg.Pool({ ...(await startPooler(database.server)), max: 8 });
  onTestFinished(() => pool.end());
  const accounts = ['one', 'two', 'three', 'four'];
  const stores = accounts.map((accountId) => new PostgresStore({ pool, accountId }));
  const log = { kind: 'session', id: 'chat', userId: 'ada' } as const;
  for (const store of stores) await store.append(log, [], { create: 'new' });
  let wrong = 0;
  await Promise.all(
    stores.map(async (store, i) => {
      for (let round = 0; round < ROUNDS / stores.length; round++) {
        const body = JSON.stringify({ schema_version: 1, id: `mem_${accounts[i]}_${round}` });
        await store.append(log, round % 10 === 0 ? () => [body] : [body]);
        const { lines } = await readLog(store, log);
        if (
          lines.length !== round + 1 ||
          lines.some(({ memoryId }) => !memoryId!.startsWith(`mem_${accounts[i]}_`))
        )
          wrong++;
      }
    }),
  );
  expect(wrong).toBe(0);
  for await (const { place } of stores[0]!.scan()) expect(place).not.toContain('two');
  for (const store of stores) await store.close();
});

it('forgets through it, and leaves no setting to the next client', async () => {
  const config = { ...(await startPooler(database.server, 'keeper')), max: 4 };
  const [pool, owner] = [new pg.Pool(config), new pg.Pool({ ...config, max: 1 })];
  onTestFinished(async () => void (await Promise.all([pool.end(), owner.end()])));
  const manager = new MemoryManager({
    store: new PostgresStore({ pool, owner, accountId: 'forgetting' }),
    semantic: false,
  });
  await manager.remember('ada', 'The code is 471147.');
  expect((await manager.forget('ada', { everything: true })).still_held).toBeUndefined();
  const { rows } = await pool.query(
    "SELECT current_setting('lock_timeout') AS lock, current_user::text AS role, nullif(current_setting('request.jwt.claims', true), '') AS claims",
  );
  expect(rows).toEqual([{ lock: '0', role: 'keeper', claims: null }]);
  await manager.close();
});
