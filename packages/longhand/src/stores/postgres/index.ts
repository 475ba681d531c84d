export { Calls as PostgresCalls, type PostgresClaims } from './calls.ts';
export type { PostgresClient, PostgresPool, PostgresQueries } from './client.ts';
export { translated } from './failures.ts';
export { PostgresStore, type PostgresStoreOptions } from './postgres-store.ts';
export { type AppliedSchema, applySchema, schemaState } from './schema.ts';
