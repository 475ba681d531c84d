import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { EventFacts } from '../../core/events.ts';
import { createFaultFileSystem } from '../../testing/index.ts';
import { createNodeFileSystem } from './file-system.ts';
import { createProcessLocks } from './kernel-locks.ts';
import { tightenAll, tightenOne } from './tighten.ts';

const real = createNodeFileSystem(createProcessLocks());

function makeTree(): string {
  const folder = mkdtempSync(join(tmpdir(), 'longhand-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 'below'));
  for (const name of ['file', 'lock', 'below/file']) writeFileSync(join(folder, name), '');
  symlinkSync(join(folder, 'file'), join(folder, 'link'));
  for (const name of ['.', 'below']) chmodSync(join(folder, name), 0o755);
  chmodSync(join(folder, 'file'), 0o604);
  chmodSync(join(folder, 'lock'), 0o666);
  chmodSync(join(folder, 'below/file'), 0o440);
  return folder;
}

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

test('takes from others what they can do, and from the owner nothing', () => {
  const folder = makeTree();
  const events: EventFacts[] = [];
  tightenAll(real, folder, (event) => events.push(event));
  tightenAll(real, join(folder, 'none'), (event) => events.push(event));
  tightenOne(real, join(folder, 'none'), (event) => events.push(event));
  const modes = ['.', 'below', 'file', 'lock', 'below/file'].map((name) => modeOf(join(folder, name)));
  expect(modes).toEqual(['700', '700', '600', '644', '400']);
  expect(events).toEqual([]);
});

test('reports what it may not change, and goes on', () => {
  const folder = makeTree();
  const events: EventFacts[] = [];
  const refusing = createFaultFileSystem(real, [{ at: 1, kind: 'setMode', fail: 'EPERM' }]);
  tightenAll(refusing, folder, (event) => events.push(event));
  expect(events).toEqual([{ kind: 'permissions-too-wide', path: folder, mode: '755' }]);
  expect(modeOf(join(folder, 'file'))).toBe('600');
});
