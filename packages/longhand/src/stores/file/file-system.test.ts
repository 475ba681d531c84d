import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { appendWhole, readFrom } from './append-whole.ts';
import { createNodeFileSystem, makeFolder, O_CREAT, O_RDONLY, O_RDWR, openPrivate } from './file-system.ts';
import { loadKernelLocks } from './kernel-locks.ts';
import { prepareRoot } from './storage-root.ts';

const real = createNodeFileSystem(loadKernelLocks().locks);
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'longhand-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

it('knows what stands at a path, and follows no link', () => {
  const kindOf = (name: string) => real.stat(join(folder, name))?.kind;
  writeFileSync(join(folder, 'file'), '');
  mkdirSync(join(folder, 'directory'));
  symlinkSync(folder, join(folder, 'link'));
  execFileSync('mkfifo', [join(folder, 'other')]);
  for (const kind of ['file', 'directory', 'link', 'other']) expect(kindOf(kind)).toBe(kind);
  expect(kindOf('nothing')).toBeUndefined();
  expect(() => real.open(join(folder, 'link'), O_RDONLY)).toThrow('ELOOP');
  // Nor does it wait for the other end of a pipe.
  expect(() => openPrivate(real, join(folder, 'other'), O_RDWR)).toThrow('is not a file');
});

it('gives a file to its owner, whatever it was made with', () => {
  writeFileSync(join(folder, 'file'), '');
  chmodSync(join(folder, 'file'), 0o400);
  const fd = real.open(join(folder, 'new'), O_RDWR | O_CREAT, 0o600);
  real.close(fd);
  if (process.getuid?.() === 0) real.close(openPrivate(real, join(folder, 'file'), O_RDWR).fd);
  expect(statSync(join(folder, 'file')).mode & 0o777).toBe(process.getuid?.() === 0 ? 0o600 : 0o400);
  expect([makeFolder(real, join(folder, 'a')), makeFolder(real, join(folder, 'a'))]).toEqual([true, false]);
  expect(() => makeFolder(real, join(folder, 'no/where'))).toThrow('ENOENT');
});

it('reports a sync that fails', async () => {
  await expect(real.sync(9_999)).rejects.toThrow('EBADF');
  await expect(real.syncDirectory(join(folder, 'nothing'))).rejects.toThrow('ENOENT');
  await real.syncDirectory(folder);
  const fd = real.open(join(folder, 'file'), O_RDWR | O_CREAT, 0o600);
  await real.sync(fd);
  real.close(fd);
});

it('reads up to the end of a file that is shorter than it was, and gives a write’s own error back', () => {
  const fd = real.open(join(folder, 'file'), O_RDWR | O_CREAT, 0o600);
  real.write(fd, Buffer.from('abc'));
  expect(readFrom(real, fd, 1, 100).toString()).toBe('bc');
  real.close(fd);
  const readable = real.open(join(folder, 'file'), O_RDONLY);
  expect(() => appendWhole(real, readable, 3, Buffer.from('d'))).toThrow('EBADF');
  real.close(readable);
});

it('takes a root that belongs to this user, and asks no owner where there is none', () => {
  const getuid = process.getuid;
  const root = join(folder, 'root');
  prepareRoot(real, root, { allowNetworkFileSystem: false });
  try {
    process.getuid = () => 54_321;
    expect(() => prepareRoot(real, root, { allowNetworkFileSystem: false })).toThrow('another user');
    Object.assign(process, { getuid: undefined });
    prepareRoot(real, root, { allowNetworkFileSystem: false });
  } finally {
    Object.assign(process, { getuid });
  }
});
