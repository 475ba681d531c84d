import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type MemoryEntry, MemoryManager } from '../src/index.ts';
import { sized, startProcess, temporaryFolder, withSeed } from './campaign.ts';
import { createChance } from './processes/chance.ts';
import type { ClockTask } from './processes/clock-worker.ts';

/**
 * Processes whose clocks are an hour or a year off, in either direction, and jump while a lock is held. Time of
 * day decides nothing but timestamps: no process loses its lock, nothing is lost, and the ids of a process
 * still sort in the order in which it was given them.
 */
const ROUNDS = sized(20, 200);
const HOUR_MS = 3_600_000;
const YEAR_MS = 365 * 24 * HOUR_MS;
const SKEWS: readonly (readonly number[])[] = [
  [0],
  [HOUR_MS, -HOUR_MS],
  [YEAR_MS, -YEAR_MS],
  [0, HOUR_MS, -HOUR_MS, YEAR_MS, -YEAR_MS],
];

test(`${ROUNDS} rounds with clocks that are wrong and jump`, () =>
  withSeed(async (seed) => {
    const root = join(temporaryFolder(), 'store');
    const session = 'timed';
    const chance = createChance(seed);
    {
      await using manager = new MemoryManager({ storageRoot: root });
      await manager.createSession('ada', { session_id: session });
    }
    let held = 0;
    let isRoundOver: (() => void) | undefined;
    const onLine = (line: string): void => {
      if (line.startsWith('held') || line === 'ready') held++;
      if (held === SKEWS.length) isRoundOver?.();
    };
    const roundOver = (): Promise<void> =>
      new Promise((resolve) => {
        isRoundOver = resolve;
      });
    let over = roundOver();
    const workers = SKEWS.map((skews, i) => {
      const task: ClockTask = { root, session, name: `c${i}`, seed: chance.below(2 ** 31), skews };
      return startProcess('clock-worker.ts', task, onLine);
    });
    const failures = workers.map(({ failure }) => failure);
    await Promise.race([over, ...failures]);
    for (let round = 0; round < ROUNDS; round++) {
      held = 0;
      over = roundOver();
      for (const worker of workers) worker.say(String(round));
      await Promise.race([over, ...failures]);
    }
    for (const { child } of workers) child.kill('SIGKILL');
    await Promise.all(workers.map(({ ended }) => ended));

    const said = workers.map(({ lines }) => lines.map((line) => line.split(' ')));
    expect(said.flat().filter(([what]) => what === 'robbed')).toEqual([]);

    const holds = said
      .flat()
      .filter(([what]) => what === 'held')
      .map(([, , from, to]) => ({ from: BigInt(from!), to: BigInt(to!) }))
      .sort((a, b) => (a.from < b.from ? -1 : 1));
    expect(holds).toHaveLength(ROUNDS * SKEWS.length);
    for (const [i, { from }] of holds.entries()) if (i > 0) expect(from > holds[i - 1]!.to).toBe(true);

    await using manager = new MemoryManager({ storageRoot: root });
    const entries = (await manager.exportSession(session, 'jsonl'))
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as MemoryEntry);
    const present = new Map(entries.map(({ id, content }) => [id, content.label]));
    const added = said.map((lines) => lines.filter(([what]) => what === 'added'));
    expect(entries).toHaveLength(ROUNDS * SKEWS.length * 10);
    expect(present.size).toBe(entries.length);
    for (const lines of added) {
      for (const [, id, label] of lines) expect(present.get(id!)).toBe(label);
      const ids = lines.map(([, id]) => id!);
      expect(ids).toEqual([...ids].sort());
    }
    expect((await manager.getSessionStats(session)).corruption.sequence).toBe(0);
  }));
