import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MemoryManager } from '../src/index.ts';
import { isTorture, pause, startProcess, temporaryFolder, withSeed } from './campaign.ts';
import { createChance } from './processes/chance.ts';
import { PATIENT_LOCKS } from './processes/patient-locks.ts';
import { EMPTY_HASH, extendHash } from './processes/prefix-hash.ts';
import { type Noted, readTrace } from './processes/trace.ts';
import type { TracedTask } from './processes/traced-worker.ts';

/**
 * Ten processes add to and read the same logs, and some are killed. Afterwards the log itself is the order in
 * which everything happened, and that order must fit every process's experience:
 *
 * - each acknowledged add is there exactly once;
 * - what was acknowledged before another add began stands before it;
 * - a reading is a prefix of the log, holds all that was acknowledged before it began, and nothing that began
 *   after it had ended.
 *
 * For a log that only grows these rules are complete: no history that breaks linearizability passes, and the
 * check needs no search, only sorting.
 */
const PROCESSES = 10;
const SESSIONS = ['one', 'two', 'three', 'four'];
const OPERATIONS = isTorture ? 100_000 : 20_000;
const SEEDS = isTorture ? 100 : 1;
const KILLED = 8;

interface Add {
  readonly startedAt: bigint;
  endedAt: bigint | undefined;
}
interface Reading {
  readonly startedAt: bigint;
  endedAt: bigint | undefined;
  saw: { readonly count: number; readonly hash: string } | undefined;
}
interface History {
  readonly adds: Map<string, Add>;
  readonly readings: Map<string, Reading>;
}

function collect(traces: readonly Noted[], session: string): History {
  const adds = new Map<string, Add>();
  const readings = new Map<string, Reading>();
  for (const { at, what, words } of traces) {
    const [where, ...labels] = words;
    if (where !== session) continue;
    if (what === 'adding') for (const label of labels) adds.set(label, { startedAt: at, endedAt: undefined });
    else if (what === 'added') for (const label of labels) adds.get(label)!.endedAt = at;
    else if (what === 'reading')
      readings.set(labels[0]!, { startedAt: at, endedAt: undefined, saw: undefined });
    else if (what === 'read') readings.get(labels[0]!)!.endedAt = at;
    else readings.get(labels[0]!)!.saw = { count: Number(labels[1]), hash: labels[2]! };
  }
  return { adds, readings };
}

/** The labels in the order of the log, read from the file without any of the code under test. */
function readOrder(root: string, session: string): string[] {
  const lines = readFileSync(join(root, 'sessions', session, 'memory.jsonl'), 'utf8')
    .split('\n')
    .slice(0, -1);
  let lastSeq = 0;
  const labels: string[] = [];
  for (const line of lines) {
    // A line that a kill has torn.
    if (!line.endsWith('"}')) continue;
    const { content, seq } = JSON.parse(line) as { content?: { label: string }; seq: number };
    expect(seq).toBeGreaterThan(lastSeq);
    lastSeq = seq;
    if (content !== undefined) labels.push(content.label);
  }
  return labels;
}

function checkOrder({ adds }: History, order: readonly string[]): void {
  expect(new Set(order).size).toBe(order.length);
  const rank = new Map(order.map((label, i) => [label, i]));
  const acknowledged = [...adds].filter(([, { endedAt }]) => endedAt !== undefined);
  expect(acknowledged.filter(([label]) => !rank.has(label))).toEqual([]);
  expect(order.filter((label) => !adds.has(label))).toEqual([]);

  // Walk through time: an add must stand behind everything that was acknowledged before it began.
  const ends = acknowledged
    .map(([label, { endedAt }]) => ({ at: endedAt!, rank: rank.get(label)! }))
    .sort((a, b) => (a.at < b.at ? -1 : 1));
  const starts = order
    .map((label, i) => ({ at: adds.get(label)!.startedAt, rank: i }))
    .sort((a, b) => (a.at < b.at ? -1 : 1));
  let highest = -1;
  let next = 0;
  for (const start of starts) {
    for (; next < ends.length && ends[next]!.at < start.at; next++)
      highest = Math.max(highest, ends[next]!.rank);
    expect(start.rank).toBeGreaterThan(highest);
  }
}

