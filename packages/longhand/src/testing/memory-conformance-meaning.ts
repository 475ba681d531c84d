import assert from 'node:assert/strict';
import type { Embedder, EmbedOptions } from '../core/embedder.ts';
import type { MemoryManager } from '../memory-manager.ts';
import { rejectsWith } from './conformance-records.ts';
import type { Holder, Scene, SceneOptions, WithMemory } from './memory-conformance.ts';
import { SynonymEmbedder, type SynonymEmbedderOptions } from './synonym-embedder.ts';

const SYNONYMS = [
  ['car', 'automobile', 'vehicle'],
  ['cat', 'feline'],
  ['dog', 'hound'],
];
const TEXTS = {
  mem_car: 'bought a red car in spring',
  mem_cat: 'the cat sleeps on the sofa',
  mem_billing: 'we decided to use postgres for billing',
  mem_sister: 'my sister lives in lisbon',
};
/** What is indexed is published with the next question. */
const AT_ONCE = { sealAtDocuments: 1, sealWhenBuilding: 8, mergeAtSegments: 3, maxMergedDocuments: 1_000 };
/** A table of word vectors in which "invoice" and "bill" mean the same, and no other word means anything. */
const TABLE =
  'TEhXVgEAAAAQAAAAAgAAAAQAAAC001e8MDAwMDAwMDAwMDAwMDAwMAEAAgAAAAAAJEAA2gFaGYEEAgE8BAIBPH9/f39/f39/f39/f39/f39/f39/f39/f39/f39/f39/';
/** Longer than an embedder that failed is left alone. */
const REST_MS = 60_000;

