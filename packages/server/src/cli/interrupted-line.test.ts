import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { clearLine } from './interrupted-line.ts';

it('clears a half-typed line, wherever the cursor is, and says when there is none', () => {
  const input = new PassThrough();
  const reader = createInterface({ input, output: new PassThrough(), terminal: true });
  const cleared: boolean[] = [];
  reader.on('SIGINT', () => cleared.push(clearLine(reader)));
  // The left arrow twice, then Ctrl-C.
  reader.write('I live in Oslo');
  reader.write(null, { name: 'left' });
  reader.write(null, { name: 'left' });
  reader.write(null, { ctrl: true, name: 'c' });
  expect(reader.line).toBe('');
  reader.write(null, { ctrl: true, name: 'c' });
  expect(cleared).toEqual([true, false]);
  reader.close();
});
