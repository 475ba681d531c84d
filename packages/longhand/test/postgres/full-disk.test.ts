import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { expect, it } from 'vitest';
import { readLog } from '../../src/core/read-log.ts';
import { applySchema, PostgresStore } from '../../src/stores/postgres/index.ts';
import { startServer } from './server.ts';

/** A real disk that is really full, of the database's server. */
const MEGABYTES = 96;
const NEW = { create: 'new' } as const;
const line = (id: string): string =>
  JSON.stringify({ schema_version: 1, id, content: randomBytes(400_000).toString('base64') });

it('says that the disk is full, loses nothing, and goes on when there is room again', async () => {
  const server = await startServer(undefined, { megabytes: MEGABYTES });
  const root = new pg.Pool({ ...server.connection(), max: 3 });
  const client = await root.connect();
  await applySchema(client);
  client.release();
  const store = new PostgresStore({ pool: root, accountId: 'acme' });
  const log = { kind: 'session', id: 'one', userId: 'ada' } as const;
  await store.append(log, [], NEW);
  // What another program keeps on the same disk.
  await root.query(
    'CREATE TABLE ballast AS SELECT sha512(n::text::bytea) AS bytes FROM generate_series(1, 100000) AS n',
  );
  const acknowledged: string[] = [];
  const failure = await (async (): Promise<unknown> => {
    for (let i = 0; i < 1_000; i++) {
      const id = `mem_${i}`;
      try {
        // In turns decided from what is there, and not.
        await store.append(log, i % 2 === 0 ? [line(id)] : () => [line(id)]);
      } catch (error) {
        return error;
      }
      acknowledged.push(id);
    }
    return undefined;
  })();
  expect(failure).toMatchObject({
    code: 'STORAGE_FULL',
    message: expect.stringContaining('Nothing was written'),
  });
  expect(acknowledged.length).toBeGreaterThan(20);
  const idsOf = async (): Promise<unknown[]> =>
    (await readLog(store, log)).lines.map(({ memoryId }) => memoryId);
  expect(await idsOf()).toEqual(acknowledged);
  // Refused again, and again nothing is half there.
  await expect(store.append(log, [line('mem_x'), line('mem_y')])).rejects.toMatchObject({
    code: 'STORAGE_FULL',
  });
  expect(await idsOf()).toEqual(acknowledged);
  await root.query('DROP TABLE ballast');
  await store.append(log, [line('mem_last')]);
  expect(await idsOf()).toEqual([...acknowledged, 'mem_last']);
  await store.close();
  await root.end();
  await server.stop();
});
