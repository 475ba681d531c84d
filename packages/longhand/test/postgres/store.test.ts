import { describe, it } from 'vitest';
import { storeConformance } from '../../src/testing/index.ts';
import { postgresHarness, usePostgres } from './open-postgres.ts';

const database = usePostgres();
storeConformance({ describe, it }, 'Postgres', postgresHarness(database));
