import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { appendFileSync, closeSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { IOError } from 'longhand';
import { makePrivateFolder } from '../private-folder.ts';

/**
 * API keys: who may call a server that others can reach.
 *
 *     lh_k3v9…_hJ2…        `lh_`, the id of the key, its secret: 256 bits
 *
 * The file holds the SHA-256 of each secret, never the secret: it is shown once, when the key is made. Secrets are
 * random, so nothing slower than SHA-256 is needed. The file is a log like all others here: a line for a key that
 * was made, a line for one that was revoked, each appended with one write, so that several processes may do it. A
 * line that a crash has cut short is closed off by the next one, and every line is read back before it counts. A
 * process looks at the file's size at most every half a second, so a revoked key is dead everywhere within one.
 */
export type Access = 'read' | 'write' | 'admin';
const ACCESS_LEVELS = ['read', 'write', 'admin'] as const satisfies readonly Access[];

/** Whether what a key may do includes something. */
export function includesAccess(granted: Access, needed: Access): boolean {
  return ACCESS_LEVELS.indexOf(granted) >= ACCESS_LEVELS.indexOf(needed);
}

/** For whom a key speaks. */
export interface KeyBinding {
  /** Speaks for this user only. `null`: for whichever user each request names. */
  readonly user_id: string | null;
  /** Speaks as this agent only. `null`: for the account. */
  readonly agent_id: string | null;
}

/** Whoever is bound to nobody may look after all keys. */
export const UNBOUND: KeyBinding = { user_id: null, agent_id: null };

/** Whether a binding reaches no further than another. */
export function isWithin(inner: KeyBinding, outer: KeyBinding): boolean {
  return (
    (outer.user_id === null || inner.user_id === outer.user_id) &&
    (outer.agent_id === null || inner.agent_id === outer.agent_id)
  );
}

interface ApiKey extends KeyBinding {
  readonly id: string;
  /** For people. */
  readonly label: string;
  readonly access: Access;
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly revoked_at: string | null;
}

interface NewApiKey {
  readonly label: string;
  readonly access: Access;
  readonly user_id?: string | null;
  readonly agent_id?: string | null;
  /** ISO 8601; never when left out. */
  readonly expires_at?: string | null;
}

interface StoredKey extends ApiKey {
  readonly sha256: string;
}

/** In the folder that `ApiKeys` is given. */
export const KEYS_FILE = 'api-keys.jsonl';
const LOOK_INTERVAL_MS = 500;
const ID_BYTES = 9;
const SECRET_BYTES = 32;
const NEWLINE = 0x0a;
const TOKEN = /^lh_([A-Za-z0-9-]{12})_([A-Za-z0-9_-]{43})$/;

export class ApiKeys {
  readonly #folder: string;
  readonly #now: () => number;
  #keys = new Map<string, StoredKey>();
  #seenBytes = -1;
  #lookedAt = Number.NEGATIVE_INFINITY;

  constructor(folder: string, now: () => number = Date.now) {
    this.#folder = folder;
    this.#now = now;
  }

  /** Makes a key. The token is given this once. @throws IOError IO_FAILED when the file does not keep it */
  create({ label, access, user_id = null, agent_id = null, expires_at = null }: NewApiKey): {
    readonly key: ApiKey;
    readonly token: string;
  } {
    // No underscore, which ends the id in a token.
    const id = makeId();
    const secret = randomBytes(SECRET_BYTES).toString('base64url');
    const created_at = new Date(this.#now()).toISOString();
    const key = { id, label, access, user_id, agent_id, created_at, expires_at, revoked_at: null };
    this.#append({ record: 'key', ...key, sha256: digest(secret).toString('hex') });
    if (!this.#keys.has(id)) throw notKept();
    return { key, token: `lh_${id}_${secret}` };
  }

  /** Oldest first, revoked and expired ones too. */
  list(): readonly ApiKey[] {
    this.#look();
    return [...this.#keys.values()].map(({ sha256: _sha256, ...key }) => key);
  }

  /** False when there is no such key. @throws IOError IO_FAILED when the file does not keep it */
  revoke(id: string): boolean {
    this.#look();
    if (!this.#keys.has(id)) return false;
    this.#append({ record: 'revoked', id, revoked_at: new Date(this.#now()).toISOString() });
    if ((this.#keys.get(id)?.revoked_at ?? null) === null) throw notKept();
    return true;
  }

  /** Whether a key that was let in still counts. */
  isAlive(id: string): boolean {
    if (this.#now() - this.#lookedAt >= LOOK_INTERVAL_MS) this.#look();
    const found = this.#keys.get(id);
    return found !== undefined && this.#counts(found);
  }

  /** The key of a token; `undefined` when it is none, wrong, revoked or expired. */
  verify(token: string): ApiKey | undefined {
    const [, id = '', secret = ''] = TOKEN.exec(token) ?? [];
    if (this.#now() - this.#lookedAt >= LOOK_INTERVAL_MS) this.#look();
    const found = this.#keys.get(id);
    // An unknown id costs as much as a wrong secret.
    const expected = Buffer.from(found?.sha256 ?? digest('').toString('hex'), 'hex');
    const isRight = timingSafeEqual(digest(secret), expected) && found !== undefined && secret !== '';
    if (!isRight || !this.#counts(found)) return undefined;
    const { sha256: _sha256, ...key } = found;
    return key;
  }

  #counts({ revoked_at, expires_at }: StoredKey): boolean {
    return revoked_at === null && !(expires_at !== null && Date.parse(expires_at) <= this.#now());
  }

  get #path(): string {
    return join(this.#folder, KEYS_FILE);
  }

  #append(record: object): void {
    makePrivateFolder(this.#folder);
    const start = isLastLineOpen(this.#path) ? '\n' : '';
    appendFileSync(this.#path, `${start}${JSON.stringify(record)}\n`, { mode: 0o600, flush: true });
    this.#look();
  }

  #look(): void {
    this.#lookedAt = this.#now();
    const bytes = statSync(this.#path, { throwIfNoEntry: false })?.size ?? 0;
    if (bytes === this.#seenBytes) return;
    this.#keys = bytes === 0 ? new Map() : readKeys(readFileSync(this.#path, 'utf8'));
    this.#seenBytes = bytes;
  }
}

function readKeys(text: string): Map<string, StoredKey> {
  const keys = new Map<string, StoredKey>();
  for (const line of text.split('\n')) {
    const record = parseLine(line);
    if (isKey(record)) keys.set(record.id, withoutKind(record));
    // Whatever else is wrong with it: in doubt a key is dead.
    const revoked = record?.record === 'revoked' ? keys.get(String(record.id)) : undefined;
    if (revoked !== undefined)
      keys.set(revoked.id, { ...revoked, revoked_at: String(record!.revoked_at ?? '') });
  }
  return keys;
}

/**
 * What is wrong with a whole line, for whoever checks the file; `undefined` when nothing is. One that is no JSON was cut
 * short by a crash, and closed off by the next writer.
 */
export function problemOfKeyLine(line: string): 'torn' | 'schema' | undefined {
  const record = parseLine(line);
  if (record === undefined) return 'torn';
  const isRevocation = record.record === 'revoked' && isText(record.id) && isText(record.revoked_at);
  return isKey(record) || isRevocation ? undefined : 'schema';
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

/** What is no whole key opens no door, and keeps nobody from the others. */
function isKey(fields: Fields | undefined): fields is Fields & StoredKey {
  if (fields?.record !== 'key') return false;
  const { id, label, access, user_id, agent_id, created_at, expires_at, revoked_at, sha256 } = fields;
  return (
    [id, label, created_at].every(isText) &&
    [user_id, agent_id, expires_at, revoked_at].every((field) => field === null || isText(field)) &&
    (ACCESS_LEVELS as readonly unknown[]).includes(access) &&
    isText(sha256) &&
    /^[\da-f]{64}$/.test(sha256)
  );
}

function withoutKind({ record: _record, ...key }: Fields & StoredKey): StoredKey {
  return key;
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

function digest(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

/** Without a dash in front, which a command line would take for an option. */
function makeId(): string {
  for (;;) {
    const id = randomBytes(ID_BYTES).toString('base64url').replaceAll('_', '-');
    if (!id.startsWith('-')) return id;
  }
}
