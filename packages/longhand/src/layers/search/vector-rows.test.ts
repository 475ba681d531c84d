import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../test/campaign.ts';
import { synonymTable } from '../../../test/synonym-table.ts';
import type { MemoryManagerOptions } from '../../manager-options.ts';
import { MemoryManager } from '../../memory-manager.ts';
import { WordVectors } from '../../recall/vectors/word-vectors.ts';
import { SynonymEmbedder } from '../../testing/synonym-embedder.ts';

const TABLE = synonymTable([
  ['car', 'automobile'],
  ['cat', 'feline'],
  ['tea', 'drink'],
  ['house', 'home'],
]);
const EARLY = { sealAtDocuments: 4, sealWhenBuilding: 8, mergeAtSegments: 3, maxMergedDocuments: 1_000 };
const WORDS = ['car', 'cat', 'tea', 'house', 'nothing'];

function open(root: string, options: MemoryManagerOptions = {}): MemoryManager {
  const readTable = async (): Promise<Uint8Array> => TABLE;
  return new MemoryManager({ storageRoot: root, readTable, indexLimits: EARLY, ...options });
}

/** Processes that make no word vectors of memories. */
const OTHERS: readonly [string, () => MemoryManagerOptions][] = [
  ['with `semantic: false`', () => ({ semantic: false })],
  ['without the table', () => ({ readTable: async () => undefined })],
  ['with an embedder', () => ({ embedder: new SynonymEmbedder() })],
  [
    'with an embedder and without the table',
    () => ({ embedder: new SynonymEmbedder(), readTable: async () => undefined }),
  ],
];

const indexFolder = (root: string): string => join(root, 'users', 'ada', 'index');
const rowFiles = (root: string): string[] =>
  readdirSync(indexFolder(root))
    .filter((name) => name.endsWith('.rows'))
    .map((name) => join(indexFolder(root), name));

async function filled(): Promise<string> {
  const root = temporaryFolder();
  await using manager = open(root);
  await manager.createSession('ada', { session_id: 'one' });
  for (let number = 0; number < 25; number++) {
    const text = `the ${WORDS[number % WORDS.length]} of memory ${number}`;
    await manager.addMemory('one', { id: `mem_${number}`, type: 'finding', content: { text } });
    await manager.queryMemories('one', { text: 'automobile' });
  }
  return root;
}

async function answers(manager: MemoryManager): Promise<unknown[]> {
  const found = [];
  for (const text of ['automobile', 'feline at home', 'drink number 7'])
    found.push(await manager.queryMemories('one', { text, limit: 20, now: '2031-01-01T00:00:00Z' }));
  return found.map((page) => page.map(({ id, relevance, match }) => [id, relevance, match]));
}

/** The vector of a text, as files hold it. */
function rowOf(text: string): Buffer {
  const words = new WordVectors(TABLE);
  const row = new Int8Array(words.dimensions);
  words.read([text], row);
  return Buffer.from(row.buffer);
}

const HARM: Readonly<Record<string, (bytes: Buffer) => Buffer | undefined>> = {
  'cut short': (bytes) => bytes.subarray(0, bytes.length - 5),
  empty: () => Buffer.alloc(0),
  'of another version': (bytes) => Buffer.from(bytes.map((byte, at) => (at === 4 ? 9 : byte))),
  changed: (bytes) => Buffer.from(bytes.map((byte, at) => (at === 60 ? byte ^ 1 : byte))),
  missing: () => undefined,
};

describe('vectors beside segments', () => {
  test.each(Object.entries(HARM))('that are %s are made again, and the answers stay', async (_, harm) => {
    const root = await filled();
    const before = await (async () => {
      await using manager = open(root);
      return await answers(manager);
    })();
    const count = rowFiles(root).length;
    expect(count).toBeGreaterThan(0);
    for (const path of rowFiles(root)) {
      const bytes = harm(readFileSync(path));
      if (bytes === undefined) rmSync(path);
      else writeFileSync(path, bytes);
    }
    const manager = open(root);
    expect((await manager.verify()).damage.length).toBe(count);
    expect(await answers(manager)).toEqual(before);
    await manager.close();
    await using again = open(root);
    expect(await answers(again)).toEqual(before);
    expect((await again.verify()).damage).toEqual([]);
  });

  test.each(OTHERS)('go with the text, also when a process %s forgets it', async (_, options) => {
    const root = await filled();
    const row = rowOf('car and tea');
    const holders = (): string[] => rowFiles(root).filter((path) => readFileSync(path).includes(row));
    {
      await using manager = open(root);
      const content = { text: 'car and tea' };
      await manager.addMemory('one', { id: 'mem_secret', type: 'finding', content });
      for (let number = 0; number < 4; number++)
        await manager.addMemory('one', { type: 'finding', content: { text: `${number}` } });
      await manager.queryMemories('one', { text: 'automobile' });
    }
    expect(holders()).toHaveLength(1);
    const left = holders().map((path) => ({ path, bytes: readFileSync(path) }));
    {
      await using manager = open(root, options());
      await (await manager.layers()).privacy.forget({ session: 'one', ids: ['mem_secret'] });
    }
    expect(rowFiles(root).length).toBeGreaterThan(0);
    expect(holders()).toEqual([]);
    const check = async (each: MemoryManagerOptions): Promise<readonly string[]> => {
      await using manager = open(root, each);
      const { found, isErased, bytesScanned } = await (await manager.layers()).privacy.verifyErased([
        'car and',
      ]);
      expect(isErased).toBe(found.length === 0);
      expect(bytesScanned).toBeGreaterThan(
        rowFiles(root).reduce((sum, path) => sum + statSync(path).size, 0),
      );
      return found.map(({ place }) => join(root, place)).sort();
    };
    const isChecked = [...OTHERS.map(([, each]) => each()), {}];
    for (const each of isChecked) {
      const hasTable = each.readTable === undefined;
      // Without the table no vector can be told from another: none of them passes for erased.
      expect(await check(each)).toEqual(hasTable ? [] : rowFiles(root).sort());
    }
    for (const { path, bytes } of left) writeFileSync(path, bytes);
    for (const each of isChecked) expect(await check(each)).toEqual(expect.arrayContaining(holders()));
    expect(holders()).toHaveLength(1);
  });

  test('of a text of a megabyte are those of its beginning', async () => {
    const root = temporaryFolder();
    await using manager = open(root);
    await manager.createSession('ada', { session_id: 'one' });
    const content = { text: 'x'.repeat(900_000) };
    await manager.addMemory('one', { id: 'mem_letters', type: 'finding', content });
    await manager.addMemory('one', {
      id: 'mem_long',
      type: 'finding',
      content: { text: `${'car '.repeat(200_000)} cat` },
    });
    const found = await manager.queryMemories('one', { text: 'automobile' });
    expect(found.map(({ id }) => id)).toEqual(['mem_long']);
  });
});
