import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import fc from 'fast-check';
import { test } from 'vitest';
import { sized, temporaryFolder } from '../campaign.ts';
import { live, livesOf, START_MS } from '../model/lives.ts';
import { openRealSystems, RealSystem } from '../model/real-system.ts';
import { usePostgres } from './open-postgres.ts';

/** The same random lives as of files and memory, each also on Postgres, with two managers that share nothing but the database. */
const database = usePostgres();
const RUNS = sized(200, 10_000);

test(`${RUNS} random lives of a store are the same in Postgres, in files, in memory and in the model`, async () => {
  const folder = temporaryFolder(false);
  let runs = 0;
  const property = fc.asyncProperty(livesOf(20), (life) => {
    const account = randomUUID();
    const postgres = new RealSystem('Postgres', START_MS, () => database.store(account));
    return live(life, [...openRealSystems(join(folder, String(++runs)), START_MS), postgres]);
  });
  await fc.assert(property, { numRuns: RUNS, endOnFailure: false });
});
