import { join } from 'node:path';
import { build } from 'vite';

/** Called by Vitest before the tests in a browser: the servers that they start hand out the console as it stands. */
export default async function buildConsole(): Promise<void> {
  process.env.NODE_ENV = 'production';
  await build({ configFile: join(import.meta.dirname, '../vite.config.ts') });
}
