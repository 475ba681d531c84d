import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { OPERATIONS } from '../src/operations/index.ts';
import type { Operation } from '../src/operations/operation.ts';

const CLI = join(import.meta.dirname, '../src/cli');

/** The operations that commands run, found in their sources: there, each is `searchOperations.search` or the like. */
export function operationsOfCommands(): readonly Operation[] {
  const sources = readdirSync(CLI, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((name) => readFileSync(join(CLI, name), 'utf8'));
  const names = new Set(
    sources.flatMap((text) => [...text.matchAll(/\w+Operations\.(\w+)/g)].map(([, name]) => name)),
  );
  return OPERATIONS.filter(({ name }) => names.has(name));
}
