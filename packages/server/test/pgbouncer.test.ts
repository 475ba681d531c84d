import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { startPooler } from '../../longhand/test/postgres/pooler.ts';
import { startServer } from '../../longhand/test/postgres/server.ts';
import { loadConfig } from '../src/config/load-config.ts';
import { runServer } from '../src/run-server.ts';
import { call } from './http-fixture.ts';

/** A whole server behind a pooler that hands its one connection to another client after every transaction. */
it('makes the tables, serves four users, forgets through a pooler, and leaves no setting behind', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'longhand-pooled-'));
  const postgres = await startServer();
  onTestFinished(async () => {
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  const root = new pg.Client(postgres.connection());
  await root.connect();
  await root.query('CREATE ROLE keeper LOGIN CREATEROLE');
  await root.query('CREATE DATABASE memory OWNER keeper');
  await root.end();
  const { host, port } = await startPooler(postgres, 'keeper');
  const url = `postgres:///memory?host=${encodeURIComponent(host)}&port=${port}&user=keeper`;
  const flags = { 'database-url': url, port: 0, 'log-level': 'silent', 'state-folder': folder };
  const server = await runServer(loadConfig({ env: {}, cwd: folder, home: folder, flags }));
  const users = ['ada', 'bob', 'cyd', 'dan'];
  await Promise.all(
    users.map(async (user) => {
      const as = { 'longhand-user': user };
      for (let i = 0; i < 10; i++) {
        const added = await call(server.url, 'POST', '/api/memories', { content: `${i} of ${user}` }, as);
        expect(added.status, added.text).toBe(201);
        const found = await call(server.url, 'POST', '/api/search', { text: users.join(' '), limit: 50 }, as);
        for (const { content } of found.body.memories ?? [])
          expect((content as { text: string }).text).toContain(user);
      }
      const forgotten = await call(server.url, 'POST', '/api/privacy/forget', { everything: true }, as);
      expect(forgotten.body.still_held, forgotten.text).toBeUndefined();
    }),
  );
  const next = new pg.Client(url);
  await next.connect();
  const { rows } = await next.query(
    "SELECT current_setting('lock_timeout') AS lock, current_user::text AS role, nullif(current_setting('request.jwt.claims', true), '') AS claims",
  );
  expect(rows).toEqual([{ lock: '0', role: 'keeper', claims: null }]);
  await next.end();
  await server.close();
});
