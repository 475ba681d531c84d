import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { isCurrent, readLine, readLog } from '../../core/read-log.ts';
import { FileStore } from './file-store.ts';

const LOG = { kind: 'session', id: 's' } as const;

test('a line of a log that is not open is read where it was, and nowhere else', async () => {
  const parent = mkdtempSync(join(tmpdir(), 'longhand-'));
  onTestFinished(() => rmSync(parent, { recursive: true }));
  const root = join(parent, 'store');
  const writer = new FileStore({ root });
  const reader = new FileStore({ root });
  await writer.append(LOG, ['{"a":1}'], { create: 'new' });
  const { lines, position } = await readLog(writer, LOG);
  const place = lines[0]!;
  expect((await readLine(reader, LOG, place, position))!.text).toBe(place.text);
  expect(await isCurrent(reader, LOG, position)).toBe(true);
  const another = new FileStore({ root });
  expect(await isCurrent(another, LOG, { ...position, generation: 'another' })).toBe(false);
  await another.close();
  await writer.rewrite(LOG, () => ({ keep: [], append: ['{"a":2}'] }));
  expect(await readLine(reader, LOG, place, position)).toBeUndefined();
  await writer.remove(LOG);
  mkdirSync(join(root, 'sessions/s/memory.jsonl'), { recursive: true });
  expect(await readLine(reader, LOG, place, position)).toBeUndefined();
  await reader.close();
  await writer.close();
});
