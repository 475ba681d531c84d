import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MemoryManager } from '../src/index.ts';
import { type Running, sized, startProcess, temporaryFolder } from './campaign.ts';
import type { ContenderTask } from './processes/contender.ts';

/**
 * A process is killed while it holds the lock and shows itself in `lock`. Sixteen others want it at that very
 * moment. Each must get it, one after the other, and one of them must notice whom it took over from.
 */
const CONTENDERS = 16;
const ROUNDS = sized(100, 1_000);

interface Hold {
  readonly from: bigint;
  readonly to: bigint;
}

/** Settles with the words of the first line that begins with these, now or later. */
async function heard(running: Running, ...opening: readonly string[]): Promise<string[]> {
  for (;;) {
    const line = running.lines.find((each) => `${each} `.startsWith(`${opening.join(' ')} `));
    if (line !== undefined) return line.split(' ');
    await Promise.race([once(running.child.stdout!, 'data'), running.failure]);
  }
}

test(`${CONTENDERS} processes take over from a killed holder, ${ROUNDS} times, one at a time`, async () => {
  const root = join(temporaryFolder(), 'store');
  const session = 'wanted';
  {
    await using manager = new MemoryManager({ storageRoot: root });
    await manager.createSession('ada', { session_id: session });
    await manager.addMemory(session, { type: 'finding', content: { text: 'kept' } });
  }
  const task: ContenderTask = { root, session };
  const contenders = Array.from({ length: CONTENDERS }, () => startProcess('contender.ts', task));
  // One holder is always starting while another one is being robbed by death.
  let nextHolder = startProcess('contender.ts', task);
  await Promise.all(contenders.map((contender) => heard(contender, 'ready')));

  let takenOver = 0;
  for (let i = 0; i < ROUNDS; i++) {
    const round = String(i);
    const holder = nextHolder;
    await heard(holder, 'ready');
    holder.say(`hold ${round}`);
    await heard(holder, 'holding', round);
    expect(existsSync(join(root, 'sessions', session, 'lock'))).toBe(true);
    for (const contender of contenders) contender.say(`own ${round}`);
    nextHolder = startProcess('contender.ts', task);
    await heard(nextHolder, 'ready');
    const killedAt = process.hrtime.bigint();
    holder.child.kill('SIGKILL');

    const owned = await Promise.all(contenders.map((contender) => heard(contender, 'owned', round)));
    const holds: Hold[] = owned.map(([, , from, to]) => ({ from: BigInt(from!), to: BigInt(to!) }));
    holds.sort((a, b) => (a.from < b.from ? -1 : 1));
    let free = killedAt;
    for (const { from, to } of holds) {
      expect(from > free).toBe(true);
      free = to;
    }
    const thisRound = owned.reduce((sum, words) => sum + Number(words[4]), 0);
    expect(thisRound).toBe(1);
    takenOver += thisRound;
    expect(existsSync(join(root, 'sessions', session, 'lock'))).toBe(false);
  }
  for (const { child } of [...contenders, nextHolder]) child.kill('SIGKILL');
  expect(takenOver).toBe(ROUNDS);
  await using manager = new MemoryManager({ storageRoot: root });
  expect((await manager.getSessionStats(session)).total_entries).toBe(1);
});
