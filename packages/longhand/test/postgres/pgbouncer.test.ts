import { spawn } from 'node:child_process';
import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { findProgram } from '../../../../scripts/install-for-campaigns.ts';
import { readLog } from '../../src/core/read-log.ts';
import { PostgresStore } from '../../src/stores/postgres/index.ts';
import { usePostgres } from './open-postgres.ts';

const database = usePostgres();
const ROUNDS = 1_000;
const NOBODY = 65_534;

/** A pooler that hands its one connection to another client after every transaction. */
async function startPooler(): Promise<pg.PoolConfig> {
  const found = findProgram('pgbouncer')!;
  const folder = mkdtempSync(join(tmpdir(), 'longhand-pooler-'));
  const { host, port } = database.server.connection();
  const settings = [
    '[databases]',
    `memory = host=${host} port=${port} dbname=memory`,
    '[pgbouncer]',
    `unix_socket_dir = ${folder}`,
    'listen_addr =',
    'listen_port = 6432',
    'auth_type = trust',
    `auth_file = ${join(folder, 'users.txt')}`,
    'pool_mode = transaction',
    'default_pool_size = 1',
    'max_client_conn = 100',
  ];
  writeFileSync(join(folder, 'pooler.ini'), `${settings.join('\n')}\n`);
  writeFileSync(join(folder, 'users.txt'), '"server" ""\n');
  const isRoot = process.getuid?.() === 0;
  if (isRoot) chownSync(folder, NOBODY, NOBODY);
  chmodSync(folder, 0o755);
  const child = spawn(found, [join(folder, 'pooler.ini')], {
    ...(isRoot ? { uid: NOBODY, gid: NOBODY } : {}),
    stdio: 'ignore',
  });
  onTestFinished(async () => {
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGINT');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  });
  const config = { host: folder, port: 6432, user: 'server', database: 'memory' };
  await expect
    .poll(async () => {
      const client = new pg.Client(config);
      await client.connect();
      await client.end();
      return true;
    })
    .toBe(true);
  return config;
}

it('keeps accounts apart through a pooler in transaction mode with one connection', async () => {
  const pool = new pg.Pool({ ...(await startPooler()), max: 8 });
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
