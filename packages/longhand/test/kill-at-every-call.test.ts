import { appendFileSync, cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Durability, type MemoryEntry, MemoryManager } from '../src/index.ts';
import { inParallel, isTorture, sized, startProcess, temporaryFolder, withSeed } from './campaign.ts';
import { createChance } from './processes/chance.ts';
import {
  CANARY,
  CORRECTED,
  type Effect,
  idOf,
  memoryOf,
  RECOVERY,
  SESSION,
  type Step,
  USER,
  WORK,
} from './processes/kill-script.ts';
import { MOMENTS, type Moment } from './processes/kill-switch.ts';
import type { KilledTask } from './processes/killed.ts';

/**
 * A process dies before, in the middle of, and after every single call that changes something on the disk, and
 * then the one that cleans up after it does so too. Whatever was acknowledged must be there, once, unaltered
 * and in order; what was deleted must not be; and the store must work on as if nothing had happened.
 */

interface Kill {
  readonly at: number;
  readonly moment: Moment;
}

/** Numbers of the live memories, in order, by session. */
type State = ReadonlyMap<string, readonly number[]>;

const BEFORE: State = new Map([[SESSION, [1, 2]]]);
const PROCESSES_AT_ONCE = 3;

async function makeTemplate(): Promise<string> {
  const root = join(temporaryFolder(isTorture), 'template');
  await using manager = new MemoryManager({ storageRoot: root });
  await manager.createSession(USER, { session_id: SESSION });
  await manager.addMemories(SESSION, [memoryOf(1), memoryOf(2)]);
  await manager.close();
  const folder = join(root, 'sessions', SESSION);
  // What a process that was killed in an earlier life left: a lock that shows a dead holder, a temporary
  // file, a line that is damaged, and one that was never finished.
  const holder = { pid: 2 ** 22 + 1, timestamp: '2026-01-01T00:00:00.000Z', operation: 'rewrite' };
  const rest = { expires_at: '2026-01-01T00:00:05.000Z', host: 'gone', boot_id: 'x', start_ticks: 1 };
  writeFileSync(join(folder, 'lock'), `${JSON.stringify({ ...holder, ...rest })}\n`);
  writeFileSync(join(folder, 'memory.jsonl.1-abcdef01.tmp'), `half of a log with ${CANARY}`);
  appendFileSync(join(folder, 'memory.jsonl'), '{"schema_version":1,"id":"mem_damaged","type":"fin"}\n');
  appendFileSync(join(folder, 'memory.jsonl'), '{"schema_version":1,"id":"mem_torn","content":{"te');
  return root;
}

function apply(state: State, effect: Effect): State {
  const next = new Map(state);
  if (effect.kind === 'nothing') return next;
  const present = next.get(effect.session) ?? [];
  if (effect.kind === 'create') next.set(effect.session, []);
  else if (effect.kind === 'remove') next.delete(effect.session);
  else if (effect.kind === 'add') next.set(effect.session, [...present, ...effect.numbers]);
  else if (effect.kind === 'correct') next.set(effect.session, corrected(present, effect.from, effect.to));
  else
    next.set(
      effect.session,
      present.filter((number) => !effect.numbers.includes(number)),
    );
  return next;
}

function corrected(numbers: readonly number[], from: number, to: number): readonly number[] {
  return numbers.map((number) => (number === from ? to : number));
}

/** The states that a script which died after these steps may have left. */
function possibleStates(start: State, script: readonly Step[], acknowledged: number): State[] {
  let state = start;
  for (const { effect } of script.slice(0, acknowledged)) state = apply(state, effect);
  const effect = script[acknowledged]?.effect;
  if (effect === undefined) return [state];
  if (effect.kind !== 'add') return [state, apply(state, effect)];
  // Some of a batch may be there, from its start.
  return [
    state,
    ...effect.numbers.map((_, i) => apply(state, { ...effect, numbers: effect.numbers.slice(0, i + 1) })),
  ];
}

async function readState(manager: MemoryManager): Promise<State> {
  const state = new Map<string, readonly number[]>();
  for (const { id } of await manager.listSessions()) {
    const lines = (await manager.exportSession(id, 'jsonl')).split('\n').slice(0, -1);
    const entries = lines.map((line) => JSON.parse(line) as MemoryEntry);
    for (const { content, type, tags, timestamp } of entries) {
      const given = memoryOf(content.number as number);
      expect({ content, type, tags, timestamp }).toEqual({
        content: given.content,
        type: given.type,
        tags: given.tags,
        timestamp: given.timestamp,
      });
    }
    state.set(
      id,
      entries.map(({ content }) => content.number as number),
    );
    const stats = await manager.getSessionStats(id);
    expect(stats.corruption.sequence).toBe(0);
  }
  return state;
}

async function runKilled(
  root: string,
  script: KilledTask['script'],
  durability: Durability,
  kill: Kill,
): Promise<number> {
  const task: KilledTask = { root, script, durability, killAt: kill.at, moment: kill.moment };
  const { ended, lines } = startProcess('killed.ts', task);
  expect((await ended).signal).toBe('SIGKILL');
  return lines.filter((line) => line.startsWith('acknowledged')).length;
}

/** All calls of a script that runs to its end. */
async function countCalls(
  root: string,
  script: KilledTask['script'],
  durability: Durability,
): Promise<string[]> {
  const task: KilledTask = { root, script, durability, killAt: 0, moment: 'before' };
  const { ended, lines } = startProcess('killed.ts', task);
  expect((await ended).code).toBe(0);
  return lines.at(-1)!.split(' ').slice(1);
}

