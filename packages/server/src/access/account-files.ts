import { randomBytes } from 'node:crypto';
import {
  appendFileSync,
  closeSync,
  linkSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { IOError } from 'longhand';
import { makePrivateFolder } from '../private-folder.ts';
import type { AccountStore, Member, MemberChange, Role } from './account-store.ts';
import { ACCESS_LEVELS, type StoredKey } from './api-key.ts';

/**
 * API keys and members in one file of a folder. The file is a log like all others here: a line for each change, appended
 * with one write, so that several processes may do it. A line that a crash has cut short is closed off by the next one, and
 * every line is read back before it counts. A process compares the file's size with the one that it has read.
 *
 * A change that would leave the account without an admin has no effect when the file is read: of two processes that each
 * take one of the last two admins away, both agree on which change counts.
 */
export const KEYS_FILE = 'api-keys.jsonl';
/** Files of this ending are not searched by a check of what is erased: a search must not spell a secret out. */
export const DIGESTS_FILE = 'api-keys.secret';
const SECRET_FILE = 'session.secret';
const SECRET_BYTES = 32;
const NEWLINE = 0x0a;
/** A key that is in use adds a line at most this often. */
const USE_INTERVAL_MS = 24 * 3_600_000;

interface State {
  readonly keys: Map<string, StoredKey>;
  readonly members: Map<string, Member>;
  readonly removed: Set<string>;
}

export class AccountFiles implements AccountStore {
  readonly #folder: string;
  #state: State = stateOf('');
  #seenBytes = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The digest first: a key counts when both lines are whole. */
  async addKey({ sha256, ...key }: StoredKey): Promise<void> {
    this.#append({ record: 'digest', id: key.id, sha256 }, DIGESTS_FILE);
    this.#append({ record: 'key', ...key });
    if (!this.#state.keys.has(key.id)) throw notKept();
  }

  async listKeys(): Promise<readonly StoredKey[]> {
    return [...this.#look().keys.values()];
  }

  async findKey(id: string): Promise<StoredKey | undefined> {
    return this.#look().keys.get(id);
  }

  async revokeKey(id: string, at: string): Promise<boolean> {
    if (!this.#look().keys.has(id)) return false;
    this.#append({ record: 'revoked', id, revoked_at: at });
    if ((this.#state.keys.get(id)?.revoked_at ?? null) === null) throw notKept();
    return true;
  }

  async noteUse(id: string, at: string): Promise<void> {
    const last = this.#look().keys.get(id)?.last_used_at;
    if (typeof last === 'string' && Date.parse(at) - Date.parse(last) < USE_INTERVAL_MS) return;
    this.#append({ record: 'used', id, last_used_at: at });
  }

  async listMembers(): Promise<readonly Member[]> {
    return [...this.#look().members.values()].sort((a, b) => (a.user_id < b.user_id ? -1 : 1));
  }

  async listRemoved(): Promise<readonly string[]> {
    return [...this.#look().removed];
  }

  async findMember(userId: string): Promise<Role | 'removed' | undefined> {
    const { members, removed } = this.#look();
    return members.get(userId)?.role ?? (removed.has(userId) ? 'removed' : undefined);
  }

  async setMember(userId: string, role: Role, at: string): Promise<MemberChange> {
    if (this.#look().members.get(userId)?.role === role) return 'done';
    this.#append({ record: 'member', user_id: userId, role, created_at: at });
    const now = this.#state.members.get(userId)?.role;
    if (now === role) return 'done';
    if (now === 'admin') return 'last_admin';
    throw notKept();
  }

  async removeMember(userId: string, at: string): Promise<MemberChange> {
    if (!this.#look().members.has(userId)) return 'missing';
    this.#append({ record: 'member-removed', user_id: userId, removed_at: at });
    const left = this.#state.members.get(userId);
    if (left === undefined) return 'done';
    if (left.role === 'admin') return 'last_admin';
    throw notKept();
  }

  /** Written whole under another name first: a reader never sees a part, and the first name that is linked stays. */
  async secret(): Promise<Uint8Array> {
    makePrivateFolder(this.#folder);
    const path = join(this.#folder, SECRET_FILE);
    if (statSync(path, { throwIfNoEntry: false }) === undefined) {
      const draft = join(this.#folder, `${randomBytes(6).toString('hex')}.${SECRET_FILE}`);
      writeFileSync(draft, randomBytes(SECRET_BYTES).toString('hex'), { mode: 0o600, flush: true });
      try {
        linkSync(draft, path);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      } finally {
        rmSync(draft);
      }
    }
    const secret = await this.findSecret();
    if (secret?.byteLength === SECRET_BYTES) return secret;
    throw new IOError(
      'IO_FAILED',
      `${path} holds no secret of ${SECRET_BYTES} bytes. Remove it; everyone who is signed in signs in again.`,
    );
  }

  async findSecret(): Promise<Uint8Array | undefined> {
    const text = this.#read(SECRET_FILE);
    return text === '' ? undefined : Buffer.from(text.trim(), 'hex');
  }

  async removeSecret(): Promise<void> {
    rmSync(join(this.#folder, SECRET_FILE), { force: true });
  }

  #append(record: object, file = KEYS_FILE): void {
    makePrivateFolder(this.#folder);
    const path = join(this.#folder, file);
    const start = isLastLineOpen(path) ? '\n' : '';
    appendFileSync(path, `${start}${JSON.stringify(record)}\n`, { mode: 0o600, flush: true });
    this.#look();
  }

  #look(): State {
    const bytes = statSync(join(this.#folder, KEYS_FILE), { throwIfNoEntry: false })?.size ?? 0;
    if (bytes !== this.#seenBytes) {
      this.#state = stateOf(this.#read(KEYS_FILE), this.#read(DIGESTS_FILE));
      this.#seenBytes = bytes;
    }
    return this.#state;
  }

  /** Empty when it is not there. */
  #read(file: string): string {
    const path = join(this.#folder, file);
    return statSync(path, { throwIfNoEntry: false }) === undefined ? '' : readFileSync(path, 'utf8');
  }
}

function stateOf(text: string, digests = ''): State {
  const state: State = { keys: new Map(), members: new Map(), removed: new Set() };
  const recordsIn = (lines: string): Fields[] =>
    lines.split('\n').flatMap<Fields>((line) => parseLine(line) ?? []);
  const digestOf = new Map(
    recordsIn(digests)
      .filter(isDigest)
      .map(({ id, sha256 }) => [id, sha256]),
  );
  for (const record of recordsIn(text)) take(state, { sha256: digestOf.get(String(record.id)), ...record });
  return state;
}

function take(state: State, record: Fields): void {
  const { keys, members, removed } = state;
  if (isKey(record) && isDigest(record)) keys.set(record.id, keyOf(record));
  const key = keys.get(String(record.id));
  // Whatever else is wrong with it: in doubt a key is dead.
  if (record.record === 'revoked' && key !== undefined)
    keys.set(key.id, { ...key, revoked_at: String(record.revoked_at ?? '') });
  if (isUse(record) && key !== undefined) keys.set(key.id, { ...key, last_used_at: record.last_used_at });
  if (!isMember(record) && !isRemoval(record)) return;
  const { user_id } = record;
  const before = members.get(user_id);
  const admins = [...members.values()].filter(({ role }) => role === 'admin').length;
  const isLastAdmin = before?.role === 'admin' && admins === 1;
  if (isLastAdmin && record.role !== 'admin') return;
  if (isMember(record)) {
    members.set(user_id, { user_id, role: record.role, created_at: before?.created_at ?? record.created_at });
    removed.delete(user_id);
  } else if (members.delete(user_id)) removed.add(user_id);
}

/**
 * What is wrong with a whole line, for a check of the file; `undefined` when nothing is. One that is no JSON was cut short
 * by a crash, and closed off by the next writer.
 */
export function problemOfKeyLine(line: string): 'torn' | 'schema' | undefined {
  const record = parseLine(line);
  if (record === undefined) return 'torn';
  const isRevocation = record.record === 'revoked' && isText(record.id) && isText(record.revoked_at);
  const isSound =
    isDigest(record) ||
    isKey(record) ||
    isRevocation ||
    isUse(record) ||
    isMember(record) ||
    isRemoval(record);
  return isSound ? undefined : 'schema';
}

type Fields = Readonly<Record<string, unknown>>;

/** A line that a crash has cut short was never acknowledged: it opens no door. */
function parseLine(line: string): Fields | undefined {
  if (line === '') return undefined;
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? (value as Fields) : {};
  } catch {
    return undefined;
  }
}

/** What is no whole key opens no door, and keeps no other key from opening one. */
function isKey(fields: Fields): fields is Fields & Omit<StoredKey, 'sha256'> {
  const { record, id, label, access, user_id, agent_id, created_at, expires_at, revoked_at, sha256 } = fields;
  return (
    record === 'key' &&
    [id, label, created_at].every(isText) &&
    [user_id, agent_id, expires_at, revoked_at].every((field) => field === null || isText(field)) &&
    (ACCESS_LEVELS as readonly unknown[]).includes(access) &&
    (sha256 === undefined || isDigest(fields))
  );
}

/** Lines of keys that earlier versions wrote hold the digest themselves. */
function isDigest(fields: Fields): fields is Fields & Pick<StoredKey, 'id' | 'sha256'> {
  const { record, id, sha256 } = fields;
  return (
    (record === 'digest' || record === 'key') && isText(id) && isText(sha256) && /^[\da-f]{64}$/.test(sha256)
  );
}

/** Lines of earlier versions do not record uses. */
function keyOf({ record: _record, ...key }: Fields & StoredKey): StoredKey {
  return { ...key, last_used_at: key.last_used_at ?? null };
}

function isUse(fields: Fields): fields is Fields & { readonly id: string; readonly last_used_at: string } {
  return fields.record === 'used' && isText(fields.id) && isText(fields.last_used_at);
}

function isMember(fields: Fields): fields is Fields & Member {
  const { record, user_id, role, created_at } = fields;
  return (
    record === 'member' && isText(user_id) && (role === 'member' || role === 'admin') && isText(created_at)
  );
}

function isRemoval(fields: Fields): fields is Fields & { readonly user_id: string } {
  return fields.record === 'member-removed' && isText(fields.user_id) && isText(fields.removed_at);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

/** Whether the file's last line has no end: what is appended would become a part of it. */
function isLastLineOpen(path: string): boolean {
  const bytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (bytes === 0) return false;
  const file = openSync(path, 'r');
  try {
    const last = Buffer.alloc(1);
    readSync(file, last, 0, 1, bytes - 1);
    return last[0] !== NEWLINE;
  } finally {
    closeSync(file);
  }
}

function notKept(): IOError {
  return new IOError('IO_FAILED', 'The file of API keys did not keep the change. Try again.');
}
