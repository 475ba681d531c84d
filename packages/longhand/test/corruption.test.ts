import { appendFileSync, cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CorruptionError, type MemoryEntry, MemoryManager, type NewMemory } from '../src/index.ts';
import { sized, temporaryFolder, withSeed } from './campaign.ts';
import { createChance } from './processes/chance.ts';

/**
 * Truncated and flipped logs through the whole library. Whatever the damage: nothing altered is ever returned,
 * what was not hit is returned, the damage is counted, writing goes on, and compaction puts the damaged bytes
 * aside instead of dropping them.
 */
const DAMAGED_LOGS = sized(500, 20_000);
const SESSION = 'hit';
const DELETED = 'mem_deleted';

const memories: NewMemory[] = Array.from({ length: 12 }, (_, i) => ({
  type: 'finding',
  id: `mem_${i}`,
  content: { number: i, text: `text of ${i} ü ${'abc'.repeat(i)}` },
  tags: [`tag.${i % 3}`],
}));

async function makeTemplate(): Promise<string> {
  const root = join(temporaryFolder(false), 'template');
  await using manager = new MemoryManager({ storageRoot: root });
  await manager.createSession('ada', { session_id: SESSION });
  await manager.addMemories(SESSION, memories.slice(0, 6));
  await manager.addMemory(SESSION, { type: 'finding', id: DELETED, content: { text: 'forget me' } });
  await manager.deleteMemory(SESSION, DELETED);
  await manager.addMemories(SESSION, memories.slice(6));
  return root;
}

function linesOf(bytes: Buffer): { start: number; end: number }[] {
  const lines: { start: number; end: number }[] = [];
  for (let start = 0; start < bytes.length; ) {
    const newline = bytes.indexOf(0x0a, start);
    const end = newline < 0 ? bytes.length : newline;
    lines.push({ start, end });
    start = end + 1;
  }
  return lines;
}

async function exportOf(manager: MemoryManager): Promise<MemoryEntry[]> {
  const text = await manager.exportSession(SESSION, 'jsonl');
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as MemoryEntry);
}

test(`${DAMAGED_LOGS} damaged logs: nothing altered is returned and nothing else is lost`, () =>
  withSeed(async (seed) => {
    const chance = createChance(seed);
    const template = await makeTemplate();
    const whole = readFileSync(join(template, 'sessions', SESSION, 'memory.jsonl'));
    const lines = linesOf(whole);
    const original = new Map<string, MemoryEntry>();
    {
      await using manager = new MemoryManager({ storageRoot: template });
      for (const entry of await exportOf(manager)) original.set(entry.id, entry);
    }
    const folder = temporaryFolder(false);
    let readable = 0;

    for (let run = 0; run < DAMAGED_LOGS; run++) {
      const isCut = chance.next() < 0.3;
      const at = chance.below(whole.length);
      const bit = chance.below(8);
      const damaged = isCut ? whole.subarray(0, at) : Buffer.from(whole);
      if (!isCut) damaged[at]! ^= 1 << bit;
      const where = isCut ? `cut at ${at}` : `bit ${bit} of byte ${at}`;
      const root = join(folder, String(run));
      cpSync(template, root, { recursive: true });
      writeFileSync(join(root, 'sessions', SESSION, 'memory.jsonl'), damaged);
      // The lines that the damage has not reached. Those on both sides of a newline that was hit are found again.
      const untouched = lines.filter(({ start, end }) => (isCut ? end <= at : at < start || at >= end));
      const idsOf = untouched.map(
        ({ start, end }) => /"id":"(mem_\w+)"/.exec(whole.toString('utf8', start, end))?.[1],
      );
      const isOwnerReadable = untouched.some(({ start }) => start === 0);
      const isDeletionReadable = untouched.some(
        ({ start, end }) =>
          whole.includes('"record":"delete"', start) &&
          whole.toString('utf8', start, end).includes('"record":"delete"'),
      );

      await using manager = new MemoryManager({ storageRoot: root });
      try {
        const entries = await exportOf(manager);
        for (const entry of entries) {
          if (entry.id === DELETED && !isDeletionReadable) continue;
          expect(entry).toEqual(original.get(entry.id));
        }
        const present = new Set(entries.map(({ id }) => id));
        expect(present.size).toBe(entries.length);
        for (const id of idsOf) if (id !== undefined && id !== DELETED) expect(present).toContain(id);
        for (const id of original.keys()) {
          const got = await manager.getMemory(SESSION, id).catch((error: unknown) => error);
          if (present.has(id)) expect(got).toEqual(original.get(id));
          else expect(got === null || got instanceof CorruptionError).toBe(true);
        }
        const { corruption, total_entries } = await manager.getSessionStats(SESSION);
        expect(total_entries).toBe(entries.length);
        const counted = corruption.checksum + corruption.torn + corruption.schema + corruption.sequence;
        // A cut leaves an unfinished line, and so does a hit on the last newline: no damage until a writer closes it.
        if (!isCut && at < whole.length - 1) expect(counted).toBeGreaterThan(0);

        if (!isOwnerReadable) {
          await expect(manager.addMemory(SESSION, memories[0]!)).rejects.toBeInstanceOf(CorruptionError);
          continue;
        }
        readable++;
        // What is lost can be added again under its id, and what is there stays once.
        await manager.addMemories(SESSION, memories);
        const extra = await manager.addMemory(SESSION, { type: 'finding', content: { text: 'on we go' } });
        await manager.compactSession(SESSION);
        const after = await exportOf(manager);
        const ids = after.map(({ id }) => id).filter((id) => id !== DELETED);
        expect(ids.sort()).toEqual([...original.keys(), extra].sort());
        for (const { id, content } of after) {
          if (original.has(id)) expect(content).toEqual(original.get(id)!.content);
        }
        expect((await manager.getSessionStats(SESSION)).corruption).toEqual({
          checksum: 0,
          torn: 0,
          sequence: 0,
          schema: 0,
        });
      } catch (error) {
        throw new Error(where, { cause: error });
      }
    }
    expect(readable).toBeGreaterThan(DAMAGED_LOGS / 2);
  }));

