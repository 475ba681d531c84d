import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { LonghandEvent } from '../src/core/events.ts';
import type { MemoryManagerOptions } from '../src/manager-options.ts';
import { MemoryManager } from '../src/memory-manager.ts';
import { MemoryStore } from '../src/stores/memory/memory-store.ts';
import { FakeClock } from '../src/testing/fake-clock.ts';
import { SynonymEmbedder } from '../src/testing/synonym-embedder.ts';

const SYNONYMS = [
  ['car', 'automobile', 'vehicle'],
  ['cat', 'feline'],
  ['happy', 'glad', 'joyful'],
];
const TEXTS = [
  'bought a red car in spring',
  'the cat sleeps on the sofa',
  'we decided to use postgres for billing',
  'my sister lives in lisbon',
  'the meeting moved to thursday',
];

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'longhand-vectors-'));
  folders.push(folder);
  return folder;
}

function filesIn(root: string, user = 'ada'): string[] {
  const folder = join(root, 'users', user, 'vectors');
  return readdirSync(folder)
    .filter((name) => name.endsWith('.vectors'))
    .map((name) => join(folder, name));
}

async function filled(options: MemoryManagerOptions): Promise<MemoryManager> {
  // As long as it takes on a busy machine, where a test does not say otherwise.
  const manager = new MemoryManager({ embedderWaitMs: 60_000, ...options });
  await manager.createSession('ada', { session_id: 's1' });
  for (const [i, text] of TEXTS.entries()) {
    await manager.addMemory('s1', { id: `mem_${i}`, type: 'finding', content: { text } });
  }
  return manager;
}

/** A folder whose memories all have vectors, and that no process has open. */
async function embedded(synonyms: readonly (readonly string[])[] = SYNONYMS): Promise<string> {
  const storageRoot = newFolder();
  const manager = await filled({ storageRoot, embedder: new SynonymEmbedder({ synonyms }) });
  await manager.embedMemories('ada');
  await manager.close();
  return storageRoot;
}

function idsOf(found: readonly { readonly id: string }[]): string[] {
  return found.map(({ id }) => id);
}

