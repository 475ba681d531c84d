import { type MemoryEntry, MemoryManager } from '../../src/index.ts';
import { createChance } from './chance.ts';
import { EMPTY_HASH, extendHash } from './prefix-hash.ts';
import { readTask, report } from './report.ts';
import { Trace } from './trace.ts';

/** Adds and reads, and keeps a trace of when each began and ended. */
export interface TracedTask {
  readonly root: string;
  readonly trace: string;
  readonly sessions: readonly string[];
  readonly name: string;
  readonly seed: number;
  readonly operations: number;
}

const { root, trace: tracePath, sessions, name, seed, operations } = readTask<TracedTask>();
const chance = createChance(seed);
const trace = new Trace(tracePath);
const manager = new MemoryManager({ storageRoot: root });
let made = 0;

async function add(session: string): Promise<void> {
  const labels = Array.from({ length: chance.next() < 0.1 ? 5 : 1 }, () => `${name}_${++made}`);
  const memories = labels.map((label) => ({ type: 'finding' as const, content: { label } }));
  trace.note('adding', session, ...labels);
  await manager.addMemories(session, memories);
  trace.note('added', session, ...labels);
}

/** What a reader saw is told by its length and its fingerprint. */
async function read(session: string): Promise<void> {
  const label = `${name}_${++made}`;
  trace.note('reading', session, label);
  const text = await manager.exportSession(session, 'jsonl');
  // The moment of the end is noted first: what it took to understand the answer is not part of reading.
  trace.note('read', session, label);
  const entries = text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as MemoryEntry);
  let hash = EMPTY_HASH;
  for (const { content } of entries) hash = extendHash(hash, content.label as string);
  trace.note('saw', session, label, entries.length, String(hash));
}

for (let done = 0; done < operations; ) {
  const session = chance.pick(sessions);
  const dice = chance.next();
  // A few at a time, as callers do.
  const together = 1 + chance.below(8);
  if (dice < 0.02) await read(session);
  else if (dice < 0.025) await manager.compactSession(session);
  else await Promise.all(Array.from({ length: together }, () => add(session)));
  done += together;
}
await manager.close();
report('done');
