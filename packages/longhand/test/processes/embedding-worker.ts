import { appendFileSync } from 'node:fs';
import { MemoryManager } from '../../src/index.ts';
import { SynonymEmbedder } from '../../src/testing/index.ts';
import { readTask, report } from './report.ts';

/** A process that makes the vectors of a user until there is nothing left to make, and writes down what it asked. */
export interface EmbeddingTask {
  readonly root: string;
  readonly userId: string;
  /** A line for each text that is given to the embedder. */
  readonly asked: string;
  readonly pauseMs: number;
}

const { root, userId, asked, pauseMs } = readTask<EmbeddingTask>();
const embedder = new SynonymEmbedder({
  batchSize: 16,
  before: async (texts, { kind }) => {
    if (kind === 'query') return;
    for (const text of texts) appendFileSync(asked, `${JSON.stringify(text)}\n`);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  },
});
const manager = new MemoryManager({ storageRoot: root, embedder });
report('started');
for (;;) {
  const { isClaimed, embedded } = await manager.embedMemories(userId);
  report('embedded', embedded);
  if (!isClaimed) break;
  await new Promise((resolve) => setTimeout(resolve, 20));
}
await manager.close();
