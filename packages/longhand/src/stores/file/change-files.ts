import { join } from 'node:path';
import type { Clock } from '../../core/clock.ts';
import { IOError } from '../../core/errors.ts';
import type { Emit } from '../../core/events.ts';
import { isSessionId, parseName } from '../../core/ids.ts';
import { decodeLog, START } from '../../core/log-decoder.ts';
import { METADATA_DOCUMENT, parseOwner } from '../../core/owner-in-metadata.ts';
import { parseJson } from '../../core/parse-json.ts';
import type { SessionRecord } from '../../core/records.ts';
import { describeLog, type LogAddress } from '../../core/store.ts';
import { readFrom } from './append-whole.ts';
import { ChangeFile } from './change-file.ts';
import { guarded, guardedAsync, reasonOf } from './failures.ts';
import { type FileSystem, listIfThere, O_RDONLY } from './file-system.ts';
import type { LogPaths } from './log-paths.ts';
import { readText } from './sidecar-files.ts';
import { ROOT } from './storage-root.ts';
import { tightenAll } from './tighten.ts';

/** Change files cost a descriptor each; the one used longest ago is closed beyond this. */
const MAX_OPEN_CHANGE_FILES = 64;
/** Replacing a change file takes a millisecond, so waiting for another process that does it is short. */
const MAX_DROP_TRIES = 200;
const DROP_PAUSE_MS = 5;

interface ChangeFilesContext {
  readonly fileSystem: FileSystem;
  readonly paths: LogPaths;
  readonly clock: Clock;
  readonly emit: Emit;
  /** Of all users, without those that need no look. */
  readonly listSessions: (besides?: ReadonlySet<string>) => readonly string[];
  readonly hasSession: (sessionId: string) => boolean;
}

/** Logs whose beginnings are read in one go: some milliseconds. */
const LOGS_AT_A_TIME = 64;
/** How long a look at a log serves, when file after file is found missing. */
const LOOK_LIFE_MS = 60_000;
/** A folder without others in it has this many names, where the file system counts them at all. */
const LINKS_OF_EMPTY_FOLDER = 2;
const NO_FOLDER = { links: 0 };

interface LookAtLogs {
  /** Of all that is in it. */
  readonly sinceMs: number;
  readonly owners: Map<string, string>;
  readonly byOwner: ReadonlyMap<string, readonly string[]>;
}

/** The change files that this process has open, each once. */
export class ChangeFiles {
  readonly #context: ChangeFilesContext;
  readonly #open = new Map<string, ChangeFile>();
  #lastLook: LookAtLogs | undefined;

  constructor(context: ChangeFilesContext) {
    this.#context = context;
  }

