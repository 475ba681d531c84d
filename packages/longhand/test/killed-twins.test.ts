import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type MemoryEntry, MemoryManager } from '../src/index.ts';
import { inParallel, isTorture, startProcess, temporaryFolder } from './campaign.ts';
import { MOMENTS, type Moment } from './processes/kill-switch.ts';
import type { TwinTask } from './processes/twin-writer.ts';
import { ADA, BOTH, CONFIG, CONTINUATION, FIRST, LARGE, OTHER_LARGE, SESSION } from './processes/twins.ts';

/**
 * Two processes keep the same memory at once, one in a session and one in its continuation, and the second dies at every
 * call that changes something: also between its write and the look for twins that follows it. A process that retries on
 * its behalf leaves one of them.
 */
const PROCESSES_AT_ONCE = 3;

async function makeTemplate(): Promise<string> {
  const root = join(temporaryFolder(isTorture), 'template');
  await using manager = new MemoryManager({ storageRoot: root, config: CONFIG });
  const memory = manager.as(ADA);
  await memory.createSession({ session_id: SESSION });
  await memory.keepMemories(SESSION, [FIRST]);
  return root;
}

/** Which sessions have the memory whole: half of a write counts as none. */
async function homesOf(manager: MemoryManager, id: string): Promise<readonly string[]> {
  const homes: string[] = [];
  for (const { id: session } of await manager.listSessions(ADA.user_id)) {
    const lines = (await manager.exportSession(session, 'jsonl')).split('\n').slice(0, -1);
    if (lines.some((line) => (JSON.parse(line) as MemoryEntry).id === id)) homes.push(session);
  }
  return homes;
}

test('a memory that two keep at once is there once after a kill at every call, and a retry', async () => {
  const template = await makeTemplate();
  const folder = temporaryFolder(isTorture);
  let runs = 0;
  const run = async (killAt: number, moment: Moment) => {
    const root = join(folder, String(++runs));
    cpSync(template, root, { recursive: true });
    const task: TwinTask = { root, killAt, moment };
    const { ended, lines } = startProcess('twin-writer.ts', task);
    return { root, lines, ...(await ended) };
  };
  const whole = await run(0, 'before');
  expect(whole.code).toBe(0);
  const calls = whole.lines.at(-1)!.split(' ').slice(1);
  const kills = calls.flatMap((name, i) =>
    MOMENTS.filter((moment) => moment !== 'half' || name === 'write').map(
      (moment) => [i + 1, moment] as const,
    ),
  );
  let twins = 0;
  await inParallel(kills, PROCESSES_AT_ONCE, async ([killAt, moment]) => {
    const { root, signal, lines } = await run(killAt, moment);
    const where = `killed ${moment} call ${killAt} (${calls[killAt - 1]})`;
    expect(signal, where).toBe('SIGKILL');
    await using manager = new MemoryManager({ storageRoot: root, config: CONFIG });
    const before = await homesOf(manager, BOTH.id!);
    // What the other one was told is kept, in the first session, stays there.
    const isRaced = lines.includes('raced');
    if (isRaced) expect(before, where).toContain(SESSION);
    if (before.length === 2) twins++;
    const memory = manager.as(ADA);
    // With the other large one, the retry has rolled over to a continuation too.
    for (const each of [LARGE, OTHER_LARGE, BOTH]) await memory.keepMemories(SESSION, [each]);
    const after = await homesOf(manager, BOTH.id!);
    expect(after, where).toHaveLength(1);
    if (isRaced) expect(after, where).toEqual([SESSION]);
    expect(await homesOf(manager, LARGE.id!), where).toEqual([CONTINUATION]);
    expect(await homesOf(manager, FIRST.id!), where).toEqual([SESSION]);
  });
  // Otherwise nothing was tried.
  expect(twins).toBeGreaterThan(0);
  console.log(`killed twins: ${JSON.stringify({ calls: calls.length, kills: kills.length, twins })}`);
});
