import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { MemoryManager } from '../src/index.ts';
import { isTorture, temporaryFolder } from './campaign.ts';

/** A real mount needs a namespace of its own: where the system gives none, `npm run torture` fails. */
const PROGRAM = fileURLToPath(new URL('processes/read-only.ts', import.meta.url));
const OWN_MOUNTS = process.getuid?.() === 0 ? ['-m'] : ['-rm'];

function runReadOnly(root: string, command: readonly string[]): ReturnType<typeof spawnSync> {
  const script = 'mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" && shift && exec "$@"';
  return spawnSync('unshare', [...OWN_MOUNTS, 'sh', '-c', script, 'sh', root, ...command], {
    encoding: 'utf8',
  });
}

test('a store on a read-only mount can be read, and says that it cannot be written', async ({ skip }) => {
  const root = temporaryFolder();
  if (runReadOnly(root, ['true']).status !== 0) {
    expect(isTorture, 'root or user namespaces are needed').toBe(false);
    skip('this system makes no mounts for tests');
  }
  const manager = new MemoryManager({ storageRoot: root });
  await manager.createSession('ada', { session_id: 's' });
  await manager.addMemory('s', { type: 'finding', content: { text: 'An otter lives in the river.' } });
  const { notes, details } = await manager.layers();
  await notes.apply('ada', 'default', { operation: 'append', content: '- tea\n' });
  await details.store('s', { content: 'a large value', key: 'k' });
  await manager.close();
  const { stdout, stderr } = runReadOnly(root, [process.execPath, PROGRAM, JSON.stringify({ root })]);
  expect(stdout, String(stderr)).not.toBe('');
  expect(JSON.parse(String(stdout))).toEqual({
    sessions: 1,
    memories: 1,
    ofUser: 1,
    exported: true,
    notes: '- tea\n',
    details: 1,
    context: true,
    writing: 'ACCESS_DENIED',
  });
});
