import { type Clock, MemoryManager } from '../../src/index.ts';
import { createChance } from './chance.ts';
import { PATIENT_LOCKS } from './patient-locks.ts';
import { readTask, report } from './report.ts';

/**
 * Works with a clock that is wrong, and that jumps while it holds the lock. Rounds are ordered line by line;
 * each says which ids it was given, and from when to when it held the lock for its compaction.
 */
export interface ClockTask {
  readonly root: string;
  readonly session: string;
  readonly name: string;
  readonly seed: number;
  /** Added to the time of day, in ms; one of them at a time. */
  readonly skews: readonly number[];
}

const { root, session, name, seed, skews } = readTask<ClockTask>();
const chance = createChance(seed);
const asleep = new Int32Array(new SharedArrayBuffer(4));
let skew = chance.pick(skews);
const clock: Clock = { now: () => Date.now() + skew, monotonic: () => performance.now() };

let entered = 0n;
let left = 0n;
const manager = new MemoryManager({
  storageRoot: root,
  clock,
  config: { concurrency: PATIENT_LOCKS },
  onEvent: ({ kind }) => {
    if (kind === 'lock-timeout' || kind === 'lock-taken-over') report('robbed', kind);
    if (kind !== 'compaction-started') return;
    // Here the lock is held: the clock jumps, back too, and the hold takes its time.
    entered = process.hrtime.bigint();
    skew = chance.pick(skews);
    Atomics.wait(asleep, 0, 0, 5 + chance.below(20));
    skew = chance.pick(skews);
    left = process.hrtime.bigint();
  },
});

async function work(round: string): Promise<void> {
  for (let i = 0; i < 10; i++) {
    skew = chance.pick(skews);
    const label = `${name}_${round}_${i}`;
    const id = await manager.addMemory(session, { type: 'finding', content: { label } });
    report('added', id, label);
  }
  await manager.compactSession(session);
  report('held', round, entered, left);
}

report('ready');
process.stdin.on('data', (chunk) => {
  for (const round of chunk.toString().trim().split('\n')) void work(round);
});
