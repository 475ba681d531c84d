import { LIMIT_RAISED, openLonghand } from '../contenders/longhand.ts';
import { makeEntries } from '../entries.ts';

/** Adds many entries, 64 callers at a time, and prints how much memory the process took before and after. */
const [folder, adds] = process.argv.slice(2);
const longhand = await openLonghand(folder!, LIMIT_RAISED);
const entries = makeEntries(1_000);
const megabytes = (): number => process.memoryUsage.rss() / 1e6;
const before = megabytes();
let left = Number(adds);
let peak = before;
const call = async (): Promise<void> => {
  while (left-- > 0) {
    await longhand.add(entries[left % entries.length]!);
    if (left % 1_000 === 0) peak = Math.max(peak, megabytes());
  }
};
await Promise.all(Array.from({ length: 64 }, call));
process.stdout.write(JSON.stringify({ before, after: megabytes(), peak }));
await longhand.close();
