import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MemoryManager } from '../src/index.ts';
import { pause, sized, startProcess, temporaryFolder } from './campaign.ts';
import type { StubbornTask } from './processes/stubborn-adder.ts';

/**
 * Processes go on adding to a session that is removed and made again under them, many times. The lock that they
 * hold open is then that of a folder which is gone: whoever went on using it would write beside everybody else.
 */
const LIVES = sized(12, 500);
const ADDERS = 4;

test(`${ADDERS} processes follow a session through ${LIVES} lives`, async () => {
  const root = join(temporaryFolder(), 'store');
  const session = 'phoenix';
  await using manager = new MemoryManager({
    storageRoot: root,
    config: { storage: { max_session_size_mb: 1_000 } },
  });
  await manager.createSession('ada', { session_id: session });
  let acknowledged = 0;
  const adders = Array.from({ length: ADDERS }, (_, i) => {
    const task: StubbornTask = { root, session, name: `a${i}` };
    return startProcess('stubborn-adder.ts', task, (line) => {
      if (line.startsWith('added')) acknowledged++;
    });
  });
  const failures = adders.map(({ failure }) => failure);
  let bornAt = 0n;
  for (let life = 0; life < LIVES; life++) {
    // Everybody has written to this life before it ends.
    const before = acknowledged;
    while (acknowledged < before + 40) await Promise.race([pause(5), ...failures]);
    expect(await manager.deleteSession(session)).toBe(true);
    await manager.createSession('ada', { session_id: session });
    bornAt = process.hrtime.bigint();
    for (let i = 0; i < 20; i++)
      await manager.addMemory(session, { type: 'finding', content: { label: `own_${life}_${i}` } });
  }
  const before = acknowledged;
  while (acknowledged < before + 400) await Promise.race([pause(5), ...failures]);
  for (const adder of adders) adder.say('stop');
  for (const { ended } of adders) expect((await ended).code).toBe(0);

  const lines = readFileSync(join(root, 'sessions', session, 'memory.jsonl'), 'utf8')
    .split('\n')
    .slice(0, -1);
  const records = lines.map((line) => JSON.parse(line) as { seq: number; content?: { label: string } });
  expect(records.map(({ seq }) => seq)).toEqual(records.map((_, i) => i + 1));
  const present = records.flatMap(({ content }) => (content === undefined ? [] : [content.label]));
  expect(new Set(present).size).toBe(present.length);
  const ofThisLife = adders.flatMap(({ lines: said }) =>
    said.flatMap((line) => {
      const [what, label, startedAt] = line.split(' ');
      return what === 'added' && BigInt(startedAt!) > bornAt ? [label!] : [];
    }),
  );
  expect(ofThisLife.length).toBeGreaterThan(300);
  expect(ofThisLife.filter((label) => !present.includes(label))).toEqual([]);
  expect((await manager.getSessionStats(session)).corruption).toEqual({
    checksum: 0,
    torn: 0,
    sequence: 0,
    schema: 0,
  });
});
