import { FileStore } from '../../src/index.ts';
import { readTask, report } from './report.ts';

/**
 * Takes the lock of a log when it is told to, and says from when to when it had it, on the machine's monotonic
 * clock. `hold` never lets go: it waits to be killed. `own` takes it once and lets go.
 */
export interface ContenderTask {
  readonly root: string;
  readonly session: string;
}

const { root, session } = readTask<ContenderTask>();
const log = { kind: 'session', id: session } as const;
const asleep = new Int32Array(new SharedArrayBuffer(4));
/** However long the holder has the lock, and however many are first. */
const lockTimes = { lockTimeoutMs: 600_000, maxRetries: 0, retryBackoffMs: 1 };

async function own(round: string): Promise<void> {
  let takenOver = 0;
  // A store of its own in every round, as a process has that has just started.
  const store = new FileStore({
    root,
    lockTimes,
    emit: ({ kind }) => {
      if (kind === 'lock-taken-over') takenOver++;
    },
  });
  let entered = 0n;
  let left = 0n;
  await store.rewrite(log, () => {
    entered = process.hrtime.bigint();
    Atomics.wait(asleep, 0, 0, 1);
    left = process.hrtime.bigint();
    return { keep: [], append: [], dryRun: true };
  });
  report('owned', round, entered, left, takenOver);
  await store.close();
}

async function hold(round: string): Promise<void> {
  const store = new FileStore({ root, lockTimes });
  await store.rewrite(log, () => {
    report('holding', round, process.hrtime.bigint());
    for (;;) Atomics.wait(asleep, 0, 0);
  });
}

report('ready');
let orders = '';
process.stdin.on('data', (chunk) => {
  orders += chunk.toString();
  const lines = orders.split('\n');
  orders = lines.pop()!;
  for (const line of lines) {
    const [order, round] = line.split(' ');
    void (order === 'hold' ? hold(round!) : own(round!));
  }
});