/** Finding by meaning, with an embedder: what is asked in other words, and what becomes of the vectors. */
export function meaningConformance(withMemory: WithMemory): void {
  const withTexts = (title: string, work: (scene: Scene, embedder: SynonymEmbedder) => Promise<void>): void =>
    withMemory(title, async ({ openAnother, ...scene }) => {
      const embedder = embedderOf();
      const holder = await openAnother(using(embedder));
      await fill(holder.manager);
      await work({ ...scene, ...holder, openAnother }, embedder);
    });

  withTexts('finds what is said in other words, and says so', async ({ manager }) => {
    await embedAll(manager);
    const { memories, semantic } = await manager.pageMemories('one', { text: 'automobile', explain: true });
    assert.deepEqual(semantic, { used: true });
    assert.equal(memories[0]?.id, 'mem_car');
    const { words, similarity } = memories[0].explanation?.match_parts ?? {};
    assert.equal(words, 0);
    assert.ok(Number(similarity) > 0);
    assert.equal(await best(manager, 'feline'), 'mem_cat');
    // Words count as before, and a query for exact letters finds exact letters.
    assert.equal(await best(manager, 'postgres billing'), 'mem_billing');
    assert.deepEqual(await ids(manager, '"automobile"'), []);
  });

  withTexts('searches memories by the embedder alone, and all else by word vectors', async (scene) => {
    const { manager, layers, openAnother } = scene;
    const { agents, journal, notes, details } = layers;
    const text = 'Every invoice is kept.';
    await agents.ensure('scout');
    for (const type of ['core', 'journal'] as const) await journal.save('scout', type, text);
    await notes.apply('ada', 'scout', { operation: 'overwrite', content: `# Money\n${text}\n` });
    await details.store('one', { content: 'a long log', description: text });
    assert.equal((await journal.search('scout', 'bill')).length, 2);
    assert.equal((await notes.search('ada', 'scout', 'bill')).length, 1);
    const user = manager.as({ account_id: 'local', user_id: 'ada' });
    assert.equal((await user.searchWithDetails({ text: 'bill' })).details?.[0]?.summary, text);
    await manager.addMemory('one', { id: 'mem_invoice', type: 'finding', content: { text } });
    const withoutTable = { ...using(embedderOf()), readTable: async () => undefined };
    const pages = [];
    for (const each of [manager, (await openAnother(withoutTable)).manager]) {
      await embedAll(each);
      const now = new Date(scene.clock.now());
      pages.push(await each.pageMemories('one', { text: 'bill', limit: 100, explain: true, now }));
    }
    assert.deepEqual(pages[0], pages[1]);
  });

  withTexts('makes each vector once', async ({ manager }, embedder) => {
    await embedAll(manager);
    await manager.addMemory('one', { type: 'finding', content: { text: 'one more' } });
    await embedAll(manager);
    await best(manager, 'automobile');
    await manager.setImportance('one', 'mem_cat', 0.9);
    await embedAll(manager);
    assert.equal(embedder.counts.document, Object.keys(TEXTS).length + 1);
  });

  withTexts('makes another vector of a memory that is corrected', async ({ manager }, embedder) => {
    await embedAll(manager);
    await manager.updateMemory('one', 'mem_cat', { content: { text: 'the dog sleeps on the sofa' } });
    await embedAll(manager);
    assert.equal(await best(manager, 'hound'), 'mem_cat');
    assert.ok(!(await ids(manager, 'feline')).includes('mem_cat'));
    await manager.updateMemory('one', 'mem_cat', { references: ['mem_car'] });
    await embedAll(manager);
    assert.equal(embedder.counts.document, Object.keys(TEXTS).length + 1);
    assert.equal(await best(manager, 'hound'), 'mem_cat');
  });

  for (const [what, change] of Object.entries(MEANWHILE)) {
    withMemory(`makes the vectors of all there is, also when ${what} while it makes them`, async (scene) => {
      const meanwhile = once('document', () => change(manager));
      const { manager } = await scene.openAnother(using(embedderOf({ before: meanwhile })));
      await fill(manager);
      await embedAll(manager);
      assert.equal(await best(manager, 'automobile'), 'mem_car');
      assert.equal(await best(manager, 'hound'), 'mem_dog');
    });
  }

  withMemory('makes the vector of what is added while others are made', async ({ openAnother }) => {
    let embedding: Promise<void> | undefined;
    const meanwhile = once('document', async () => {
      await addDog(manager);
      // Not waited for: it begins when this has ended.
      embedding = embedAll(manager);
    });
    const { manager } = await openAnother(using(embedderOf({ before: meanwhile })));
    await fill(manager);
    await embedAll(manager);
    await embedding;
    assert.equal(await best(manager, 'hound'), 'mem_dog');
  });

  withMemory('finds by meaning in a log that is changed while the question is embedded', async (scene) => {
    const other = await scene.openAnother(using(embedderOf()));
    // Its text and all vectors stay, but this process knows that only after it has read the log again.
    const meanwhile = once('query', async () => {
      await other.manager.updateMemory('one', 'mem_cat', { references: ['mem_car'] });
    });
    const { manager } = await scene.openAnother(using(embedderOf({ before: meanwhile })));
    await fill(manager);
    await embedAll(manager);
    assert.equal(await best(manager, 'automobile'), 'mem_car');
  });

  withTexts('leaves no vector of an earlier text to a later process', async (scene, embedder) => {
    await embedAll(scene.manager);
    // Indexed and published by a process that makes no vectors.
    const { manager: plain } = await scene.openAnother({ indexLimits: AT_ONCE });
    await plain.updateMemory('one', 'mem_cat', { content: { text: 'the dog sleeps on the sofa' } });
    await plain.queryMemories('one', { text: 'dog' });
    await plain.close();
    await scene.manager.close();
    const { manager } = await scene.openAnother(using(embedder));
    assert.ok(!(await ids(manager, 'feline')).includes('mem_cat'));
    await embedAll(manager);
    assert.equal(await best(manager, 'hound'), 'mem_cat');
    assert.ok(!(await ids(manager, 'feline')).includes('mem_cat'));
  });

  withTexts('keeps to the user, the session and what is asked for', async ({ manager }) => {
    await manager.createSession('ada', { session_id: 'two' });
    await manager.createSession('eve', { session_id: 'eves' });
    const vehicle = { type: 'decision', tags: ['garage'], content: { text: 'a green vehicle' } } as const;
    await manager.addMemory('two', { id: 'mem_two', ...vehicle });
    await manager.addMemory('eves', { id: 'mem_eve', ...vehicle });
    for (const user of ['ada', 'eve']) await embedAll(manager, user);
    const found = async (query: object): Promise<readonly string[]> =>
      (await manager.queryMemories('one', { text: 'automobile', limit: 100, ...query })).map(({ id }) => id);
    assert.ok(!(await found({})).includes('mem_two'));
    const wide = await found({ scope: 'user' });
    assert.deepEqual(wide.slice(0, 2).sort(), ['mem_car', 'mem_two']);
    assert.ok(!wide.includes('mem_eve'));
    assert.deepEqual(await found({ scope: 'user', tags: { include: ['garage'] } }), ['mem_two']);
    assert.deepEqual(await found({ scope: 'user', minImportance: 0.9 }), []);
    const sessions = await manager.searchSessions('eve', 'automobile');
    assert.deepEqual(
      sessions.map(({ session_id }) => session_id),
      ['eves'],
    );
  });

  withTexts('has no meaning left of what is deleted or forgotten', async (scene) => {
    const { manager, layers, openAnother } = scene;
    await embedAll(manager);
    const other = await openAnother(using(embedderOf()));
    await embedAll(other.manager);
    const holders: readonly Holder[] = [scene, other];
    const assertGone = async (id: string, text: string): Promise<void> => {
      for (const holder of holders) assert.ok(!(await ids(holder.manager, text)).includes(id), id);
    };
    for (const holder of holders) assert.equal(await best(holder.manager, 'automobile'), 'mem_car');
    await manager.deleteMemory('one', 'mem_car');
    await assertGone('mem_car', 'automobile');
    await layers.privacy.forget({ session: 'one', ids: ['mem_car', 'mem_cat'] });
    await assertGone('mem_car', 'automobile');
    await assertGone('mem_cat', 'feline');
    const words = [TEXTS.mem_car, TEXTS.mem_cat];
    assert.equal((await other.layers.privacy.verifyErased(words)).isErased, true);
    // The same id may come again with another session, and then means what it says there.
    await manager.deleteSession('one');
    await manager.createSession('ada', { session_id: 'one' });
    await manager.addMemory('one', { id: 'mem_car', type: 'finding', content: { text: 'a dog barks' } });
    await embedAll(manager);
    assert.equal(await best(manager, 'hound'), 'mem_car');
    await embedAll(other.manager);
    assert.equal(await best(other.manager, 'hound'), 'mem_car');
  });

  withMemory('follows a text that is redacted', async ({ openAnother }) => {
    const given: string[] = [];
    const embedder = embedderOf({ before: (texts) => void given.push(...texts) });
    const { manager, layers } = await openAnother(using(embedder));
    await fill(manager);
    await embedAll(manager);
    assert.equal(given.length, Object.keys(TEXTS).length);
    await layers.privacy.redact({ session: 'one', memory: 'mem_cat', text: 'cat' });
    await embedAll(manager);
    const more = given.slice(Object.keys(TEXTS).length);
    assert.deepEqual([more.length, more[0]?.includes('cat'), more[0]?.includes('sofa')], [1, false, true]);
  });

  withTexts('leaves no name of a forgotten user, though others still hold the index', async (scene) => {
    const { manager, layers, openAnother } = scene;
    const other = (await openAnother(using(embedderOf()))).manager;
    const late = (await openAnother(using(embedderOf()))).manager;
    const watcher = await openAnother({});
    await embedAll(manager);
    for (const each of [manager, other, late, watcher.manager]) await ids(each, 'automobile');
    await layers.privacy.forget({ user: 'ada' });
    assert.deepEqual(await watcher.store.list('user'), []);
    // One of them asks before it closes.
    assert.deepEqual((await other.pageMemoriesOfUser('ada', { text: 'automobile' })).memories, []);
    await embedAll(other);
    for (const each of [manager, other, late]) await each.close();
    assert.deepEqual(await watcher.store.list('user'), []);
  });

  withTexts('loses no vector to a compaction', async ({ manager }, embedder) => {
    await embedAll(manager);
    await manager.deleteMemory('one', 'mem_sister');
    await manager.compactSession('one');
    await embedAll(manager);
    assert.equal(await best(manager, 'automobile'), 'mem_car');
    assert.equal(embedder.counts.document, Object.keys(TEXTS).length);
  });

  withTexts('finds it after the store was opened again', async ({ manager, openAnother }) => {
    await embedAll(manager);
    await manager.close();
    const embedder = embedderOf();
    const next = await openAnother(using(embedder));
    // Where there is a place for them, vectors are there for the next one; elsewhere they are made again.
    const isKept = (await next.store.loadIndex('ada', 'vectors', () => [])) !== undefined;
    if (!isKept) await embedAll(next.manager);
    assert.equal(await best(next.manager, 'automobile'), 'mem_car');
    await embedAll(next.manager);
    assert.equal(embedder.counts.document, isKept ? 0 : Object.keys(TEXTS).length);
    const renamed = embedderOf({ identity: 'another' });
    const third = await openAnother(using(renamed));
    await embedAll(third.manager);
    assert.equal(renamed.counts.document, Object.keys(TEXTS).length);
    assert.equal(await best(third.manager, 'automobile'), 'mem_car');
    // Without an embedder, words answer alone.
    const plain = await openAnother({});
    const page = await plain.manager.pageMemories('one', { text: 'automobile' });
    assert.deepEqual(page, { memories: [] });
  });

  for (const [what, spoil] of Object.entries(SPOILT)) {
    withMemory(`takes no ${what}, and remembers all the same`, async ({ clock, openAnother }) => {
      const mood = { isWell: false };
      const { manager } = await openAnother(using(spoilt(mood, spoil)));
      await fill(manager);
      await assertWordsAlone(manager);
      mood.isWell = true;
      clock.advance(REST_MS);
      await embedAll(manager);
      assert.equal(await best(manager, 'automobile'), 'mem_car');
    });
  }

  withMemory(
    'waits for no embedder that fails, and goes on when it is back',
    async ({ clock, openAnother }) => {
      const mood = { isWell: true };
      const embedder = embedderOf({
        before: () => {
          if (!mood.isWell) throw new Error('unreachable');
        },
      });
      const { manager } = await openAnother(using(embedder));
      await fill(manager);
      await embedAll(manager);
      mood.isWell = false;
      await manager.addMemory('one', { id: 'mem_dog', type: 'finding', content: { text: 'the dog barks' } });
      await rejectsWith('EMBEDDER_FAILED', () => embedAll(manager));
      const { memories, semantic } = await manager.pageMemories('one', { text: 'sofa' });
      assert.deepEqual(semantic, { used: false, reason: 'failed' });
      assert.deepEqual(
        memories.map(({ id }) => id),
        ['mem_cat'],
      );
      mood.isWell = true;
      clock.advance(REST_MS);
      await embedAll(manager);
      assert.equal(await best(manager, 'hound'), 'mem_dog');
      assert.equal(await best(manager, 'automobile'), 'mem_car');
    },
  );
}

