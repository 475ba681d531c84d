import { lstatSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { LonghandError } from '../../src/core/errors.ts';
import { FileStore } from '../../src/stores/file/file-store.ts';
import { readTask, report } from './report.ts';

/** Makes every kind of file that a store has under a umask, and reports the modes of all of them. */
export interface MakeStoreTask {
  readonly root: string;
  readonly umask: number;
}

export type Modes = Readonly<Record<string, string>>;

const { root, umask } = readTask<MakeStoreTask>();
process.umask(umask);
const modes: Record<string, string> = {};

function look(folder: string): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    const stats = lstatSync(path);
    const key = relative(root, path).replace(/[0-9a-z]+-[0-9a-z]+-\d+\.line$/, 'line');
    modes[key] = (stats.mode & 0o777).toString(8);
    if (stats.isDirectory()) look(path);
  }
}

try {
  const store = new FileStore({ root });
  modes['.'] = (lstatSync(root).mode & 0o777).toString(8);
  const log = { kind: 'session', id: 's' } as const;
  await store.append({ ...log, userId: 'u' }, ['{"schema_version":1}'], { create: 'new' });
  await store.append({ ...log, userId: 'u' }, ['{"schema_version":1}'], { tombstones: ['{}'] });
  await store.writeDocument(log, 'index.json', '{}');
  await store.writeDocument(undefined, 'config.json', '{}');
  await store.writeDocument(undefined, 'indices/global_index.json', '{}');
  await store.append({ kind: 'agent', id: 'a' }, [], { create: 'new' });
  await store.rewrite(log, ({ lines }) => {
    look(join(root, 'sessions/s'));
    return { keep: [], append: [], quarantine: lines.slice(0, 1) };
  });
  look(root);
  await store.close();
  report(JSON.stringify(modes));
} catch (error) {
  report(LonghandError.isInstance(error) ? `${error.code} ${error.message}` : String(error));
}