async function openDamaged(): Promise<{
  manager: MemoryManager;
  root: string;
  folder: string;
  id: string;
  damaged: string;
}> {
  const root = join(temporaryFolder(false), 'store');
  const folder = join(root, 'sessions', SESSION);
  {
    await using manager = new MemoryManager({ storageRoot: root });
    await manager.createSession('ada', { session_id: SESSION });
    await manager.addMemories(SESSION, memories.slice(0, 3));
  }
  const path = join(folder, 'memory.jsonl');
  writeFileSync(path, readFileSync(path, 'utf8').replace('text of 1 ü', 'text of 1 X'));
  const damaged = readFileSync(path, 'utf8').split('\n')[2]!;
  return { manager: new MemoryManager({ storageRoot: root }), root, folder, id: 'mem_1', damaged };
}

function quarantined(folder: string): string[] {
  const corrupt = join(folder, 'corrupt');
  return existsSync(corrupt)
    ? readdirSync(corrupt).map((name) => readFileSync(join(corrupt, name), 'utf8'))
    : [];
}

test('compaction keeps a damaged line aside, byte for byte, and says so', async () => {
  const { manager, folder, damaged } = await openDamaged();
  expect(await manager.compactSession(SESSION, { dryRun: true })).toMatchObject({
    quarantined: 1,
    dropped: [],
  });
  expect(quarantined(folder)).toEqual([]);
  expect(await manager.compactSession(SESSION)).toMatchObject({
    quarantined: 1,
    dropped: [],
    entries_after: 2,
  });
  expect(quarantined(folder)).toEqual([damaged]);
  expect(readFileSync(join(folder, 'memory.jsonl'), 'utf8')).not.toContain('text of 1 X');
  // Once aside, it is not set aside again.
  expect((await manager.compactSession(SESSION)).quarantined).toBe(0);
  expect(quarantined(folder)).toEqual([damaged]);
  await manager.close();
});

test('an export says how many damaged lines it had to leave out, in the log or set aside', async () => {
  const { manager } = await openDamaged();
  const told: number[] = [];
  manager.subscribe((event) => {
    if (event.kind === 'export-incomplete') told.push(event.damaged_lines);
  });
  const damagedLines = async (): Promise<unknown> =>
    (JSON.parse(await manager.exportSession(SESSION)) as { damaged_lines: number }).damaged_lines;
  expect(await damagedLines()).toBe(1);
  await manager.compactSession(SESSION);
  expect(await damagedLines()).toBe(1);
  expect((await exportOf(manager)).length).toBe(2);
  expect(told).toEqual([1, 1, 1]);
  await manager.addMemory(SESSION, memories[1]!);
  await manager.deleteMemory(SESSION, 'mem_1');
  await manager.compactSession(SESSION);
  expect(await damagedLines()).toBe(0);
  expect(told).toHaveLength(3);
  await manager.close();
});

test('a damaged memory can be deleted, and then no copy of it stays', async () => {
  const { manager, folder, id } = await openDamaged();
  await expect(manager.getMemory(SESSION, id)).rejects.toMatchObject({ code: 'CORRUPT_ENTRY' });
  expect(await manager.deleteMemory(SESSION, id)).toBe(true);
  expect(await manager.getMemory(SESSION, id)).toBeNull();
  await manager.compactSession(SESSION);
  expect(quarantined(folder)).toEqual([]);
  expect(readFileSync(join(folder, 'memory.jsonl'), 'utf8')).not.toContain('text of 1');
  await manager.close();
});

