import { type Durability, FileStore, MemoryManager } from '../../src/index.ts';
import { createNodeFileSystem } from '../../src/stores/file/file-system.ts';
import { loadKernelLocks } from '../../src/stores/file/kernel-locks.ts';
import { RECOVERY, WORK } from './kill-script.ts';
import { createKillSwitch, type Moment } from './kill-switch.ts';
import { readTask, report } from './report.ts';

/** Walks through a script and says which steps were acknowledged, until the chosen call kills it. */
export interface KilledTask {
  readonly root: string;
  readonly script: 'work' | 'recovery';
  readonly durability: Durability;
  /** 0 lets it live, and it then names all calls. */
  readonly killAt: number;
  readonly moment: Moment;
}

const { root, script, durability, killAt, moment } = readTask<KilledTask>();
const system = createNodeFileSystem(loadKernelLocks().locks);
const { fileSystem, calls } = createKillSwitch(system, killAt, moment);
// No sync by the clock: the calls and their order must be the same in every run.
const store = new FileStore({ root, fileSystem, durability, syncIntervalMs: 600_000 });
const manager = new MemoryManager({ store });
for (const step of script === 'work' ? WORK : RECOVERY) {
  await step.run(manager);
  report('acknowledged', step.name);
}
report('calls', calls.join(' '));
