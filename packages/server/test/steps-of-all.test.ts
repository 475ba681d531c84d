import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const script = join(import.meta.dirname, 'processes/count-steps.ts');

function countSteps(...operations: readonly string[]): readonly string[] {
  const told = execFileSync(process.execPath, ['--conditions=longhand-source', script, ...operations], {
    encoding: 'utf8',
  });
  return told.split('\n').filter((line) => line !== '');
}

it('takes steps in proportion to the input, in every text field of every operation and every tool', () => {
  const grown = countSteps().map((line) => (JSON.parse(line) as { operation: string }).operation);
  // Tokens that another operation has counted are not counted again, so that short inputs may seem to cost nothing: what
  // has grown must grow in a process of its own too.
  for (const operation of new Set(grown)) expect(countSteps(operation)).toEqual([]);
});