  of(userId: string): ChangeFile {
    const present = this.#open.get(userId);
    if (present !== undefined) return present;
    for (const [oldest, changes] of this.#open) {
      if (this.#open.size < MAX_OPEN_CHANGE_FILES) break;
      changes.close();
      this.#open.delete(oldest);
    }
    const { fileSystem, paths, clock, emit } = this.#context;
    tightenAll(fileSystem, paths.userOf(userId), emit);
    const ofUser = (areSomeLost: boolean): readonly string[] =>
      this.#sessionsByOwner(areSomeLost).get(userId) ?? [];
    const there = { ofUser, has: this.#context.hasSession };
    const changes = new ChangeFile(fileSystem, paths.root, userId, clock, there);
    this.#open.set(userId, changes);
    return changes;
  }

  /**
   * Names the sessions of all users again when no user's folder is left: a person took them for derived files, or restored
   * only the sessions.
   */
  makeAgainIfLost(): void {
    const { fileSystem, paths, emit } = this.#context;
    const users = join(paths.root, 'users');
    const { links } = fileSystem.stat(users) ?? NO_FOLDER;
    if (links > LINKS_OF_EMPTY_FOLDER || listIfThere(fileSystem, users).length > 0) return;
    for (const [userId, sessionIds] of this.#sessionsByOwner(true)) {
      try {
        this.of(userId).nameAll(sessionIds);
      } catch (error) {
        // The other users' sessions are named all the same, and these at the next request for them.
        emit({ kind: 'io-failed', log: users, operation: 'note', reason: reasonOf(error) });
      }
    }
  }

  /** Names a user's sessions that the change file lacks, and returns them. Other work gets its turn in between. */
  async adoptSessions(
    userId: string,
    onProgress?: (done: number, total: number) => void,
  ): Promise<readonly string[]> {
    const { fileSystem, paths, listSessions } = this.#context;
    const others = listSessions(new Set(this.of(userId).sessionIds()));
    const taken: string[] = [];
    for (let at = 0; at < others.length; at += LOGS_AT_A_TIME) {
      const some = others.slice(at, at + LOGS_AT_A_TIME);
      const theirs = sessionsByOwner(fileSystem, paths, some).get(userId) ?? [];
      this.of(userId).nameAll(theirs);
      taken.push(...theirs);
      onProgress?.(at + some.length, others.length);
      await new Promise((resolve) => setImmediate(resolve));
    }
    return taken.sort();
  }

  /** @param isListedAgain names may be lost of sessions that were made since the last look */
  #sessionsByOwner(isListedAgain: boolean): ReadonlyMap<string, readonly string[]> {
    const { fileSystem, paths, listSessions, clock } = this.#context;
    const now = clock.monotonic();
    const last = this.#lastLook;
    const isUsable = last !== undefined && now - last.sinceMs <= LOOK_LIFE_MS;
    if (isUsable && !isListedAgain) return last.byOwner;
    const owners = isUsable ? last.owners : new Map<string, string>();
    const byOwner = sessionsByOwner(fileSystem, paths, listSessions(), owners);
    this.#lastLook = { sinceMs: isUsable ? last.sinceMs : now, owners, byOwner };
    return byOwner;
  }

  /** For a log that should be noted already: a failure is reported as an event, and the caller goes on. */
  async noteQuietly(log: LogAddress, userId: string): Promise<void> {
    try {
      const changes = this.of(userId);
      if (changes.note(log.id)) await changes.noteOnDisk(log.id);
    } catch (error) {
      const reason = reasonOf(error);
      this.#context.emit({ kind: 'io-failed', log: describeLog(log), operation: 'note', reason });
    }
  }

  /**
   * Takes the names of removed sessions out of the user's change file, which makes its readers look at all.
   * @throws IOError IO_FAILED when other processes keep replacing the file
   */
  async drop(userId: string): Promise<void> {
    const tryDrop = (): boolean => this.of(userId).tryDrop(this.#context.hasSession);
    for (let tries = 0; tries < MAX_DROP_TRIES; tries++) {
      if (guarded(ROOT, 'note a removal at', tryDrop)) {
        await guardedAsync(ROOT, 'note a removal at', () => this.of(userId).bringToDisk());
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, DROP_PAUSE_MS));
    }
    throw new IOError(
      'IO_FAILED',
      'A session was removed, but its name could not be taken out of the change file of its user. ' +
        'It goes when the next session of the user is removed.',
    );
  }

  /** Lets go of a user's file, which is about to be removed. */
  close(userId: string): void {
    this.#open.get(userId)?.close();
    this.#open.delete(userId);
  }

  closeAll(): void {
    for (const changes of this.#open.values()) changes.close();
    this.#open.clear();
  }
}

/** Nearly every first record ends within the first; settings may be large, and a damaged line may stand in front. */
const BEGINNING_BYTES = [4_096, 65_536];

/**
 * Whose sessions there are, as their logs tell: for the rare moment when the files that name them are gone. A session
 * that does not tell is left out.
 * @param known owners of sessions that need no look any more; those that are found are added
 */
function sessionsByOwner(
  fileSystem: FileSystem,
  paths: LogPaths,
  sessionIds: readonly string[],
  known = new Map<string, string>(),
): ReadonlyMap<string, readonly string[]> {
  const byOwner = new Map<string, string[]>();
  for (const id of sessionIds.filter(isSessionId)) {
    const owner = known.get(id) ?? ownerOf(fileSystem, paths, id);
    if (owner === undefined) continue;
    known.set(id, owner);
    const ids = byOwner.get(owner);
    if (ids === undefined) byOwner.set(owner, [id]);
    else ids.push(id);
  }
  return byOwner;
}

function ownerOf(fileSystem: FileSystem, paths: LogPaths, id: string): string | undefined {
  const log = { kind: 'session', id } as const;
  try {
    return (
      ownerInLog(fileSystem, paths.fileOf(log)) ??
      parseOwner(id, readText(fileSystem, paths.documentOf(log, METADATA_DOCUMENT)))?.user_id
    );
  } catch {
    // One that cannot be read, or went in this moment, is no reason to leave the others unnamed.
    return undefined;
  }
}

function ownerInLog(fileSystem: FileSystem, path: string): string | undefined {
  const fd = fileSystem.open(path, O_RDONLY);
  try {
    const { size } = fileSystem.fstat(fd);
    for (const most of BEGINNING_BYTES) {
      const owner = ownerIn(readFrom(fileSystem, fd, 0, Math.min(size, most)));
      if (owner !== undefined || size <= most) return owner;
    }
    return undefined;
  } finally {
    fileSystem.close(fd);
  }
}

function ownerIn(bytes: Buffer): string | undefined {
  for (const line of decodeLog(bytes, START, { check: 'light' }).lines) {
    if (line.memoryId !== undefined) continue;
    const { record, user_id } = parseJson(line.text) as Partial<SessionRecord>;
    if (record === 'session') return parseName(user_id, 'user id');
  }
  return undefined;
}
