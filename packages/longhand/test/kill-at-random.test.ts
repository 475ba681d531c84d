import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type MemoryEntry, MemoryManager } from '../src/index.ts';
import { pause, type Running, sized, startProcess, temporaryFolder, withSeed } from './campaign.ts';
import { createChance } from './processes/chance.ts';
import { PATIENT_LOCKS } from './processes/patient-locks.ts';
import { payloadOf } from './processes/payload.ts';
import type { RandomTask } from './processes/random-worker.ts';

/**
 * Ten processes write, put right, delete and compact the same three sessions and are killed, or stopped for a while, at
 * random. In the end every memory that was acknowledged is there once, unaltered and as it was put right last, unless its
 * deletion was begun; what was deleted is gone; and what was begun without an answer is there once or not at all.
 */
const PROCESSES = 10;
const KILLS = sized(500, 10_000);
const SESSIONS = ['one', 'two', 'three'];

interface Ledger {
  readonly begun: Set<string>;
  readonly acknowledged: Set<string>;
  readonly deleting: Set<string>;
  readonly deleted: Set<string>;
  readonly missing: string[];
  /** By memory: how often it was put right, with an answer and without one. */
  readonly corrected: Map<string, number>;
  readonly correcting: Map<string, number>;
}

function note(ledger: Ledger, line: string): void {
  const [what, session, ...labels] = line.split(' ');
  for (const label of labels) {
    const key = `${session}/${label}`;
    if (what === 'adding') ledger.begun.add(key);
    else if (what === 'added') ledger.acknowledged.add(key);
    else if (what === 'deleting') ledger.deleting.add(key);
    else if (what === 'deleted') ledger.deleted.add(key);
    else if (what === 'correcting' || what === 'corrected') {
      const [memory, revision] = key.split('@');
      ledger[what].set(memory!, Number(revision));
    } else ledger.missing.push(key);
  }
}

/** Every label in a session's log that is not deleted, as often as a line holds it. */
async function readLabels(manager: MemoryManager, session: string, ledger: Ledger): Promise<string[]> {
  const exported = (await manager.exportSession(session, 'jsonl')).split('\n').slice(0, -1);
  return exported.map((line) => {
    const { content } = JSON.parse(line) as MemoryEntry;
    const label = content.label as string;
    const revision = content.revision as number;
    expect(content).toEqual(payloadOf(label, revision));
    const key = `${session}/${label}`;
    expect(revision, key).toBeGreaterThanOrEqual(ledger.corrected.get(key) ?? 0);
    expect(revision, key).toBeLessThanOrEqual(ledger.correcting.get(key) ?? 0);
    return key;
  });
}

function seqsOf(root: string, session: string): number[] {
  const lines = readFileSync(join(root, 'sessions', session, 'memory.jsonl'), 'utf8').split('\n');
  return lines
    .flatMap((line) => /,"seq":(\d+),"checksum":"sha256:[0-9a-f]{64}"}$/.exec(line)?.[1] ?? [])
    .map(Number);
}

test(`${KILLS} kills and stops of ${PROCESSES} processes lose, double and alter nothing`, () =>
  withSeed(async (seed) => {
    const root = join(temporaryFolder(), 'store');
    const chance = createChance(seed);
    {
      await using manager = new MemoryManager({ storageRoot: root });
      for (const session of SESSIONS) await manager.createSession('ada', { session_id: session });
    }
    const config = { storage: { max_session_size_mb: 2_000 }, concurrency: PATIENT_LOCKS };
    writeFileSync(join(root, 'config.json'), JSON.stringify(config));

    const ledger: Ledger = {
      begun: new Set(),
      acknowledged: new Set(),
      deleting: new Set(),
      deleted: new Set(),
      missing: [],
      corrected: new Map(),
      correcting: new Map(),
    };
    const running: Running[] = [];
    const endings: Promise<unknown>[] = [];
    let started = 0;
    const start = (): Running => {
      const task: RandomTask = {
        root,
        sessions: SESSIONS,
        name: `p${++started}`,
        seed: chance.below(2 ** 31),
      };
      const process = startProcess('random-worker.ts', task, (line) => note(ledger, line));
      endings.push(process.ended.then(({ signal }) => expect(signal).toBe('SIGKILL')));
      return process;
    };
    for (let i = 0; i < PROCESSES; i++) running.push(start());

    const stopForAWhile = ({ child }: Running): void => {
      child.kill('SIGSTOP');
      setTimeout(() => child.kill('SIGCONT'), 50 + chance.below(400));
    };
    let kills = 0;
    // On a slow machine many are killed before their first answer: then it goes on until there is enough to lose.
    while (kills < KILLS || ledger.acknowledged.size <= KILLS) {
      await pause(chance.below(60));
      // Those that are at work: killing one that is still starting would prove nothing.
      const working = running.filter(({ lines }) => lines.length > 0);
      if (working.length > 0 && chance.next() < 0.2) stopForAWhile(chance.pick(working));
      for (const victim of working) {
        if (chance.next() < 0.8) continue;
        victim.child.kill('SIGKILL');
        running[running.indexOf(victim)] = start();
        kills++;
      }
    }
    for (const { child } of running) child.kill('SIGKILL');
    await Promise.all(endings);

    await using manager = new MemoryManager({ storageRoot: root });
    for (const round of ['as they were left', 'after compaction']) {
      const present: string[] = [];
      for (const session of SESSIONS) {
        present.push(...(await readLabels(manager, session, ledger)));
        const seqs = seqsOf(root, session);
        expect(seqs).toEqual([...new Set(seqs)].sort((a, b) => a - b));
        expect((await manager.getSessionStats(session)).corruption).toMatchObject({
          checksum: 0,
          sequence: 0,
        });
      }
      const there = new Set(present);
      expect([round, 'doubled', present.length - there.size]).toEqual([round, 'doubled', 0]);
      const lost = [...ledger.acknowledged].filter((key) => !there.has(key) && !ledger.deleting.has(key));
      expect([round, 'lost', lost]).toEqual([round, 'lost', []]);
      const back = [...ledger.deleted].filter((key) => there.has(key));
      expect([round, 'came back', back]).toEqual([round, 'came back', []]);
      const fromNowhere = [...there].filter((key) => !ledger.begun.has(key));
      expect([round, 'from nowhere', fromNowhere]).toEqual([round, 'from nowhere', []]);
      for (const session of SESSIONS) await manager.compactSession(session);
    }
    expect(ledger.missing).toEqual([]);
    console.log(
      `kill at random: ${kills} kills, ${ledger.acknowledged.size} acknowledged, ${ledger.deleted.size} deleted, ${ledger.corrected.size} put right`,
    );
  }));
