import { FileStore, MemoryManager } from '../../src/index.ts';
import { readTask, report } from './report.ts';

/** Begins to store a large value, and never comes to its end. */
export interface DetailWriterTask {
  readonly root: string;
  readonly sessionId: string;
  readonly text: string;
}

const { root, sessionId, text } = readTask<DetailWriterTask>();
const manager = new MemoryManager({ store: new FileStore({ root }) });
const { details } = await manager.layers();

async function* endless(): AsyncGenerator<Uint8Array, void> {
  yield Buffer.from(text);
  // Asked for the next piece: the first one is written.
  report('writing');
  await new Promise((resolve) => setTimeout(resolve, 600_000));
}

await details.store(sessionId, { content: endless() });
