import { expect, it } from 'vitest';
import { LockTable } from './lock-table.ts';

it('is released only by its owner', () => {
  const table = new LockTable<string>();
  expect(table.tryLock('file', 0, 2, 'mine')).toBe(true);
  table.unlock('file', 0, 2, 'theirs');
  expect(table.tryLock('file', 1, 1, 'theirs')).toBe(false);
  table.unlock('file', 1, 1, 'mine');
  expect(table.tryLock('file', 1, 1, 'theirs')).toBe(true);
  expect(table.tryLock('file', 0, 1, 'theirs')).toBe(false);
});
