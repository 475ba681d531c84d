import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { FileStore } from './file-store.ts';

test('a segment that is not there is none, and one that is a link is not followed', async () => {
  const parent = mkdtempSync(join(tmpdir(), 'longhand-'));
  onTestFinished(() => rmSync(parent, { recursive: true }));
  const store = new FileStore({ root: join(parent, 'store') });
  await store.publishIndex('u', 'index', undefined, async (writer) => {
    (await writer.write('one.segment', Uint8Array.of(1, 2))).close();
    return { manifest: '{}', names: ['one.segment'] };
  });
  const files = (await store.loadIndex('u', 'index', () => []))!;
  expect(files.open('none.segment')).toBeUndefined();
  symlinkSync('one.segment', join(parent, 'store/users/u/index/link.segment'));
  expect(() => files.open('link.segment')).toThrow(expect.objectContaining({ code: 'ELOOP' }));
  await store.close();
});

test('a file in the place of the folder is reported, and not taken for an empty one', async () => {
  const parent = mkdtempSync(join(tmpdir(), 'longhand-'));
  onTestFinished(() => rmSync(parent, { recursive: true }));
  const store = new FileStore({ root: join(parent, 'store') });
  mkdirSync(join(parent, 'store/users/u'));
  writeFileSync(join(parent, 'store/users/u/index'), '');
  await expect(store.loadIndex('u', 'index', () => [])).rejects.toMatchObject({ name: 'IOError' });
  await store.close();
});