function checkReadings({ adds, readings }: History, order: readonly string[]): number {
  const hashes = [EMPTY_HASH];
  for (const label of order) hashes.push(extendHash(hashes.at(-1)!, label));
  // The latest start among the first n, and how many a reader that starts at a time must see.
  const latestStart: bigint[] = [0n];
  let latest = 0n;
  for (const label of order) {
    const { startedAt } = adds.get(label)!;
    if (startedAt > latest) latest = startedAt;
    latestStart.push(latest);
  }
  const ends = order
    .flatMap((label, i) => {
      const { endedAt } = adds.get(label)!;
      return endedAt === undefined ? [] : [{ at: endedAt, needs: i + 1 }];
    })
    .sort((a, b) => (a.at < b.at ? -1 : 1));
  const finished = [...readings.values()].filter(({ saw }) => saw !== undefined);
  finished.sort((a, b) => (a.startedAt < b.startedAt ? -1 : 1));
  let needs = 0;
  let next = 0;
  for (const { startedAt, endedAt, saw } of finished) {
    for (; next < ends.length && ends[next]!.at < startedAt; next++)
      needs = Math.max(needs, ends[next]!.needs);
    expect(saw!.hash).toBe(String(hashes[saw!.count]));
    expect(saw!.count).toBeGreaterThanOrEqual(needs);
    expect(latestStart[saw!.count]! < endedAt!).toBe(true);
  }
  return finished.length;
}

async function campaign(seed: number): Promise<void> {
  const folder = temporaryFolder();
  const root = join(folder, 'store');
  const chance = createChance(seed);
  {
    await using manager = new MemoryManager({ storageRoot: root });
    for (const session of SESSIONS) await manager.createSession('ada', { session_id: session });
  }
  const config = { storage: { max_session_size_mb: 2_000 }, concurrency: PATIENT_LOCKS };
  writeFileSync(join(root, 'config.json'), JSON.stringify(config));

  const traces: string[] = [];
  const start = () => {
    const name = `p${traces.length}`;
    const trace = join(folder, `${name}.trace`);
    traces.push(trace);
    // Some adds are of five, and a killed process has a successor: this is more than enough for all.
    const operations = Math.ceil(OPERATIONS / PROCESSES / 1.25);
    const task: TracedTask = {
      root,
      trace,
      sessions: SESSIONS,
      name,
      seed: chance.below(2 ** 31),
      operations,
    };
    return startProcess('traced-worker.ts', task);
  };
  const running = Array.from({ length: PROCESSES }, start);
  const isOver: Promise<unknown>[] = [];
  for (let i = 0; i < KILLED; i++) {
    // Once it works, not while it is still starting.
    const failures = running.map(({ failure }) => failure);
    while (!existsSync(traces.at(-1)!)) await Promise.race([pause(10), ...failures]);
    await pause(chance.below(200));
    const [victim] = running.splice(chance.below(running.length), 1);
    victim!.child.kill('SIGKILL');
    isOver.push(victim!.ended);
    running.push(start());
  }
  isOver.push(...running.map(({ ended }) => ended.then(({ code }) => expect(code).toBe(0))));
  await Promise.all(isOver);

  const noted = traces.filter((path) => existsSync(path)).flatMap(readTrace);
  let operations = 0;
  let readings = 0;
  for (const session of SESSIONS) {
    const history = collect(noted, session);
    const order = readOrder(root, session);
    checkOrder(history, order);
    readings += checkReadings(history, order);
    operations += history.adds.size + history.readings.size;
  }
  expect(operations).toBeGreaterThanOrEqual(OPERATIONS);
  expect(readings).toBeGreaterThan(20);
  console.log(`linearizability: ${operations} operations, ${readings} readings checked`);
}

test(`${OPERATIONS} operations of ${PROCESSES} processes with kills fit one order`, () =>
  withSeed(async (seed) => {
    for (let i = 0; i < SEEDS; i++) await campaign(seed + i);
  }));
