import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { afterAll, onTestFinished, vi } from 'vitest';
import { chooseSeed, isTorture } from './chance.ts';

/**
 * What the campaigns share: how large they are, the chance they run on, and real processes.
 *
 * A campaign has two sizes: the one of every run, and the one of the night (`LONGHAND_TORTURE=1`). Its chance
 * comes from a seed (`chance.ts`), which a failure names; `LONGHAND_SEED` runs it again.
 */
export { isTorture };

export function sized(everyRun: number, nightly: number): number {
  return isTorture ? nightly : everyRun;
}

// A guard against what never ends, not a measure: generous on a busy machine, and for a whole night.
vi.setConfig({ testTimeout: isTorture ? 24 * 3_600_000 : 600_000 });

/** What is left of a failing case after this time is small enough to read. */
const SHRINKING_MS = 60_000;

/**
 * Checks a property. A failing case of many memories could shrink for hours, so shrinking stops after a minute; how many
 * cases are tried does not depend on the time.
 */
export async function assertFor<Drawn>(
  property: fc.IAsyncProperty<Drawn> | fc.IProperty<Drawn>,
  numRuns: number,
): Promise<void> {
  const {
    failed,
    seed,
    counterexamplePath: path,
  } = await fc.check(property, {
    numRuns,
    endOnFailure: true,
  });
  if (failed) await fc.assert(property, { seed, path: path!, interruptAfterTimeLimit: SHRINKING_MS });
}

/** Runs a campaign on a seed; what goes wrong says on which. */
export async function withSeed<Result>(campaign: (seed: number) => Promise<Result>): Promise<Result> {
  const seed = chooseSeed();
  try {
    return await campaign(seed);
  } catch (error) {
    if (error instanceof Error) error.message = `LONGHAND_SEED=${seed}: ${error.message}`;
    throw error;
  }
}

const MEMORY_DISK = '/dev/shm';

/**
 * A folder that goes away with the test.
 * @param isOnDisk false takes memory where the system has such a folder: a killed process leaves there what it
 * leaves on a disk, and a campaign of thousands of syncs does not wait for each.
 */
export function temporaryFolder(isOnDisk = true): string {
  const parent = !isOnDisk && existsSync(MEMORY_DISK) ? MEMORY_DISK : tmpdir();
  const folder = mkdtempSync(join(parent, 'longhand-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
  return folder;
}

export interface Running {
  readonly child: ChildProcess;
  /** Everything it has said, line by line. */
  readonly lines: readonly string[];
  /** Settles when it is gone and everything it said has arrived. */
  readonly ended: Promise<{ readonly signal: NodeJS.Signals | null; readonly code: number | null }>;
  /** Rejects when it ends with an error of its own: a test that waits for its words waits for this too. */
  readonly failure: Promise<never>;
  say(line: string): void;
}

const started: ChildProcess[] = [];
// A test that fails leaves its processes, and they would keep its folders, its locks and the runner's pipes.
afterAll(() => {
  for (const child of started) child.kill('SIGKILL');
});

/** Ends a process with the file of tests that started it, when it is still there. */
export function endWithTests<Child extends ChildProcess>(child: Child): Child {
  started.push(child);
  return child;
}

/** Compiled code is kept between processes: starting one costs a third. */
const COMPILE_CACHE = join(tmpdir(), 'longhand-compile-cache');

/** Starts one of the programs in `test/processes`. */
export function startProcess(
  program: string,
  task: unknown,
  onLine: (line: string) => void = () => undefined,
): Running {
  const path = fileURLToPath(new URL(`processes/${program}`, import.meta.url));
  const child = endWithTests(
    spawn(process.execPath, [path, JSON.stringify(task)], {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { ...process.env, NODE_COMPILE_CACHE: COMPILE_CACHE },
    }),
  );
  const lines: string[] = [];
  const reader = createInterface({ input: child.stdout! });
  reader.on('line', (line) => {
    lines.push(line);
    onLine(line);
  });
  const isRead = new Promise<void>((resolve) => reader.on('close', resolve));
  // A killed process takes no more orders, and that is no failure.
  child.stdin!.on('error', () => undefined);
  const ended = new Promise<{ signal: NodeJS.Signals | null; code: number | null }>((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code, signal) => void isRead.then(() => resolve({ signal, code })));
  });
  const failure = ended.then(({ code }) => {
    if (code !== null && code !== 0) throw new Error(`${program} ended with ${code}.`);
    return new Promise<never>(() => undefined);
  });
  failure.catch(() => undefined);
  return { child, lines, ended, failure, say: (line) => child.stdin!.write(`${line}\n`) };
}

/** Works through the items, a few at a time. */
export async function inParallel<Item>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const waiting = [...items];
  const worker = async (): Promise<void> => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
