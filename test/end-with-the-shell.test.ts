import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';

const module = join(import.meta.dirname, '../scripts/end-with-the-shell.ts');

test('what npm starts hears of a signal that only its shell was given, once', async () => {
  const program = `
    await import(${JSON.stringify(module)});
    let signals = 0;
    process.on('SIGTERM', () => { signals++; setTimeout(() => { console.log('signals', signals); process.exit(); }, 700); });
    setInterval(() => undefined, 1000);
    console.log('ready');`;
  // Something behind the command: some shells put a last command in their own place, and not all do.
  const shell = spawn('sh', ['-c', '"$0" --input-type=module --eval "$1"; true', process.execPath, program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: shell.stdout })[Symbol.asyncIterator]();
  expect((await lines.next()).value).toBe('ready');
  const ended = once(shell, 'exit');
  shell.kill('SIGTERM');
  await ended;
  expect((await lines.next()).value).toBe('signals 1');
});
