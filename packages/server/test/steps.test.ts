import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';

it('takes steps in proportion to the input, in every text field of what callers send most', () => {
  const script = join(import.meta.dirname, 'processes/count-steps.ts');
  const asked = ['search', 'addMemory', 'storeDetail', 'archiveMessages', 'search_memory', 'store_memory'];
  const told = execFileSync(process.execPath, ['--conditions=longhand-source', script, ...asked], {
    encoding: 'utf8',
  });
  expect(told).toBe('');
});
