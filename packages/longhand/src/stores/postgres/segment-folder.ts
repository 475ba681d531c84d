import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { randomName } from '../../core/ids.ts';

/** Owners that were not asked for leave after this time: what another server has forgotten is gone from here by then. */
const MOST_IDLE_MS = 3_600_000;
const SWEEP_MS = 60_000;
const DIGEST_BYTES = 32;

/**
 * Copies of derived files on the disk of this machine, a folder for each owner, so that a server that has restarted need
 * not fetch them. Processes may share it. What is missing, damaged or cannot be written is fetched as if there were none.
 */
export class SegmentFolder {
  readonly #path: string;
  #nextSweepMs = 0;

  constructor(path: string) {
    this.#path = path;
  }

  /** The intact files of an owner, by their ids. */
  async read(owner: string): Promise<ReadonlyMap<string, Buffer>> {
    const folder = this.#folderOf(owner);
    const found = new Map<string, Buffer>();
    for (const id of await namesIn(folder)) {
      const content = await readFile(join(folder, id)).catch(() => Buffer.alloc(0));
      const bytes = content.subarray(0, Math.max(0, content.length - DIGEST_BYTES));
      if (digestOf(bytes).equals(content.subarray(bytes.length))) found.set(id, bytes);
    }
    const now = new Date();
    if (found.size > 0) await utimes(folder, now, now).catch(() => undefined);
    return found;
  }

  async write(owner: string, id: string, bytes: Buffer): Promise<void> {
    const [folder, draft] = [this.#folderOf(owner), join(this.#path, `draft-${randomName()}`)];
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await writeFile(draft, Buffer.concat([bytes, digestOf(bytes)]), { mode: 0o600 });
      await rename(draft, join(folder, id));
    } catch {
      await remove(draft);
    }
    await this.#sweep();
  }

  /** Removes the files of an owner that have no such id. */
  async keep(owner: string, ids: ReadonlySet<string>): Promise<void> {
    const folder = this.#folderOf(owner);
    for (const id of await namesIn(folder)) if (!ids.has(id)) await remove(join(folder, id));
  }

  async #sweep(): Promise<void> {
    const now = Date.now();
    if (now < this.#nextSweepMs) return;
    this.#nextSweepMs = now + SWEEP_MS;
    for (const path of (await namesIn(this.#path)).map((name) => join(this.#path, name))) {
      const usedMs = (await stat(path).catch(() => undefined))?.mtimeMs ?? now;
      if (now - usedMs > MOST_IDLE_MS) await remove(path);
    }
  }

  #folderOf(owner: string): string {
    return join(this.#path, createHash('sha256').update(owner).digest('hex'));
  }
}

function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => []);
}

function remove(path: string): Promise<void> {
  return rm(path, { recursive: true, force: true }).catch(() => undefined);
}

function digestOf(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest();
}
