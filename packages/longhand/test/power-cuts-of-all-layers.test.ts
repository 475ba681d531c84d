import { expect, test } from 'vitest';
import { LonghandError } from '../src/core/errors.ts';
import type { Durability } from '../src/core/store.ts';
import { MemoryManager } from '../src/memory-manager.ts';
import { FileStore } from '../src/stores/file/file-store.ts';
import { readBytes } from '../src/stores/file/sidecar-files.ts';
import { SimulatedDisk } from '../src/testing/index.ts';
import { sized, withSeed } from './campaign.ts';
import { type Chance, createChance } from './processes/chance.ts';

/**
 * Power cuts under everything that a manager keeps: sessions, memories, messages, details, notes, agents and their
 * journals. What was acknowledged is found again by the same calls; what was deleted is not; what was forgotten is in
 * no file, whatever of the last writes the disk has kept.
 */
const ROOT = '/data/store';
const USERS = ['ada', 'bob'];
const LOCK_TIMES = { lockTimeoutMs: 60_000, maxRetries: 0, retryBackoffMs: 1 };
/** Nothing that verify tells of may come of a power cut, but lines that were being written. */
const HARMLESS = new Set(['torn', 'checksum', 'sequence', 'index', 'vectors']);

type Fate = 'asked' | 'promised' | 'removing' | 'deleted' | 'forgotten';

/** A text that is in one piece alone, so that it tells where that piece is. */
interface Piece {
  readonly token: string;
  readonly id: string;
  readonly kind: 'memory' | 'message' | 'detail' | 'line' | 'journal';
  /** A session, or an agent. */
  readonly home: string;
  fate: Fate;
}

class World {
  readonly pieces: Piece[] = [];
  readonly sessions = new Map<string, { readonly userId: string; fate: Fate }>();
  readonly agents = new Map<string, Fate>();
  #made = 0;

  piece(kind: Piece['kind'], home: string): Piece {
    const name = `t${String(++this.#made).padStart(5, '0')}`;
    const piece: Piece = { token: `token${name}x`, id: `id_${name}`, kind, home, fate: 'asked' };
    this.pieces.push(piece);
    return piece;
  }

  nextId(prefix: string): string {
    return `${prefix}${++this.#made}`;
  }

  of(kinds: readonly Piece['kind'][]): Piece[] {
    return this.pieces.filter(({ kind, fate }) => kinds.includes(kind) && fate === 'promised');
  }

  standing(): string[] {
    return [...this.sessions].filter(([, { fate }]) => fate === 'promised').map(([id]) => id);
  }
}

function openOn(disk: SimulatedDisk, durability: Durability): MemoryManager {
  const fileSystem = disk.startProcess();
  const store = new FileStore({
    root: ROOT,
    fileSystem,
    durability,
    lockTimes: LOCK_TIMES,
    syncIntervalMs: 1,
  });
  return new MemoryManager({ store, indexLimits: { sealAtDocuments: 2 } });
}

/** One random piece of work, told to the world before and after. */
async function work(manager: MemoryManager, world: World, chance: Chance): Promise<void> {
  const { agents, journal, notes, transcripts, details, privacy } = await manager.layers();
  const [session, agent] = [chance.pick(world.standing()), chance.pick([...world.agents.keys()])];
  const userOf = (id: string): string => world.sessions.get(id)!.userId;
  const keep = async (piece: Piece, store: () => Promise<unknown>): Promise<void> => {
    await store();
    piece.fate = 'promised';
  };
  const remove = async (gone: readonly { fate: Fate }[], fate: Fate, act: () => Promise<unknown>) => {
    for (const each of gone) each.fate = 'removing';
    await act();
    for (const each of gone) each.fate = fate;
  };
  const kind = chance.below(24);
  if (session === undefined || kind < 2) {
    const id = world.nextId('s');
    const made: { userId: string; fate: Fate } = { userId: chance.pick(USERS), fate: 'asked' };
    world.sessions.set(id, made);
    await manager.createSession(made.userId, { session_id: id });
    made.fate = 'promised';
  } else if (agent === undefined || kind < 3) {
    const name = world.nextId('agent');
    world.agents.set(name, 'asked');
    await agents.create({ name });
    world.agents.set(name, 'promised');
  } else if (kind < 8) {
    const piece = world.piece('memory', session);
    const memory = { id: piece.id, type: 'finding', content: { text: piece.token } } as const;
    await keep(piece, () => manager.addMemory(session, memory));
  } else if (kind < 10) {
    const piece = world.piece('message', session);
    const message = { id: piece.id, role: 'user', content: piece.token } as const;
    await keep(piece, () => transcripts.archive(session, [message]));
  } else if (kind < 12) {
    const piece = world.piece('detail', session);
    const content = piece.token + '.'.repeat(chance.below(2) * 70_000);
    await keep(piece, () => details.store(session, { content, key: piece.id }));
  } else if (kind < 14) {
    const piece = world.piece('line', agent);
    await keep(piece, () =>
      notes.apply(userOf(session), agent, { operation: 'append', content: `- ${piece.token}\n` }),
    );
  } else if (kind < 16) {
    const piece = world.piece('journal', agent);
    if (world.agents.get(agent) === 'promised')
      await keep(piece, () => journal.save(agent, 'journal', piece.token));
  } else if (kind < 18) {
    const [old] = world.of(['memory']).filter(({ home }) => home === session);
    if (old === undefined) return;
    const piece = { ...world.piece('memory', session), id: old.id };
    world.pieces[world.pieces.length - 1] = piece;
    await keep(piece, () =>
      remove([old], 'deleted', () =>
        manager.updateMemory(session, old.id, { content: { text: piece.token } }),
      ),
    );
  } else if (kind < 19) {
    const [old] = world.of(['memory']).filter(({ home }) => home === session);
    if (old !== undefined) await remove([old], 'deleted', () => manager.deleteMemory(session, old.id));
  } else if (kind < 20) {
    await manager.compactSession(session);
  } else if (kind < 21) {
    await manager.rebuildIndex(session);
  } else if (kind < 22) {
    const [old] = world.of(['memory', 'message', 'detail']).filter(({ home }) => home === session);
    if (old !== undefined) await remove([old], 'forgotten', () => privacy.forget({ session, ids: [old.id] }));
  } else if (kind < 23) {
    const gone = world.pieces.filter(
      ({ home, fate, kind: of }) => home === session && fate !== 'forgotten' && of !== 'line',
    );
    const whole = world.sessions.get(session)!;
    await remove([whole, ...gone], 'forgotten', () => privacy.forget({ session }));
  } else {
    await manager.queryMemories(session, { text: 'token', scope: 'user' });
  }
}