test('a copy set aside goes when its memory is deleted after all', async () => {
  const { manager, folder, id } = await openDamaged();
  await manager.compactSession(SESSION);
  expect(quarantined(folder)).toHaveLength(1);
  await manager.addMemory(SESSION, memories[1]!);
  expect(await manager.deleteMemory(SESSION, id)).toBe(true);
  await manager.compactSession(SESSION);
  expect(quarantined(folder)).toEqual([]);
  await manager.close();
});

test('a memory that was set aside is still called damaged, and counted, by every process', async () => {
  const { manager, root, folder, id } = await openDamaged();
  await manager.compactSession(SESSION);
  const others = new MemoryManager({ storageRoot: root });
  for (const each of [manager, others]) {
    await expect(each.getMemory(SESSION, id)).rejects.toMatchObject({ code: 'CORRUPT_ENTRY' });
    expect(await each.getMemory(SESSION, 'mem_never')).toBeNull();
    expect(await each.getSessionStats(SESSION)).toMatchObject({ total_entries: 2, quarantined: 1 });
  }
  expect(await others.deleteMemory(SESSION, id)).toBe(true);
  expect(await manager.getMemory(SESSION, id)).toBeNull();
  await others.compactSession(SESSION);
  expect(quarantined(folder)).toEqual([]);
  expect(await manager.getSessionStats(SESSION)).toMatchObject({ quarantined: 0, deleted: 1 });
  await others.close();
  await manager.close();
});

test('a deletion of something else leaves aside what stands for itself', async () => {
  const { manager, folder, damaged } = await openDamaged();
  const persons = '{"type":"fin","content":{"text":"by hand"}}';
  appendFileSync(join(folder, 'memory.jsonl'), `${persons}\n`);
  const settings = '{"schema_version":1,"record":"session","agents":["X"],"seq":9,"checksum":"sha256:';
  appendFileSync(join(folder, 'memory.jsonl'), `${settings}${'0'.repeat(64)}"}\n`);
  await manager.deleteMemory(SESSION, 'mem_0');
  expect(await manager.compactSession(SESSION)).toMatchObject({ quarantined: 3, discarded: 0 });
  await manager.deleteMemory(SESSION, 'mem_2');
  await manager.compactSession(SESSION);
  expect(quarantined(folder).sort()).toEqual([damaged, persons, `${settings}${'0'.repeat(64)}"}`].sort());
  await manager.close();
});

test('a damaged line that took the id of another memory does not hide it', async () => {
  const { manager, folder, root } = await openDamaged();
  await manager.close();
  const path = join(folder, 'memory.jsonl');
  writeFileSync(path, readFileSync(path, 'utf8').replace('"id":"mem_1"', '"id":"mem_0"'));
  await using again = new MemoryManager({ storageRoot: root });
  expect((await again.getMemory(SESSION, 'mem_0'))!.content.number).toBe(0);
  expect(await again.addMemory(SESSION, memories[0]!)).toBe('mem_0');
  expect((await again.getSessionStats(SESSION)).total_entries).toBe(2);
  expect((await exportOf(again)).map(({ id }) => id)).toEqual(['mem_0', 'mem_2']);
});

test('damage that comes while a process is reading is reported once', async () => {
  const { manager, folder } = await openDamaged();
  const found: number[] = [];
  manager.subscribe((event) => {
    if (event.kind === 'corruption-found') found.push(event.lines);
  });
  await manager.loadSession(SESSION);
  appendFileSync(join(folder, 'memory.jsonl'), 'garbage\n');
  await manager.loadSession(SESSION);
  await manager.loadSession(SESSION);
  expect(found).toEqual([1]);
  expect((await manager.metrics()).counters['memory.errors.corruption.count']).toBe(1);
  await manager.close();
});

test('a search tells of a line that was damaged since it was indexed, once, and counts it', async () => {
  const root = join(temporaryFolder(false), 'searched');
  await using manager = new MemoryManager({ storageRoot: root });
  await manager.createSession('ada', { session_id: SESSION });
  await manager.addMemories(SESSION, memories.slice(0, 2));
  const query = { text: 'text', scope: 'user' as const };
  // What a search has found lately is not read again: another one finds it damaged.
  await manager.close();
  const file = join(root, 'sessions', SESSION, 'memory.jsonl');
  await using reader = new MemoryManager({ storageRoot: root });
  await reader.queryMemories(SESSION, { ...query, limit: 1, sortBy: 'importance' });
  const told: string[] = [];
  reader.subscribe(({ kind }) => told.push(kind));
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll('text of', 'test of'));
  for (let i = 0; i < 2; i++) await reader.queryMemories(SESSION, query);
  expect(told.filter((kind) => kind === 'corruption-found').length).toBeGreaterThan(0);
  const { counters } = await reader.metrics();
  expect(counters['memory.errors.corruption.count']).toBeGreaterThan(0);
});
