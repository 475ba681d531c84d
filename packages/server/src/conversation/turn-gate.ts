import { createHash, randomUUID } from 'node:crypto';
import { closeSync, openSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ConcurrencyError, type ExternalScope, type KernelLocks, loadKernelLocks } from 'longhand';
import { makePrivateFolder } from '../private-folder.ts';
import { Notices } from './notices.ts';

/**
 * Keeps answers that are being made and forgettings apart, in all processes that share a store.
 *
 * An answer takes as long as a model does, and what it writes on the way may be what is forgotten meanwhile. So no write
 * of a turn and no forgetting that concerns it overlap, and a turn that began before a forgetting does not write after it.
 */
export interface TurnGate {
  /**
   * Waits until this process may make turns of the session, where only one may. @throws the signal's reason
   * @returns whether another one may have made them until now
   */
  enter(turn: TurnParties, signal?: AbortSignal): Promise<boolean>;
  leave(turn: TurnParties): void;

  /**
   * Runs what writes for a turn, when nothing that concerns it is being forgotten.
   * @param signal ends the waiting @throws its reason
   */
  write<Result>(turn: TurnParties, work: () => Promise<Result>, signal?: AbortSignal): Promise<Result>;

  /**
   * When it is done, no turn in the scope writes until the returned function is called. Turns of this process wait at once.
   * @throws ConcurrencyError LOCK_TIMEOUT when a write does not end, because its process is stopped
   */
  close(scope: ExternalScope): Promise<() => void>;

  /** Tells all turns in the scope that something was forgotten. */
  noteForgotten(scope: ExternalScope): void;

  /** Another text after each forgetting that concerns the turn; after each one when none is named. */
  forgettings(turn?: TurnParties): string;
}

/**
 * In a folder. Every write of a turn leaves a marker for as long as it lasts, and so does every forgetting:
 *
 * - A write leaves its marker and then looks for forgettings that concern it; if there is one it takes its marker back
 *   and waits. A forgetting leaves its marker and then waits for the writes that it finds. Whichever comes first, they
 *   never overlap.
 * - A forgetting that has ended changes a notice. A turn knows what the notice said when it began: when it says
 *   something else, what the turn has in hand may be what was forgotten, and it may not write any more.
 *
 * A marker is a file that its process has locked: one whose lock is free was left by a process that has ended.
 * Markers and notices hold no names. Several processes may make turns of one session.
 */
export class FolderGate implements TurnGate {
  readonly #notices: Notices;
  readonly #markers: string;
  readonly #locks: KernelLocks;
  readonly #own = new Set<string>();

  /** @param directory that of the spool */
  constructor(directory: string) {
    this.#notices = new Notices(directory, 'turns-');
    this.#markers = join(directory, 'turns');
    this.#locks = loadKernelLocks().locks;
    makePrivateFolder(this.#markers);
  }

  enter(): Promise<boolean> {
    return Promise.resolve(true);
  }

  leave(): void {
    // Any process may make turns.
  }

  async write<Result>(turn: TurnParties, work: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    const end = await this.#enter(turn, signal);
    try {
      return await work();
    } finally {
      end();
    }
  }

  async close(scope: ExternalScope): Promise<() => void> {
    const open = this.#leave(FORGETTING, nameOf(scope));
    try {
      await this.#writesEnded(scope);
      return open;
    } catch (error) {
      open();
      throw error;
    }
  }

  noteForgotten(scope: ExternalScope): void {
    this.#notices.leave(nameOf(scope));
  }

  forgettings(turn?: TurnParties): string {
    return this.#notices.latest(turn && namesOf(turn));
  }

  async #enter(turn: TurnParties, signal: AbortSignal | undefined): Promise<() => void> {
    const concerned = new Set(namesOf(turn));
    for (;;) {
      const end = this.#leave(WRITING, nameOf({ user: turn.user }));
      if (!this.#list(FORGETTING).some(({ name }) => concerned.has(name))) return end;
      end();
      await pause();
      signal?.throwIfAborted();
    }
  }

  async #writesEnded(scope: ExternalScope): Promise<void> {
    const endMs = performance.now() + WRITE_WAIT_MS;
    const isMeant = ({ name }: Marker): boolean => scope.user === undefined || name === nameOf(scope);
    const writes = this.#list(WRITING).filter(isMeant);
    for (;;) {
      const left = new Set(this.#list(WRITING).map(({ file }) => file));
      if (!writes.some(({ file }) => left.has(file))) return;
      if (performance.now() > endMs) {
        throw new ConcurrencyError(
          'LOCK_TIMEOUT',
          'An answer is being written that may hold what is to be forgotten. Nothing was forgotten. Try again.',
        );
      }
      await pause();
    }
  }

  /** Those whose processes live. */
  #list(kind: string): readonly Marker[] {
    return readdirSync(this.#markers).flatMap((file) => {
      const [of, name] = file.split('.');
      return of === kind && name !== undefined && !this.#isLeftBehind(file) ? [{ file, name }] : [];
    });
  }

  #leave(kind: string, name: string): () => void {
    const id = randomUUID();
    const draft = join(this.#markers, `${id}.new`);
    const file = `${kind}.${name}.${id}`;
    const fd = openSync(draft, 'ax+', 0o600);
    this.#locks.tryLock(fd, 0);
    this.#own.add(file);
    // It is locked before it gets its name, so no other process can take it for one that was left behind.
    renameSync(draft, join(this.#markers, file));
    return () => {
      rmSync(join(this.#markers, file), { force: true });
      this.#own.delete(file);
      this.#locks.closing?.(fd);
      closeSync(fd);
    };
  }

  #isLeftBehind(file: string): boolean {
    if (this.#own.has(file)) return false;
    const path = join(this.#markers, file);
    let fd: number;
    try {
      fd = openSync(path, 'r+');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return true;
      throw error;
    }
    const isFree = this.#locks.tryLock(fd, 0);
    if (isFree) rmSync(path, { force: true });
    this.#locks.closing?.(fd);
    closeSync(fd);
    return isFree;
  }
}

/** Whose turn it is, where, and all agents of its session: their memory is in its prompts. */
export interface TurnParties {
  readonly user: string;
  readonly session: string;
  readonly agents: readonly string[];
}

interface Marker {
  readonly file: string;
  readonly name: string;
}

const WRITING = 'writing';
const FORGETTING = 'forgetting';
const EVERYBODY = 'everybody';
const LOOK_MS = 10;
/** A write takes milliseconds; one that assembles a prompt may wait for locks and for an embedder. */
const WRITE_WAIT_MS = 30_000;

/** Whether a forgetting of this scope concerns a turn. */
export function isConcerned(turn: TurnParties, scope: ExternalScope): boolean {
  return namesOf(turn).includes(nameOf(scope));
}

/** Without what it names. What one session holds, the others of its user may have recalled: so a user, whenever that is known. */
export function nameOf({ user, session, agent }: ExternalScope): string {
  if (agent !== undefined) return `agent-${hash(agent)}`;
  if (user !== undefined) return `user-${hash(user)}`;
  return session === undefined ? EVERYBODY : `session-${hash(session)}`;
}

/** Of all forgettings that concern a turn. */
export function namesOf({ user, session, agents }: TurnParties): readonly string[] {
  return [nameOf({ user }), nameOf({ session }), ...agents.map((agent) => nameOf({ agent })), EVERYBODY];
}

function hash(name: string): string {
  return createHash('sha256').update(name).digest('hex').slice(0, 32);
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, LOOK_MS));
}
