import { readFileSync } from 'node:fs';
import { MemoryManager } from 'longhand';

/**
 * Stores one large tool output and reads it again in every way, page by page to the end, and prints what memory
 * the process took: its resident set before, and the highest that the system has seen until the end.
 */
const [root, wantedBytes] = process.argv.slice(2) as [string, string];
const manager = new MemoryManager({
  storageRoot: root,
  tokenCounter: { name: 'characters / 4', count: (text) => Math.ceil(text.length / 4) },
});
await manager.createSession('me', { session_id: 'large' });
const { details } = await manager.layers();
const small = await details.store('large', { content: 'warm\nup\n' });
for (const options of [{}, { page: 1 }, { lines: [1, 1] as const }, { search: 'up' }])
  await details.retrieve('me', small.memory_key, options);

const line = (number: number): string =>
  `${number} step ${number % 97} of the build took ${number % 1_013} ms, ok\n`;

function* output(): Generator<Uint8Array, void> {
  let number = 1;
  for (let made = 0; made < Number(wantedBytes); ) {
    let lines = '';
    while (lines.length < 65_536) lines += line(number++);
    const chunk = Buffer.from(lines.slice(0, Number(wantedBytes) - made));
    made += chunk.length;
    yield chunk;
  }
}

const megabytes = (): number => process.memoryUsage.rss() / 1e6;
const before = megabytes();
let startedAt = performance.now();
const { memory_key, size_bytes, lines } = await details.store('large', { content: output() });
const storedMs = performance.now() - startedAt;

startedAt = performance.now();
let read = 0;
let pages = 1;
for (let page = 1; page <= pages; page++) {
  const { content, total_pages } = await details.retrieve('me', memory_key, { page });
  read += Buffer.byteLength(content);
  pages = total_pages!;
}
const pagedMs = performance.now() - startedAt;
if (read !== Number(wantedBytes) || size_bytes !== read) throw new Error(`Only ${read} bytes came back.`);

startedAt = performance.now();
const middle = Math.floor(lines / 2);
const found = await details.retrieve('me', memory_key, { lines: [middle, middle] });
const lineMs = performance.now() - startedAt;
if (found.content !== line(middle)) throw new Error('The line in the middle is another one.');

startedAt = performance.now();
const { total_matches } = await details.retrieve('me', memory_key, { search: 'step 96 of' });
const searchedMs = performance.now() - startedAt;
if (total_matches! < lines / 98) throw new Error('The search missed lines.');

/**
 * Of this program alone, in units of 1,024 bytes. `resourceUsage` begins with what the process had that started it, before
 * it became this program.
 */
const [peakKilobytes] = /(?<=VmHWM:\s*)\d+/.exec(readFileSync('/proc/self/status', 'utf8'))!;
const peak = (Number(peakKilobytes) * 1_024) / 1e6;
process.stdout.write(JSON.stringify({ before, peak, storedMs, pagedMs, pages, lineMs, searchedMs, lines }));
await manager.close();
