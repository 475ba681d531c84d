/** `longhand migrate` with a process that dies, as of `kill -9`, around its nth write to the new store. */
import { FileStore } from 'longhand';
import { PostgresStore } from 'longhand/postgres';
import { main } from '../../src/cli/main.ts';

const [to, nth, ...args] = process.argv.slice(2) as [string, string, ...string[]];
const { prototype } = to === 'folder' ? FileStore : PostgresStore;
let left = Number(nth);

// biome-ignore lint/suspicious/noExplicitAny: whatever the methods take is passed on.
type Method = (...given: any[]) => Promise<unknown>;
const methods = prototype as unknown as Record<string, Method>;
for (const name of ['append', 'writeDocument', 'writeBlob']) {
  const write = methods[name]!;
  methods[name] = async function (...given) {
    left--;
    // Before every second write, and after the others.
    if (left === 0 && Number(nth) % 2 === 0) process.kill(process.pid, 'SIGKILL');
    const result = await write.apply(this, given);
    if (left <= 0) process.kill(process.pid, 'SIGKILL');
    return result;
  };
}
process.exitCode = await main([...args]);
