import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { MemoryManager } from '../src/index.ts';
import { SynonymEmbedder } from '../src/testing/index.ts';
import { sized, startProcess, temporaryFolder } from './campaign.ts';

/** Vectors with real processes: several at once, and killed in the middle. */
const MEMORIES = 3_000;

async function fill(root: string): Promise<void> {
  await using manager = new MemoryManager({ storageRoot: root });
  await manager.createSession('ada', { session_id: 's1' });
  await manager.addMemories(
    's1',
    Array.from({ length: MEMORIES }, (_, i) => ({
      type: 'finding' as const,
      content: { text: `fact w${i}` },
    })),
  );
}

function linesOf(path: string): string[] {
  return existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1) : [];
}

/** All memories have a vector, and the vectors are theirs: a word of another list finds its one memory. */
async function expectWhole(root: string): Promise<void> {
  const numbers = [0, 7, MEMORIES >> 1, MEMORIES - 1];
  const embedder = new SynonymEmbedder({ synonyms: numbers.map((i) => [`w${i}`, `meant${i}`]) });
  await using manager = new MemoryManager({ storageRoot: root, embedder });
  expect(await manager.embedMemories('ada')).toMatchObject({ embedded: 0 });
  for (const i of numbers) {
    const { memories, semantic } = await manager.pageMemories('s1', { text: `meant${i}`, limit: 1 });
    expect(semantic).toEqual({ used: true });
    expect(memories[0]!.content.text).toBe(`fact w${i}`);
  }
}

describe('vectors and processes', () => {
  it('are made once by three that start together', async () => {
    const root = join(temporaryFolder(false), 'store');
    const asked = join(temporaryFolder(false), 'asked');
    await fill(root);
    const task = { root, userId: 'ada', asked, pauseMs: 1 };
    const workers = Array.from({ length: 3 }, () => startProcess('embedding-worker.ts', task));
    for (const { ended } of workers) expect(await ended).toMatchObject({ code: 0 });
    const texts = linesOf(asked);
    expect(texts).toHaveLength(MEMORIES);
    expect(new Set(texts).size).toBe(MEMORIES);
    await expectWhole(root);
  });

  it('are whole after any number of kills, and little is made twice', async () => {
    const kills = sized(8, 200);
    const root = join(temporaryFolder(false), 'store');
    const asked = join(temporaryFolder(false), 'asked');
    await fill(root);
    const task = { root, userId: 'ada', asked, pauseMs: 1 };
    for (let kill = 0; kill < kills; kill++) {
      const worker = startProcess('embedding-worker.ts', task);
      const before = linesOf(asked).length;
      // After so many texts: in the middle of a block, or while one is written.
      const enough = before + 100 + ((kill * 397) % 1_200);
      let isOver = false;
      void worker.ended.then(() => {
        isOver = true;
      });
      while (!isOver && linesOf(asked).length < enough)
        await new Promise((resolve) => setTimeout(resolve, 2));
      worker.child.kill('SIGKILL');
      await worker.ended;
    }
    expect(await startProcess('embedding-worker.ts', task).ended).toMatchObject({ code: 0 });
    // Each kill costs one unwritten block at most.
    expect(linesOf(asked).length).toBeLessThanOrEqual(MEMORIES + kills * 1_040);
    await expectWhole(root);
  });
});
