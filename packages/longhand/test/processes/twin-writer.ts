import { FileStore, MemoryManager } from '../../src/index.ts';
import { createNodeFileSystem } from '../../src/stores/file/file-system.ts';
import { loadKernelLocks } from '../../src/stores/file/kernel-locks.ts';
import { createKillSwitch, type Moment } from './kill-switch.ts';
import { readTask, report } from './report.ts';
import { ADA, BOTH, CONFIG, CONTINUATION, LARGE, SESSION } from './twins.ts';

/**
 * Keeps a memory in a continuation, while another writer keeps the same one in the session itself: between this one's
 * look at all sessions and its write. Dies at the chosen call.
 */
export interface TwinTask {
  readonly root: string;
  /** 0 lets it live, and it then names all calls. */
  readonly killAt: number;
  readonly moment: Moment;
}

const { root, killAt, moment } = readTask<TwinTask>();
const { fileSystem, calls } = createKillSwitch(createNodeFileSystem(loadKernelLocks().locks), killAt, moment);
const store = new FileStore({ root, fileSystem, syncIntervalMs: 600_000 });
const manager = new MemoryManager({ store, config: CONFIG });
const memory = manager.as(ADA);
// The session has no room for it. From here on, this process goes on in the next one.
await memory.keepMemories(SESSION, [LARGE]);

const append = store.append.bind(store);
store.append = async (log, records, options) => {
  if (log.id === CONTINUATION && typeof records === 'function') {
    store.append = append;
    const other = new MemoryManager({ storageRoot: root, config: CONFIG });
    await other.as(ADA).keepMemories(SESSION, [BOTH]);
    await other.close();
    report('raced');
  }
  return append(log, records, options);
};
await memory.keepMemories(SESSION, [BOTH]);
report('calls', calls.join(' '));
