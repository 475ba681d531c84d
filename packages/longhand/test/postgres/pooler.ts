import { spawn } from 'node:child_process';
import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { expect, onTestFinished } from 'vitest';
import { findProgram } from '../../../../scripts/install-for-campaigns.ts';
import type { TestServer } from './server.ts';

const NOBODY = 65_534;

/** A pooler that hands its one connection to another client after every transaction. */
export async function startPooler(
  server: TestServer,
  user: 'server' | 'keeper' = 'server',
): Promise<{
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
}> {
  const found = findProgram('pgbouncer')!;
  const folder = mkdtempSync(join(tmpdir(), 'longhand-pooler-'));
  const { host, port } = server.connection();
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
  writeFileSync(join(folder, 'users.txt'), '"server" ""\n"keeper" ""\n');
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
  const config = { host: folder, port: 6432, user, database: 'memory' };
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
