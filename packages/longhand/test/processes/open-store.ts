import { LonghandError, MemoryManager } from '../../src/index.ts';
import { readTask, report } from './report.ts';

/** Opens a store, perhaps as another user than the campaign's, and says how that went. */
export interface OpenTask {
  readonly root: string;
  /** The user to become; undefined stays who it is. */
  readonly userId?: number;
}

const { root, userId } = readTask<OpenTask>();
if (userId !== undefined) process.setuid!(userId);
try {
  await using manager = new MemoryManager({ storageRoot: root });
  const { id } = await manager.createSession('ada');
  await manager.addMemory(id, { type: 'finding', content: { text: 'x' } });
  report('opened');
} catch (error) {
  report(LonghandError.isInstance(error) ? error.code : String(error));
}
