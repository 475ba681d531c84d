import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';

it('takes steps in proportion to the input, in every text field of every operation and every tool', () => {
  const script = join(import.meta.dirname, 'processes/count-steps.ts');
  const told = execFileSync(process.execPath, ['--conditions=longhand-source', script], {
    encoding: 'utf8',
  });
  expect(told).toBe('');
});
