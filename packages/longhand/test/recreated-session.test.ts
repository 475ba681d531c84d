import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MemoryManager } from '../src/index.ts';
import { pause, type Running, sized, startProcess, temporaryFolder } from './campaign.ts';
import { PATIENT_LOCKS } from './processes/patient-locks.ts';
import type { StubbornTask } from './processes/stubborn-adder.ts';

/**
 * Processes go on adding to a session that is removed and made again under them, many times. The lock that they
 * hold open is then that of a removed folder: a process that still used it would write while others do.
 */
const LIVES = sized(12, 500);
const ADDERS = 4;

test(`${ADDERS} processes follow a session through ${LIVES} lives`, async () => {
  const root = join(temporaryFolder(), 'store');
  const session = 'phoenix';
  await using manager = new MemoryManager({
    storageRoot: root,
    config: { storage: { max_session_size_mb: 1_000 }, concurrency: PATIENT_LOCKS },
  });
  await manager.createSession('ada', { session_id: session });
  let bornAt = 0n;
  /** Acknowledged adds that were begun in this life: what is heard now may have been said long ago. */
  let ofThisLife: string[] = [];
  const adders = Array.from({ length: ADDERS }, (_, i) => {
    const task: StubbornTask = { root, session, name: `a${i}` };
    return startProcess('stubborn-adder.ts', task, (line) => {
      const [what, label, startedAt] = line.split(' ');
      if (what === 'added' && BigInt(startedAt!) > bornAt) ofThisLife.push(label!);
    });
  });
  const failures = adders.map(({ failure }) => failure);
  const untilWritten = async (adds: number): Promise<void> => {
    while (ofThisLife.length < adds) await Promise.race([pause(5), ...failures]);
  };
  for (let life = 0; life < LIVES; life++) {
    await untilWritten(40);
    expect(await manager.deleteSession(session)).toBe(true);
    await manager.createSession('ada', { session_id: session });
    bornAt = process.hrtime.bigint();
    ofThisLife = [];
    for (let i = 0; i < 20; i++)
      await manager.addMemory(session, { type: 'finding', content: { label: `own_${life}_${i}` } });
  }
  await untilWritten(300);
  for (const adder of adders) adder.say('stop');
  for (const { ended } of adders) expect((await ended).code).toBe(0);

  const lines = readFileSync(join(root, 'sessions', session, 'memory.jsonl'), 'utf8')
    .split('\n')
    .slice(0, -1);
  const records = lines.map((line) => JSON.parse(line) as { seq: number; content?: { label: string } });
  expect(records.map(({ seq }) => seq)).toEqual(records.map((_, i) => i + 1));
  const present = records.flatMap(({ content }) => (content === undefined ? [] : [content.label]));
  expect(new Set(present).size).toBe(present.length);
  expect(ofThisLife.filter((label) => !present.includes(label))).toEqual([]);
  expect((await manager.getSessionStats(session)).corruption).toEqual({
    checksum: 0,
    torn: 0,
    sequence: 0,
    schema: 0,
  });
});

test(`nothing lands in a session that has changed hands, in ${LIVES} lives`, async () => {
  const root = join(temporaryFolder(), 'store');
  const session = 'shared';
  const users = ['ada', 'bob'] as const;
  await using manager = new MemoryManager({ storageRoot: root });
  await manager.createSession('ada', { session_id: session });
  const adders = users.map((user) =>
    Array.from({ length: ADDERS / 2 }, (_, i) => {
      const task: StubbornTask = { root, session, name: `${user}_${i}`, user };
      return startProcess('stubborn-adder.ts', task);
    }),
  );
  const all = adders.flat();
  const until = async (isSo: () => boolean): Promise<void> => {
    while (!isSo()) await Promise.race([pause(2), ...all.map(({ failure }) => failure)]);
  };
  const countOf = ({ lines }: Running, word: string): number =>
    lines.filter((line) => line.startsWith(word)).length;
  /** Waits until each of them has said a word so many times more. */
  const say = async (some: readonly Running[], line: string, word: string, times = 1): Promise<void> => {
    const before = some.map((each) => countOf(each, word));
    if (line !== '') for (const each of some) each.say(line);
    await until(() => some.every((each, i) => countOf(each, word) >= before[i]! + times));
  };
  for (let life = 0; life < LIVES; life++) {
    const [owner, theirs] = [users[life % 2]!, adders[life % 2]!];
    await say(theirs, '', 'added', 20);
    // One of them rests through the change of hands, and still believes that the session is its user's.
    const [rester] = theirs;
    await say([rester!], 'rest', 'resting');
    const { memories } = JSON.parse(await manager.exportSession(session)) as {
      memories: { content: { label: string } }[];
    };
    expect(memories.length).toBeGreaterThanOrEqual(20);
    expect(memories.filter(({ content }) => !content.label.startsWith(`${owner}_`))).toEqual([]);
    expect(await manager.deleteSession(session)).toBe(true);
    await manager.createSession(users[(life + 1) % 2]!, { session_id: session });
    await say([rester!], 'go', 'gone');
  }
  for (const adder of all) adder.say('stop');
  for (const { ended } of all) expect((await ended).code).toBe(0);
});