/** What an embedder may give that is no answer. */
const SPOILT: Readonly<Record<string, (vectors: readonly Float32Array[]) => readonly Float32Array[]>> = {
  'vectors of a wrong length': (vectors) => vectors.map((vector) => vector.subarray(1)),
  'answer with a vector too few': (vectors) => vectors.slice(1),
};

function spoilt(
  mood: { readonly isWell: boolean },
  spoil: (vectors: readonly Float32Array[]) => readonly Float32Array[],
): Embedder {
  const inner = embedderOf();
  const { identity, dimensions } = inner;
  return {
    identity,
    dimensions,
    embed: async (texts, options) => {
      const vectors = await inner.embed(texts, options);
      return mood.isWell ? vectors : spoil(vectors);
    },
  };
}

async function addDog(manager: MemoryManager): Promise<void> {
  await manager.addMemory('one', {
    id: 'mem_dog',
    type: 'finding',
    content: { text: 'the dog barks at night' },
  });
}

/** What happens while an embedder is asked, after which there is a dog. */
const MEANWHILE: Readonly<Record<string, (manager: MemoryManager) => Promise<void>>> = {
  'a memory is corrected': async (manager) => {
    await manager.updateMemory('one', 'mem_sister', { content: { text: 'my sister has a dog' } });
    await addDog(manager);
  },
  'the log is rewritten': async (manager) => {
    await addDog(manager);
    await manager.deleteMemory('one', 'mem_sister');
    await manager.compactSession('one');
  },
};

