import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type LonghandEvent, MemoryManager } from '../src/index.ts';
import { FakeClock } from '../src/testing/index.ts';

/**
 * A store that the library wrote on 17 November 2026, before word vectors: version 14 of the index, segments of version 5.
 * The logs are the truth and are read as they are; the index is of no use any more and is built again.
 */
const EARLIER = join(import.meta.dirname, 'fixtures/earlier-store');
const WRITTEN_MS = Date.parse('2026-11-16T10:00:00.000Z');
const AT_ONCE = { sealAtDocuments: 1, sealWhenBuilding: 8, mergeAtSegments: 3, maxMergedDocuments: 1_000 };

let root: string;
let opened: MemoryManager[];
let events: LonghandEvent[];

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'longhand-earlier-'));
  cpSync(EARLIER, root, { recursive: true });
  opened = [];
  events = [];
});
afterEach(async () => {
  for (const manager of opened) await manager.close();
  rmSync(root, { recursive: true });
});

function open(): MemoryManager {
  const clock = new FakeClock(WRITTEN_MS);
  const onEvent = (event: LonghandEvent): void => void events.push(event);
  const manager = new MemoryManager({ storageRoot: root, clock, indexLimits: AT_ONCE, onEvent });
  opened.push(manager);
  return manager;
}

async function ids(manager: MemoryManager, session: string, text: string): Promise<readonly string[]> {
  const found = await manager.queryMemories(session, { text, scope: 'user' });
  return found.map(({ id }) => id);
}

/** Of every user: the name and the bytes of each file of the index. */
function indexFiles(): ReadonlyMap<string, string> {
  const files = ['ada', 'ben'].flatMap((user) => {
    const folder = join(root, 'users', user, 'index');
    const names = readdirSync(folder).filter((name) => !name.startsWith('.lock'));
    return names.map((name) => [`${user}/${name}`, readFileSync(join(folder, name), 'latin1')] as const);
  });
  return new Map(files);
}

describe('a store of an earlier version', () => {
  it('is sound before anything was searched, and after', async () => {
    const manager = open();
    const before = await manager.verify();
    expect(before).toMatchObject({ sessions: 3, agents: 1, notes: 1, details: 1, damage: [] });
    await ids(manager, 'office', 'rent');
    await manager.close();
    const after = await open().verify();
    expect(after).toMatchObject({ damage: [], lines: before.lines + 1 });
    expect(after.index_segments).toBeGreaterThan(0);
  });

  it('answers from its logs, by words and by meaning', async () => {
    const manager = open();
    expect(await ids(manager, 'office', 'When is the rent due?')).toContain('mem_rent');
    expect(await ids(manager, 'office', 'What food should I avoid?')).toContain('mem_peanuts');
    expect(await ids(manager, 'office', 'third floor')).toEqual(['mem_typo']);
    expect(await ids(manager, 'office', '"thrid"')).toEqual([]);
    expect(await ids(manager, 'office', 'broken oven')).not.toContain('mem_wrong');
    expect(await ids(manager, 'garage', 'automobile')).toEqual(['mem_car']);
    expect(await ids(manager, 'office', 'tyres')).toEqual([]);
    expect((await manager.searchByTopic('kitchen', 'health')).map(({ id }) => id)).toEqual(['mem_peanuts']);
    expect(await manager.getMemory('office', 'mem_rent')).toMatchObject({
      importance: 0.8,
      references: ['mem_ledger'],
    });
  });

  it('has the other layers as they were', async () => {
    const { agents, journal, notes, details, transcripts } = await open().layers();
    expect((await agents.get('scout')).system_prompt).toBe('You look things up.');
    expect(await journal.get('scout', 'amem_hurry')).toMatchObject({ memory_type: 'journal' });
    const [found] = await journal.search('scout', 'one sentence');
    expect(found).toMatchObject({ id: 'amem_short', memory_type: 'core' });
    expect((await notes.versions('ada', 'scout')).length).toBe(2);
    expect((await notes.search('ada', 'scout', 'invoice')).map(({ title }) => title)).toEqual(['Money']);
    expect((await details.retrieve('ada', 'deploy_log', { lines: [30, 30] })).content).toContain('zebra');
    expect((await details.search('ada', 'zebra certificate'))[0]).toMatchObject({ memory_key: 'deploy_log' });
    expect((await transcripts.messages('office')).map(({ id }) => id)).toEqual(['m1', 'm2']);
  });

  it('gets a new index, which the next process uses as it is', async () => {
    const earlier = indexFiles();
    const manager = open();
    const answers = [await ids(manager, 'office', 'rent'), await ids(manager, 'garage', 'red vehicle')];
    await manager.close();
    const rebuilt = indexFiles();
    for (const [name, bytes] of earlier) expect(rebuilt.get(name)).not.toBe(bytes);
    expect([...rebuilt.keys()].filter((name) => earlier.has(name))).toEqual([
      'ada/manifest.json',
      'ben/manifest.json',
    ]);
    expect([...rebuilt.keys()].filter((name) => name.endsWith('.rows'))).not.toEqual([]);

    const next = open();
    expect([await ids(next, 'office', 'rent'), await ids(next, 'garage', 'red vehicle')]).toEqual(answers);
    const segments = [...indexFiles().keys()].filter((name) => !name.endsWith('manifest.json'));
    expect(segments).toEqual([...rebuilt.keys()].filter((name) => !name.endsWith('manifest.json')));
    expect(events.filter(({ kind }) => kind.includes('damage') || kind.includes('corrupt'))).toEqual([]);
  });
});