/** All that can be read, as text. */
async function everythingOf(manager: MemoryManager): Promise<string> {
  const { agents, journal, notes, transcripts, details } = await manager.layers();
  const found: unknown[] = [];
  for (const userId of USERS) {
    for (const { id } of await manager.listSessions(userId)) {
      found.push(await manager.queryMemories(id, { limit: 1_000 }));
      found.push(await transcripts.messages(id));
    }
    for (const { memory_key } of await details.list(userId))
      found.push((await details.retrieve(userId, memory_key)).content);
    for (const agentId of await notes.list(userId)) found.push((await notes.read(userId, agentId)).text);
  }
  for (const { id } of await agents.list()) found.push(await journal.list(id));
  return JSON.stringify(found);
}

async function check(disk: SimulatedDisk, world: World, durability: Durability): Promise<void> {
  const reader = disk.startProcess();
  const files = disk.paths().map((path) => ({ path, text: readBytes(reader, path)!.toString('latin1') }));
  for (const { token } of world.pieces.filter(({ fate }) => fate === 'forgotten'))
    expect(files.filter(({ text }) => text.includes(token)).map(({ path }) => path)).toEqual([]);
  await using manager = openOn(disk, durability);
  for (const userId of USERS) {
    const listed = (await manager.listSessions(userId)).map(({ id }) => id);
    for (const [id, { userId: owner, fate }] of world.sessions) {
      if (owner === userId && fate === 'promised') expect(listed).toContain(id);
      if (owner !== userId || fate === 'forgotten') expect(listed).not.toContain(id);
    }
  }
  const agents = (await (await manager.layers()).agents.list()).map(({ id }) => id);
  for (const [id, fate] of world.agents) if (fate === 'promised') expect(agents).toContain(id);
  const all = await everythingOf(manager);
  for (const { token, fate, kind } of world.pieces) {
    const isThere = all.includes(token);
    if (fate === 'promised') expect({ kind, token, isThere }).toEqual({ kind, token, isThere: true });
    if (fate === 'deleted' || fate === 'forgotten')
      expect({ kind, token, isThere }).toEqual({ kind, token, isThere: false });
  }
  const { damage } = await manager.verify();
  expect(damage.filter(({ kind }) => !HARMLESS.has(kind))).toEqual([]);
}

for (const durability of ['group', 'strict'] as const) {
  test(`power cuts take nothing of any layer, and bring nothing back: ${durability}`, () =>
    withSeed(async (seed) => {
      const cuts = sized(60, 1_000);
      for (let cut = 0; cut < cuts; cut++) {
        const chance = createChance(seed + cut);
        const world = new World();
        try {
          let disk = new SimulatedDisk();
          for (let round = 0; round < 2; round++) {
            const managers = [openOn(disk, durability), openOn(disk, durability)];
            for (let steps = chance.below(25); steps > 0; steps--)
              await work(chance.pick(managers), world, chance);
            // The last one is under way, or just over.
            const last = work(chance.pick(managers), world, chance).catch(rethrowUnlessKilled);
            for (let ticks = chance.below(30); ticks > 0; ticks--)
              await new Promise((resolve) => setImmediate(resolve));
            disk = disk.powerCut(() => chance.next());
            await Promise.race([last, new Promise((resolve) => setTimeout(resolve, 5))]);
            await check(disk, world, durability);
          }
        } catch (error) {
          throw new Error(`after cut ${cut}`, { cause: error });
        }
      }
    }));
}

function rethrowUnlessKilled(error: unknown): void {
  const isKilled = LonghandError.isInstance(error) || String(error).includes('killed');
  if (!isKilled) throw error;
}