/** Done when the embedder is first asked for a text of this kind. */
function once(kind: EmbedOptions['kind'], work: () => Promise<void>) {
  let isDone = false;
  return async (_: readonly string[], options: EmbedOptions): Promise<void> => {
    if (isDone || options.kind !== kind) return;
    isDone = true;
    await work();
  };
}

function embedderOf(options: SynonymEmbedderOptions = {}): SynonymEmbedder {
  return new SynonymEmbedder({ synonyms: SYNONYMS, ...options });
}

/** As long as it takes on a busy machine. */
function using(embedder: Embedder): SceneOptions {
  const readTable = async (): Promise<Uint8Array> => Buffer.from(TABLE, 'base64');
  return { embedder, embedderWaitMs: 60_000, semantic: true, readTable };
}

async function fill(manager: MemoryManager): Promise<void> {
  await manager.createSession('ada', { session_id: 'one' });
  for (const [id, text] of Object.entries(TEXTS)) {
    await manager.addMemory('one', { id, type: 'finding', content: { text } });
  }
}

/** Also when another process on the same store is doing it. */
async function embedAll(manager: MemoryManager, userId = 'ada'): Promise<void> {
  while ((await manager.embedMemories(userId)).isClaimed) {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

async function ids(manager: MemoryManager, text: string): Promise<readonly string[]> {
  return (await manager.queryMemories('one', { text })).map(({ id }) => id);
}

async function best(manager: MemoryManager, text: string): Promise<string | undefined> {
  return (await ids(manager, text))[0];
}

/** Everything is there and is found by its words, and no vector is. */
async function assertWordsAlone(manager: MemoryManager): Promise<void> {
  await rejectsWith('EMBEDDER_FAILED', () => embedAll(manager));
  assert.deepEqual(await ids(manager, 'automobile'), []);
  assert.equal(await best(manager, 'red car'), 'mem_car');
  assert.equal((await manager.pageMemories('one', { text: 'automobile' })).semantic?.used, false);
  assert.equal((await manager.getMemory('one', 'mem_cat'))?.content.text, TEXTS.mem_cat);
}
