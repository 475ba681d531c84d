import type { FileSystem } from '../stores/file/file-system.ts';
import { LockTable } from '../stores/file/lock-table.ts';
import { SimulatedFile } from './simulated-file.ts';
import { createSimulatedProcess } from './simulated-process.ts';
import { SimulatedTree } from './simulated-tree.ts';

/**
 * A disk in memory that remembers what was synced.
 *
 * `powerCut` gives the disk that is found afterwards. Bytes of a file are safe when a sync of that file that
 * began after they were written has ended; an entry of a folder is safe when a sync of that folder has.
 * Everything else may be there, be missing, or be there in part, and in any order: a write may arrive torn
 * at any byte while an earlier one is lost, a rename may be there without the file's bytes, a file's bytes
 * without its name. This is harsher than most file systems, and what is right here is right on them.
 *
 * Processes on one disk share its files and its locks; a killed one can do nothing any more, and its locks
 * are free. Symbolic links, owners and permissions are not simulated: everything belongs to this process.
 */

class SimulatedFolder {
  readonly kind = 'directory';
  readonly inode: number;
  readonly birthtimeMs: number;
  mode: number;

  constructor(inode: number, birthtimeMs: number, mode: number) {
    this.inode = inode;
    this.birthtimeMs = birthtimeMs;
    this.mode = mode;
  }
}

export type SimulatedNode = SimulatedFile | SimulatedFolder;

/** A file system that a test can end as if its process were killed. */
export interface SimulatedProcess extends FileSystem {
  kill(): void;
  /** What a failing sync may do: the system forgets what it could not write. */
  dropUnsynced(fd: number): void;
}

const ROOT_INODE = 1;

export class SimulatedDisk {
  readonly locks = new LockTable<object>();
  readonly #nodes: Map<number, SimulatedNode>;
  readonly #processes = new Set<SimulatedProcess>();
  #tree = new SimulatedTree();
  #lastInode: number;

  constructor() {
    this.#nodes = new Map([[ROOT_INODE, new SimulatedFolder(ROOT_INODE, Date.now(), 0o755)]]);
    this.#lastInode = ROOT_INODE;
  }

  get tree(): SimulatedTree {
    return this.#tree;
  }

  startProcess(): SimulatedProcess {
    const started = createSimulatedProcess(this);
    this.#processes.add(started);
    return started;
  }

  /** Ends every process, and gives the disk as it is found when the power is back. */
  powerCut(random: () => number): SimulatedDisk {
    for (const running of this.#processes) running.kill();
    return SimulatedDisk.#found(this, random);
  }

  static #found(before: SimulatedDisk, random: () => number): SimulatedDisk {
    const after = new SimulatedDisk();
    after.#tree = before.tree.afterPowerCut(random);
    after.#lastInode = before.#lastInode;
    for (const [inode, node] of before.#nodes) {
      after.#nodes.set(inode, node.kind === 'file' ? node.afterPowerCut(random) : node);
    }
    return after;
  }

  node(inode: number): SimulatedNode {
    return this.#nodes.get(inode)!;
  }

  makeFile(mode: number): SimulatedFile {
    const file = new SimulatedFile(++this.#lastInode, Date.now(), mode);
    this.#nodes.set(file.inode, file);
    return file;
  }

  makeFolder(mode: number): SimulatedFolder {
    const folder = new SimulatedFolder(++this.#lastInode, Date.now(), mode);
    this.#nodes.set(folder.inode, folder);
    return folder;
  }

  /** Follows a path from the root; `undefined` where it leads nowhere. */
  find(path: string): SimulatedNode | undefined {
    let node: SimulatedNode | undefined = this.node(ROOT_INODE);
    for (const name of namesOf(path)) {
      const inode: number | undefined =
        node?.kind === 'directory' ? this.tree.lookUp(node.inode, name) : undefined;
      node = inode === undefined ? undefined : this.node(inode);
    }
    return node;
  }

  /** The paths of all files, for tests that look for what should not be there. */
  paths(folder = ''): string[] {
    return this.tree.namesIn(this.find(folder)!.inode).flatMap((name) => {
      const path = `${folder}/${name}`;
      return this.find(path)!.kind === 'directory' ? this.paths(path) : path;
    });
  }
}

function namesOf(path: string): string[] {
  return path.split('/').filter((name) => name !== '');
}