describe.each(['file', 'memory'] as const)('vectors in the %s store', (kind) => {
  const place = (): MemoryManagerOptions =>
    kind === 'file' ? { storageRoot: newFolder() } : { store: new MemoryStore() };

  it('find what is said in other words, and say so', async () => {
    const embedder = new SynonymEmbedder({ synonyms: SYNONYMS });
    await using manager = await filled({ ...place(), embedder });
    expect(idsOf(await manager.queryMemories('s1', { text: 'automobile' }))).toEqual([]);
    expect((await manager.pageMemories('s1', { text: 'automobile' })).semantic).toEqual({
      used: false,
      reason: 'pending',
    });
    expect(await manager.embedMemories('ada')).toEqual({ embedded: 5, refused: 0, isClaimed: false });
    const { memories, semantic } = await manager.pageMemories('s1', { text: 'automobile', explain: true });
    expect(semantic).toEqual({ used: true });
    expect(memories[0]!.id).toBe('mem_0');
    const parts = memories[0]!.explanation!.match_parts as Record<string, number>;
    expect(parts.similarity).toBeGreaterThan(0.1);
    expect(parts.words).toBe(0);
    // Words still count: both are found, the one that holds the word first.
    expect(idsOf(await manager.queryMemories('s1', { text: 'postgres billing' }))[0]).toBe('mem_2');
    expect(await manager.embedMemories('ada')).toMatchObject({ embedded: 0 });
    expect(embedder.counts.document).toBe(5);
  });

  it('change nothing when the embedder fails or is late, or the query asks for letters', async () => {
    const options = place();
    const clock = new FakeClock();
    let mood: 'fine' | 'fails' | 'late' = 'fine';
    const { promise: itsTime, resolve: comes } = Promise.withResolvers<void>();
    const embedder = new SynonymEmbedder({
      synonyms: SYNONYMS,
      before: async (_, { kind: asked }) => {
        if (asked === 'document' || mood === 'fine') return;
        if (mood === 'fails') throw new Error('a secret text');
        await itsTime;
      },
    });
    const events: LonghandEvent[] = [];
    const now = new Date('2026-05-05T00:00:00Z');
    await using manager = await filled({
      ...options,
      embedder,
      embedderWaitMs: 5,
      clock,
      onEvent: (event) => events.push(event),
    });
    await manager.embedMemories('ada');
    const plain = new MemoryManager(
      kind === 'file'
        ? { storageRoot: options.storageRoot!, clock, semantic: false }
        : { store: options.store!, clock, semantic: false },
    );
    const ask = async (text: string) => {
      const query = { text, now, explain: true } as const;
      const [withOne, without] = [
        await manager.pageMemories('s1', query),
        await plain.pageMemories('s1', query),
      ];
      expect(without.semantic).toBeUndefined();
      return { ...withOne, isSame: JSON.stringify(withOne.memories) === JSON.stringify(without.memories) };
    };
    mood = 'fails';
    expect(await ask('sofa cat')).toMatchObject({
      isSame: true,
      semantic: { used: false, reason: 'failed' },
    });
    expect(events.filter(({ kind: each }) => each === 'embedder-failed')).toMatchObject([
      { operation: 'query', reason: 'Error', level: 'WARN' },
    ]);
    // Left alone for a second: it is not asked.
    mood = 'fine';
    expect((await ask('sofa cat')).semantic).toEqual({ used: false, reason: 'failed' });
    clock.advance(1_001);
    mood = 'late';
    expect(await ask('feline sofa')).toMatchObject({
      isSame: true,
      semantic: { used: false, reason: 'late' },
    });
    comes();
    // What came late is kept for the next caller who asks the same.
    await expect.poll(async () => (await ask('feline sofa')).semantic).toEqual({ used: true });
    expect(events.at(-1)).toMatchObject({ kind: 'embedder-recovered' });
    for (const text of ['sof*', '"red car"', '???']) {
      expect(await ask(text)).toMatchObject({ isSame: true, semantic: { used: false, reason: 'words' } });
    }
    const { counters } = await manager.metrics();
    expect(counters['memory.embedder.failures.count']).toBe(1);
    if (kind === 'file') await plain.close();
  });

  it('obey filters, scopes, moments and users', async () => {
    const embedder = new SynonymEmbedder({ synonyms: SYNONYMS });
    await using manager = await filled({ ...place(), embedder });
    await manager.createSession('ada', { session_id: 's2' });
    await manager.createSession('eve', { session_id: 's3' });
    const old = { type: 'decision', timestamp: '2020-01-01T00:00:00Z', tags: ['garage'] } as const;
    await manager.addMemory('s2', { ...old, id: 'mem_9', content: { text: 'a green vehicle' } });
    await manager.addMemory('s3', { ...old, id: 'mem_e', content: { text: 'a vehicle of eve' } });
    await manager.embedMemories('ada');
    await manager.embedMemories('eve');
    const ask = async (query: object) =>
      idsOf(await manager.queryMemories('s1', { text: 'automobile', ...query }));
    expect(await ask({})).not.toContain('mem_9');
    expect((await ask({ scope: 'user' })).slice(0, 2).sort()).toEqual(['mem_0', 'mem_9']);
    expect(await ask({ scope: 'user', tags: { include: ['garage'] } })).toEqual(['mem_9']);
    expect(await ask({ scope: 'user', types: ['decision'] })).toEqual(['mem_9']);
    expect(await ask({ scope: 'user', timeRange: { end: '2021-01-01T00:00:00Z' } })).toEqual(['mem_9']);
    expect(await ask({ scope: 'user', asOf: '2021-01-01T00:00:00Z' })).toEqual(['mem_9']);
    expect(await ask({ scope: 'user', minImportance: 0.9 })).toEqual([]);
    const all = await ask({ scope: 'user', limit: 1_000 });
    expect(all).not.toContain('mem_e');
    const paged: string[] = [];
    for (let cursor: string | undefined; ; ) {
      const page = await manager.pageMemories('s1', {
        text: 'automobile',
        scope: 'user',
        limit: 1,
        ...(cursor === undefined ? {} : { cursor }),
      });
      paged.push(...idsOf(page.memories));
      cursor = page.nextCursor;
      if (cursor === undefined) break;
    }
    expect(paged).toEqual(all);
  });

  it('find sessions in which something was said in other words', async () => {
    let isDown = false;
    const embedder = new SynonymEmbedder({
      synonyms: SYNONYMS,
      before: () => {
        if (isDown) throw new Error('down');
      },
    });
    await using manager = await filled({ ...place(), embedder });
    await manager.createSession('ada', { session_id: 's2' });
    await manager.createSession('eve', { session_id: 's3' });
    await manager.addMemory('s2', { type: 'finding', content: { text: 'an automobile, an automobile' } });
    await manager.addMemory('s3', { type: 'finding', content: { text: 'an automobile of eve' } });
    const ask = async (text: string, user = 'ada') => {
      const hits = await manager.searchSessions(user, text);
      for (const { relevance } of hits) {
        expect(relevance).toBeGreaterThan(0);
        expect(relevance).toBeLessThanOrEqual(1);
      }
      return hits.map(({ session_id }) => session_id);
    };
    // Whether the vectors are there yet or not.
    expect((await ask('automobile'))[0]).toBe('s2');
    await manager.embedMemories('ada');
    // The one that holds the word comes first.
    expect(await ask('automobile')).toEqual(['s2', 's1']);
    expect((await ask('vehicle')).sort()).toEqual(['s1', 's2']);
    expect(await ask('"automobile"')).toEqual(['s2']);
    expect(await ask('automobile', 'eve')).toEqual(['s3']);
    isDown = true;
    expect(await ask('vehicle of joy')).toEqual([]);
  });

  it('find memories like one', async () => {
    const embedder = new SynonymEmbedder({ synonyms: SYNONYMS });
    await using manager = await filled({ ...place(), embedder });
    await manager.addMemory('s1', {
      id: 'mem_x',
      type: 'finding',
      content: { text: 'an "automobile"* of spring' },
    });
    // Without vectors, by words.
    expect(idsOf(await manager.similarMemories('s1', 'mem_x'))[0]).toBe('mem_0');
    await manager.embedMemories('ada');
    const asked = embedder.counts.query;
    const found = idsOf(await manager.similarMemories('s1', 'mem_x', { limit: 2 }));
    expect(found[0]).toBe('mem_0');
    expect(found).not.toContain('mem_x');
    // It has a vector: the embedder is not asked.
    expect(embedder.counts.query).toBe(asked);
    await expect(manager.similarMemories('s1', 'mem_none')).rejects.toMatchObject({
      code: 'MEMORY_NOT_FOUND',
    });
    await expect(manager.similarMemories('s1', 'mem_x', { text: 'a' } as never)).rejects.toMatchObject({
      code: 'INVALID_QUERY',
    });
    const scoped = manager.as({ account_id: 'local', user_id: 'eve' });
    await expect(scoped.similarMemories('s1', 'mem_x')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
  });

  it('leave with what is deleted, compacted, redacted and forgotten', async () => {
    const embedder = new SynonymEmbedder({ synonyms: SYNONYMS });
    await using manager = await filled({ ...place(), embedder });
    await manager.embedMemories('ada');
    const ask = async () => idsOf(await manager.queryMemories('s1', { text: 'automobile' }));
    expect((await ask())[0]).toBe('mem_0');
    await manager.deleteMemory('s1', 'mem_0');
    expect(await ask()).not.toContain('mem_0');
    await manager.compactSession('s1');
    expect(await ask()).not.toContain('mem_0');
    // The others keep theirs: nothing is made again.
    expect(await manager.embedMemories('ada')).toMatchObject({ embedded: 0 });
    const { privacy } = await manager.layers();
    await privacy.redact({ session: 's1', memory: 'mem_3', text: 'lisbon' });
    expect(await manager.embedMemories('ada')).toMatchObject({ embedded: 1 });
    await manager.deleteSession('s1');
    expect(await manager.embedMemories('ada')).toMatchObject({ embedded: 0 });
  });

  it('skip what the embedder refuses, and go on', async () => {
    const embedder = new SynonymEmbedder({
      before: (texts) => {
        if (!texts.some((text) => text.includes('cat'))) return;
        throw Object.assign(new Error('no cats'), { details: { refused: true } });
      },
    });
    await using manager = await filled({ ...place(), embedder });
    expect(await manager.embedMemories('ada')).toEqual({ embedded: 4, refused: 1, isClaimed: false });
    expect(await manager.embedMemories('ada')).toEqual({ embedded: 0, refused: 1, isClaimed: false });
  });

  it('count no text as refused by an embedder that refuses all', async () => {
    const clock = new FakeClock();
    let isMistyped = true;
    const embedder = new SynonymEmbedder({
      before: () => {
        if (isMistyped) throw Object.assign(new Error('no such model'), { details: { refused: true } });
      },
    });
    await using manager = await filled({ ...place(), embedder, clock });
    await expect(manager.embedMemories('ada')).rejects.toMatchObject({ code: 'EMBEDDER_FAILED' });
    isMistyped = false;
    clock.advance(60_000);
    expect(await manager.embedMemories('ada')).toEqual({ embedded: 5, refused: 0, isClaimed: false });
  });
});

describe('vectors on the disk', () => {
  it('are there for the next process, and made again for another embedder', async () => {
    const storageRoot = newFolder();
    const clock = new FakeClock();
    const first = new SynonymEmbedder({ synonyms: SYNONYMS });
    const one = await filled({ storageRoot, embedder: first, clock });
    await one.embedMemories('ada');
    await one.close();
    const again = new SynonymEmbedder({ synonyms: SYNONYMS });
    await using two = new MemoryManager({ storageRoot, embedder: again, clock });
    expect(idsOf(await two.queryMemories('s1', { text: 'automobile' }))[0]).toBe('mem_0');
    expect(again.counts).toEqual({ query: 1, document: 0 });
    for (const other of [
      new SynonymEmbedder({ identity: 'another', synonyms: SYNONYMS }),
      new SynonymEmbedder({ dimensions: 32, synonyms: SYNONYMS }),
    ]) {
      const kept = filesIn(storageRoot).length;
      await using three = new MemoryManager({ storageRoot, embedder: other, clock });
      const page = await three.pageMemories('s1', { text: 'automobile' });
      expect(page.semantic).toEqual({ used: false, reason: 'pending' });
      expect(await three.embedMemories('ada')).toMatchObject({ embedded: 5 });
      expect(idsOf(await three.queryMemories('s1', { text: 'automobile' }))[0]).toBe('mem_0');
      // The first one's stay for a day.
      expect(filesIn(storageRoot)).toHaveLength(kept + 1);
    }
    expect(idsOf(await two.queryMemories('s1', { text: 'feline' }))[0]).toBe('mem_1');
    clock.advance(86_400_001);
    await using last = new MemoryManager({ storageRoot, embedder: again, clock });
    await last.embedMemories('ada');
    expect(filesIn(storageRoot)).toHaveLength(1);
  });

  it('are made again when a file is cut, changed, missing, or of no use', async () => {
    const storageRoot = await embedded();
    const [file] = filesIn(storageRoot);
    const whole = readFileSync(file!);
    const manifest = join(storageRoot, 'users/ada/vectors/manifest.json');
    const harms: (() => void)[] = [
      () => writeFileSync(file!, whole.subarray(0, 100)),
      () => writeFileSync(file!, whole.subarray(0, 10)),
      () => writeFileSync(file!, whole.subarray(0, whole.length - 1)),
      () => rmSync(filesIn(storageRoot)[0]!),
      () => writeFileSync(manifest, readFileSync(manifest).subarray(0, 40)),
      () => writeFileSync(manifest, ''),
    ];
    for (let at = 0; at < whole.length; at += 97) {
      harms.push(() => {
        const [current] = filesIn(storageRoot);
        const bytes = readFileSync(current!);
        bytes[at]! ^= 1 << (at % 8);
        writeFileSync(current!, bytes);
      });
    }
    for (const [number, harm] of harms.entries()) {
      if (number < 3) for (const each of filesIn(storageRoot)) if (each !== file) rmSync(each);
      harm();
      const embedder = new SynonymEmbedder({ synonyms: SYNONYMS });
      const manager = new MemoryManager({ storageRoot, embedder });
      expect(idsOf(await manager.queryMemories('s1', { text: 'sofa' }))).toContain('mem_1');
      expect(await manager.embedMemories('ada')).toMatchObject({ embedded: 5 });
      expect(idsOf(await manager.queryMemories('s1', { text: 'automobile' }))[0]).toBe('mem_0');
      await manager.close();
      expect(filesIn(storageRoot)).toHaveLength(1);
    }
  });

  it('are checked with the whole store, and what is damaged is made again', async () => {
    const storageRoot = newFolder();
    const embedder = new SynonymEmbedder({ synonyms: SYNONYMS });
    const first = await filled({ storageRoot, embedder });
    await first.embedMemories('ada');
    await first.close();
    const verified = async () => {
      await using plain = new MemoryManager({ storageRoot });
      const { vector_blocks, damage } = await plain.verify();
      return { vector_blocks, kinds: damage.map(({ kind }) => kind) };
    };
    const mended = async () => {
      await using manager = new MemoryManager({ storageRoot, embedder });
      expect(await manager.embedMemories('ada')).toMatchObject({ embedded: 5 });
      expect(await verified()).toEqual({ vector_blocks: 1, kinds: [] });
    };
    expect(await verified()).toEqual({ vector_blocks: 1, kinds: [] });
    const [file] = filesIn(storageRoot);
    const bytes = readFileSync(file!);
    bytes[bytes.length - 9]! ^= 4;
    writeFileSync(file!, bytes);
    expect(await verified()).toEqual({ vector_blocks: 1, kinds: ['vectors'] });
    await mended();
    rmSync(filesIn(storageRoot)[0]!);
    expect(await verified()).toEqual({ vector_blocks: 1, kinds: ['vectors'] });
    await mended();
    writeFileSync(join(storageRoot, 'users/ada/vectors/manifest.json'), '{}');
    expect(await verified()).toEqual({ vector_blocks: 0, kinds: ['vectors'] });
    await mended();
  });

  it.each([
    ['compacted', 'with an embedder'],
    ['compacted', 'without one'],
    ['compacted', 'while it stays open'],
    ['deleted', 'without one'],
    ['damaged', 'without one'],
  ] as const)(
    'of a log that was %s by a process killed before it took them out go with the next process, %s',
    async (how, who) => {
      const storageRoot = newFolder();
      const embedder = new SynonymEmbedder({ synonyms: SYNONYMS });
      const first = await filled({ storageRoot, embedder });
      await first.createSession('ada', { session_id: 's2' });
      await first.addMemory('s2', { type: 'finding', content: { text: 'stays' } });
      await first.embedMemories('ada');
      await first.close();
      // As it is when the log has been written, and what is derived has not.
      const derived = join(storageRoot, 'users/ada');
      const before = join(newFolder(), 'ada');
      cpSync(derived, before, { recursive: true });
      const killed = new MemoryManager({ storageRoot });
      await killed.deleteMemory('s1', 'mem_0');
      if (how === 'deleted') await killed.deleteSession('s1');
      else if (how === 'compacted') await killed.compactSession('s1');
      await killed.close();
      for (const folder of ['index', 'vectors']) {
        rmSync(join(derived, folder), { recursive: true, force: true });
        if (existsSync(join(before, folder))) {
          cpSync(join(before, folder), join(derived, folder), { recursive: true });
        }
      }
      const [file] = filesIn(storageRoot);
      if (how === 'damaged') writeFileSync(file!, readFileSync(file!).subarray(0, 30));
      const next = new MemoryManager(who === 'without one' ? { storageRoot } : { storageRoot, embedder });
      expect(idsOf(await next.queryMemories('s2', { text: 'stays', scope: 'user' }))).toHaveLength(1);
      if (who === 'while it stays open') {
        while (existsSync(file!)) await new Promise((resolve) => setTimeout(resolve, 20));
      }
      await next.close();
      expect(existsSync(file!)).toBe(false);
      // Those of what lives are still there.
      await using last = new MemoryManager({ storageRoot, embedder });
      const lost = how === 'damaged' ? 5 : 0;
      expect(await last.embedMemories('ada')).toMatchObject({ embedded: lost });
    },
  );

  it('of a log that is rewritten go, seen by a process that had found none when it opened', async () => {
    const storageRoot = newFolder();
    const embedder = new SynonymEmbedder({ synonyms: SYNONYMS });
    const maker = await filled({ storageRoot, embedder });
    const watching = new MemoryManager({ storageRoot });
    expect(await watching.queryMemories('s1', { text: 'sofa' })).toHaveLength(1);
    await maker.embedMemories('ada');
    await maker.deleteMemory('s1', 'mem_1');
    await maker.close();
    const [file] = filesIn(storageRoot);
    const folder = join(storageRoot, 'users/ada/vectors');
    const before = join(newFolder(), 'vectors');
    cpSync(folder, before, { recursive: true });
    const killed = new MemoryManager({ storageRoot });
    await killed.compactSession('s1');
    await killed.close();
    expect(existsSync(file!)).toBe(false);
    cpSync(before, folder, { recursive: true });
    expect(await watching.queryMemories('s1', { text: 'sofa' })).toEqual([]);
    await watching.close();
    expect(existsSync(file!)).toBe(false);
  });

  it('do not follow a log that was changed by hand', async () => {
    const storageRoot = await embedded();
    const log = join(storageRoot, 'sessions/s1/memory.jsonl');
    const text = readFileSync(log, 'utf8');
    rmSync(log);
    writeFileSync(
      log,
      text
        .replace('red car in spring', 'dog in a shelter')
        .replace(/("id":"mem_0".*),"seq":\d+,"checksum":"[^"]*"/, '$1'),
    );
    const embedder = new SynonymEmbedder({ synonyms: SYNONYMS });
    await using manager = new MemoryManager({ storageRoot, embedder });
    expect(idsOf(await manager.queryMemories('s1', { text: 'automobile' }))).toEqual([]);
    expect(await manager.embedMemories('ada')).toMatchObject({ embedded: 1 });
    expect(idsOf(await manager.queryMemories('s1', { text: 'feline' }))[0]).toBe('mem_1');
  });

  describe.each([
    ['longer', 'a dog from the shelter in town'],
    ['as long', 'red dog in spring'],
  ])('of a text that a person changes in place, and makes %s', (length, text) => {
    /** As many editors do: the file stays the same one. */
    const edit = (root: string): void => {
      const log = join(root, 'sessions/s1/memory.jsonl');
      const lines = readFileSync(log, 'utf8');
      const changed = lines.replace('red car in spring', text);
      // Only the checksum goes, and where the line shall be as long as it was, blanks come in its place.
      const unchecked = changed.replace(/("id":"mem_0".*),"checksum":"[^"]*"\}/, (whole, kept: string) =>
        length === 'longer' ? `${kept}}` : `${kept}}${' '.repeat(whole.length - kept.length - 1)}`,
      );
      const { ino } = statSync(log);
      writeFileSync(log, unchecked);
      expect(statSync(log).ino).toBe(ino);
      // A person takes longer than a tick of the system's clock.
      const later = new Date(Date.now() + 1_000);
      utimesSync(log, later, later);
      expect(Buffer.byteLength(unchecked) === Buffer.byteLength(lines)).toBe(length === 'as long');
    };
    const synonyms = [...SYNONYMS, ['dog', 'hound']];
    const likenesses = async (manager: MemoryManager) => {
      const found: (readonly unknown[])[] = [];
      for (const asked of ['automobile', 'hound', 'feline']) {
        const memories = await manager.queryMemories('s1', { text: asked, explain: true });
        for (const { id, explanation } of memories)
          found.push([asked, id, explanation!.match_parts!.similarity]);
      }
      return found;
    };
    /** What a store answers that never knew the old text. */
    const truth = async (root: string) => {
      const copy = join(newFolder(), 'copy');
      cpSync(join(root, 'sessions'), join(copy, 'sessions'), { recursive: true });
      await using manager = new MemoryManager({
        storageRoot: copy,
        embedder: new SynonymEmbedder({ synonyms }),
        embedderWaitMs: 60_000,
      });
      await manager.rebuildIndex('s1');
      expect(await manager.embedMemories('ada')).toMatchObject({ embedded: 5 });
      return await likenesses(manager);
    };
    /** No meaning at all is better than an old one. */
    const expectNotYet = async (manager: MemoryManager) => {
      expect((await likenesses(manager)).map(([, id]) => id)).not.toContain('mem_0');
    };

    it('are made again by the next process, and the others stay', async () => {
      const storageRoot = await embedded(synonyms);
      edit(storageRoot);
      const embedder = new SynonymEmbedder({ synonyms });
      await using manager = new MemoryManager({ storageRoot, embedder, embedderWaitMs: 60_000 });
      await expectNotYet(manager);
      await manager.embedMemories('ada');
      expect(await likenesses(manager)).toEqual(await truth(storageRoot));
      expect(embedder.counts.document).toBe(1);
    });

    it('are made again by a process that has the log open', async () => {
      const storageRoot = newFolder();
      const embedder = new SynonymEmbedder({ synonyms });
      await using manager = await filled({ storageRoot, embedder });
      await manager.embedMemories('ada');
      const before = await likenesses(manager);
      edit(storageRoot);
      await expectNotYet(manager);
      await manager.embedMemories('ada');
      expect(await likenesses(manager)).toEqual(await truth(storageRoot));
      expect(await likenesses(manager)).not.toEqual(before);
      expect(embedder.counts.document).toBe(6);
    });

    it('are taken out by a process without an embedder, which leaves an index behind', async () => {
      const storageRoot = await embedded(synonyms);
      edit(storageRoot);
      const plain = new MemoryManager({ storageRoot, semantic: false, indexLimits: { sealAtDocuments: 2 } });
      expect(await plain.queryMemories('s1', { text: 'dog' })).toHaveLength(1);
      await plain.close();
      const embedder = new SynonymEmbedder({ synonyms });
      await using manager = new MemoryManager({ storageRoot, embedder, embedderWaitMs: 60_000 });
      await expectNotYet(manager);
      await manager.embedMemories('ada');
      expect(await likenesses(manager)).toEqual(await truth(storageRoot));
      expect(embedder.counts.document).toBe(1);
    });
  });

  it('that are as they should be are left alone by every reader', async () => {
    const storageRoot = await embedded();
    const folder = join(storageRoot, 'users/ada/vectors');
    const state = () => readdirSync(folder).map((name) => [name, statSync(join(folder, name)).mtimeMs]);
    const before = state();
    const embedder = new SynonymEmbedder({ synonyms: SYNONYMS });
    for (const options of [
      { storageRoot, semantic: false },
      { storageRoot, embedder, embedderWaitMs: 60_000 },
    ]) {
      const manager = new MemoryManager(options);
      const found = await manager.queryMemories('s1', { text: 'automobile' });
      expect(idsOf(found).slice(0, 1)).toEqual('embedder' in options ? ['mem_0'] : []);
      await manager.close();
    }
    expect(state()).toEqual(before);
    expect(embedder.counts.document).toBe(0);
  });

  it('are merged, and one embedder serves two managers at once', async () => {
    const storageRoot = newFolder();
    const embedder = new SynonymEmbedder({ synonyms: SYNONYMS });
    await using one = await filled({ storageRoot, embedder });
    await using two = new MemoryManager({ storageRoot, embedder });
    for (let i = 10; i < 40; i++) {
      await one.addMemory('s1', { id: `mem_${i}`, type: 'finding', content: { text: `note ${i} joyful` } });
      await Promise.all([one.embedMemories('ada'), two.embedMemories('ada')]);
    }
    expect(embedder.counts.document).toBe(35);
    expect(filesIn(storageRoot).length).toBeLessThan(12);
    expect(idsOf(await two.queryMemories('s1', { text: 'automobile' }))[0]).toBe('mem_0');
  });

  it('come in the background after an add, which does not wait for them', async () => {
    const storageRoot = newFolder();
    let letGo = (): void => undefined;
    const gate = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const embedder = new SynonymEmbedder({ synonyms: SYNONYMS, before: () => gate });
    const embedded = Promise.withResolvers<void>();
    await using manager = await filled({
      storageRoot,
      embedder,
      onEvent: ({ kind }) => {
        if (kind === 'memories-embedded') embedded.resolve();
      },
    });
    letGo();
    await embedded.promise;
    expect(idsOf(await manager.queryMemories('s1', { text: 'automobile' }))[0]).toBe('mem_0');
  });
});

it('an invalid embedder is refused', async () => {
  const good = new SynonymEmbedder();
  const wrong = (change: object) => ({ ...change, embed: good.embed.bind(good) }) as never;
  for (const embedder of [
    wrong({ identity: '', dimensions: 3 }),
    wrong({ identity: 'a', dimensions: 0 }),
    wrong({ identity: 'a', dimensions: 1e6 }),
    wrong({ identity: 'a', dimensions: 3, batchSize: 0 }),
    { identity: 'a', dimensions: 3 } as never,
  ]) {
    expect(() => new MemoryManager({ embedder })).toThrow(/embedder/);
  }
  expect(() => new MemoryManager({ embedderWaitMs: -1 })).toThrow(/embedderWaitMs/);
  await using manager = new MemoryManager({ store: new MemoryStore() });
  await expect(manager.embedMemories('ada')).rejects.toThrow(/no embedder/);
});
