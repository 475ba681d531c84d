import { readFileSync } from 'node:fs';
import { MemoryManager } from 'longhand';

/** Measures one user of many sessions in a process of its own, so that its memory is all that counts. */
export interface BigUserReport {
  readonly timesMs: Readonly<Record<string, readonly number[]>>;
  readonly peakMegabytes: number;
}

const ROUNDS = 20;
const PAGE = { limit: 50 };
const [storageRoot = ''] = process.argv.slice(2);
const manager = new MemoryManager({ storageRoot, semantic: false });
const timesMs: Record<string, number[]> = {};

await time('firstSearch', () => manager.recall('me', 'topic7 karo mi', { limit: 10 }));
const [session] = await time('firstPage', () => manager.listSessions('me', PAGE));
await addAndSearch('warmUp', session!.id, 0);
for (let round = 0; round < ROUNDS; round++) {
  await addAndSearch('behindWrite', session!.id, round);
  const made = await time('create', () => manager.createSession('me'));
  await addAndSearch('behindNewSession', made.id, round);
  const page = await time('page', () => manager.listSessions('me', PAGE));
  if (page.length !== PAGE.limit) throw new Error(`A page of ${page.length} sessions.`);
}
await time('preview', () => manager.forget('me', { everything: true }, { dryRun: true }));
const report: BigUserReport = { timesMs, peakMegabytes: peakMegabytes() };
if (process.send === undefined) console.log(report);
else process.send(report);
await manager.close();
process.disconnect?.();

async function addAndSearch(name: string, sessionId: string, round: number): Promise<void> {
  const word = `${name}${round}${Date.now()}`;
  await time('add', () => manager.addMemory(sessionId, { type: 'finding', content: `We found ${word}` }));
  const found = await time(name, () => manager.recall('me', word, { limit: 10 }));
  if (found.length !== 1) throw new Error(`${found.length} memories hold ${word}.`);
}

async function time<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
  const startedAt = performance.now();
  const result = await work();
  timesMs[name] ??= [];
  timesMs[name].push(performance.now() - startedAt);
  return result;
}

function peakMegabytes(): number {
  const peak = /VmHWM:\s+(\d+) kB/.exec(readFileSync('/proc/self/status', 'utf8'));
  return Number(peak![1]) / 1024;
}
