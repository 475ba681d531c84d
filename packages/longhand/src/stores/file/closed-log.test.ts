import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { FileStore } from './file-store.ts';

const LOG = { kind: 'session', id: 's' } as const;

test('a line of a log that is not open is read where it was, and nowhere else', async () => {
  const parent = mkdtempSync(join(tmpdir(), 'longhand-'));
  onTestFinished(() => rmSync(parent, { recursive: true }));
  const root = join(parent, 'store');
  const writer = new FileStore({ root });
  const reader = new FileStore({ root });
  await writer.create(LOG, ['{"a":1}']);
  const { lines, position } = await writer.read(LOG);
  const place = lines[0]!;
  expect((await reader.readLine(LOG, place, position))!.text).toBe(place.text);
  expect(reader.isCurrent(LOG, position)).toBe(true);
  expect(reader.isCurrent(LOG, { ...position, generation: 'another' })).toBe(false);
  await writer.rewrite(LOG, () => ({ keep: [], append: ['{"a":2}'] }));
  expect(await reader.readLine(LOG, place, position)).toBeUndefined();
  await writer.remove(LOG);
  mkdirSync(join(root, 'sessions/s/memory.jsonl'), { recursive: true });
  expect(await reader.readLine(LOG, place, position)).toBeUndefined();
  await reader.close();
  await writer.close();
});
