import { describe, it } from 'vitest';
import { memoryConformance } from '../../src/testing/index.ts';
import { postgresHarness, usePostgres } from './open-postgres.ts';

const database = usePostgres();
memoryConformance({ describe, it }, 'Postgres', postgresHarness(database));