function killsAt(calls: readonly string[]): Kill[] {
  return calls.flatMap((name, i) =>
    MOMENTS.filter((moment) => moment !== 'half' || name === 'write').map((moment) => ({
      at: i + 1,
      moment,
    })),
  );
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

/** The state is one of these; and everything works, and is tidy, from there. */
async function checkAndGoOn(root: string, allowed: readonly State[]): Promise<void> {
  await using manager = new MemoryManager({ storageRoot: root });
  const state = await readState(manager);
  expect(allowed.map((each) => [...each])).toContainEqual([...state]);

  // A caller that does not know whether its write came through tries again.
  const again = [50, 60].filter((number) => !state.get(SESSION)!.includes(number));
  for (const number of [...again, ...again]) await manager.addMemory(SESSION, memoryOf(number));
  for (const number of [10, 20, 21]) await manager.deleteMemory(SESSION, idOf(number));
  await manager.addMemory(SESSION, memoryOf(70));
  const { id: correctedId, from, next, last } = CORRECTED;
  const isCorrectable = [from, next, last].some((number) => state.get(SESSION)!.includes(number));
  const { content } = memoryOf(last);
  if (isCorrectable) await manager.updateMemory(SESSION, correctedId, { content });
  const expected = new Map(state);
  const live = state.get(SESSION)!.filter((number) => ![10, 20, 21].includes(number));
  const right = corrected(corrected(live, from, last), next, last);
  expected.set(SESSION, [...right, ...again, 70]);
  expect(await readState(manager)).toEqual(expected);
  const found = await manager.getMemory(SESSION, correctedId);
  expect(found?.content).toEqual(isCorrectable ? content : undefined);

  for (const id of expected.keys()) await manager.compactSession(id);
  expect(await readState(manager)).toEqual(expected);
  const { corruption } = await manager.getSessionStats(SESSION);
  expect(corruption).toEqual({ checksum: 0, torn: 0, sequence: 0, schema: 0 });
  // The ledger is tidied by the next writer, which a deletion is.
  await manager.createSession(USER, { session_id: 'last_of_all' });
  await manager.deleteSession('last_of_all');
  await manager.close();
  expect(existsSync(join(root, 'sessions', SESSION, 'lock'))).toBe(false);
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' });
  const isLeft = (name: string): boolean => name.endsWith('.tmp') && !name.includes('.probe-');
  expect(names.filter((name) => name.includes('.removed-') || isLeft(name))).toEqual([]);
  const withCanary = filesBelow(root).filter((path) => readFileSync(path).includes(CANARY));
  expect(withCanary).toEqual([]);
}

async function campaign(
  durability: Durability,
  pairsOf: (all: readonly Kill[], inRecovery: readonly Kill[]) => [Kill, Kill][],
  isTried: (call: string) => boolean = () => true,
) {
  const template = await makeTemplate();
  const folder = temporaryFolder(isTorture);
  let runs = 0;
  const copy = (): string => {
    const root = join(folder, String(++runs));
    cpSync(template, root, { recursive: true });
    return root;
  };
  const calls = await countCalls(copy(), 'work', durability);
  const kills = killsAt(calls).filter(({ at }) => isTried(calls[at - 1]!));
  await inParallel(kills, PROCESSES_AT_ONCE, async (kill) => {
    const root = copy();
    try {
      const acknowledged = await runKilled(root, 'work', durability, kill);
      await checkAndGoOn(root, possibleStates(BEFORE, WORK, acknowledged));
    } catch (error) {
      throw new Error(`killed ${kill.moment} call ${kill.at} (${calls[kill.at - 1]})`, { cause: error });
    }
  });

  const recoveryCalls = await countCalls(copy(), 'recovery', durability);
  const pairs = pairsOf(kills, killsAt(recoveryCalls));
  await inParallel(pairs, PROCESSES_AT_ONCE, async ([first, second]) => {
    const root = copy();
    try {
      const worked = await runKilled(root, 'work', durability, first);
      const task: KilledTask = {
        root,
        script: 'recovery',
        durability,
        killAt: second.at,
        moment: second.moment,
      };
      const { ended, lines } = startProcess('killed.ts', task);
      await ended;
      const recovered = lines.filter((line) => line.startsWith('acknowledged')).length;
      const allowed = possibleStates(BEFORE, WORK, worked).flatMap((state) =>
        possibleStates(state, RECOVERY, recovered),
      );
      await checkAndGoOn(root, allowed);
    } catch (error) {
      const where = `killed ${first.moment} call ${first.at}, then ${second.moment} call ${second.at} of the recovery`;
      throw new Error(where, { cause: error });
    }
  });
  return { calls: calls.length, kills: kills.length, pairs: pairs.length };
}

test('a kill at every call, and a second one in the recovery, lose, double and alter nothing', () =>
  withSeed(async (seed) => {
    const chance = createChance(seed);
    const done = await campaign('buffered', (all, inRecovery) =>
      isTorture
        ? all.flatMap((first) => inRecovery.map((second): [Kill, Kill] => [first, second]))
        : Array.from({ length: sized(80, 0) }, (): [Kill, Kill] => [
            chance.pick(all),
            chance.pick(inRecovery),
          ]),
    );
    expect(done.calls).toBeGreaterThan(60);
    console.log(`kill at every call: ${JSON.stringify(done)}`);
  }));

// Between a write and its sync nothing is acknowledged here; everything else is as above.
for (const durability of ['group', 'strict'] as const) {
  test(`a kill at every write and every sync loses nothing that was acknowledged: ${durability}`, async () => {
    const isTried = (call: string): boolean => isTorture || call === 'write' || call === 'sync';
    const done = await campaign(durability, () => [], isTried);
    expect(done.kills).toBeGreaterThan(60);
    console.log(`kill at every call, ${durability}: ${JSON.stringify(done)}`);
  });
}
