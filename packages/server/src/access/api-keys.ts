import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { AccountStore } from './account-store.ts';
import type { Access, ApiKey, StoredKey } from './api-key.ts';

interface NewApiKey {
  readonly label: string;
  readonly access: Access;
  readonly user_id?: string | null;
  readonly agent_id?: string | null;
  /** ISO 8601; never when left out. */
  readonly expires_at?: string | null;
}

const ID_BYTES = 9;
const SECRET_BYTES = 32;
const TOKEN = /^lh_([A-Za-z0-9-]{12})_([A-Za-z0-9_-]{43})$/;
/** Of one key, in one process. */
const USE_INTERVAL_MS = 60_000;

/**
 * API keys: who may call a server that others can reach.
 *
 *     lh_k3v9…_hJ2…        `lh_`, the id of the key, its secret: 256 bits
 *
 * The store holds the SHA-256 of each secret, never the secret: it is shown once, when the key is made. Secrets are
 * random, so nothing slower than SHA-256 is needed. What the store said of a key is believed for half a second, so a
 * revoked key is dead everywhere within one.
 */
export class ApiKeys {
  readonly #store: AccountStore;
  readonly #now: () => number;
  readonly #usedAt = new Map<string, number>();

  constructor(store: AccountStore, now: () => number = Date.now) {
    this.#store = store;
    this.#now = now;
  }

  /** Makes a key. The token is given this once. @throws IOError IO_FAILED when the store does not keep it */
  async create({ label, access, user_id = null, agent_id = null, expires_at = null }: NewApiKey): Promise<{
    readonly key: ApiKey;
    readonly token: string;
  }> {
    const id = makeId();
    const secret = randomBytes(SECRET_BYTES).toString('base64url');
    const created_at = new Date(this.#now()).toISOString();
    const key = {
      id,
      label,
      access,
      user_id,
      agent_id,
      created_at,
      expires_at,
      revoked_at: null,
      last_used_at: null,
    };
    await this.#store.addKey({ ...key, sha256: digest(secret).toString('hex') });
    return { key, token: `lh_${id}_${secret}` };
  }

  /** Oldest first, revoked and expired ones too. */
  async list(): Promise<readonly ApiKey[]> {
    return (await this.#store.listKeys()).map(shown);
  }

  /** False when there is no such key. @throws IOError IO_FAILED when the store does not keep it */
  async revoke(id: string): Promise<boolean> {
    return this.#store.revokeKey(id, new Date(this.#now()).toISOString());
  }

  /** The key with this id, while it counts: it is neither revoked nor expired. */
  async alive(id: string): Promise<ApiKey | undefined> {
    const found = await this.#store.findKey(id);
    return found !== undefined && this.#counts(found) ? shown(found) : undefined;
  }

  /** The key of a token; `undefined` when the token is malformed, unknown, revoked or expired. */
  async verify(token: string): Promise<ApiKey | undefined> {
    const [, id, secret = ''] = TOKEN.exec(token) ?? [];
    if (id === undefined) return undefined;
    const found = await this.#store.findKey(id);
    // An unknown id costs as much as a wrong secret.
    const expected = Buffer.from(found?.sha256 ?? digest('').toString('hex'), 'hex');
    const isRight = timingSafeEqual(digest(secret), expected) && found !== undefined;
    if (!isRight || !this.#counts(found)) return undefined;
    this.#noteUse(id);
    return shown(found);
  }

  #counts({ revoked_at, expires_at }: StoredKey): boolean {
    return revoked_at === null && !(expires_at !== null && Date.parse(expires_at) <= this.#now());
  }

  /** The caller does not wait for it, and a store that cannot be written still lets callers in. */
  #noteUse(id: string): void {
    const nowMs = this.#now();
    if (nowMs - (this.#usedAt.get(id) ?? Number.NEGATIVE_INFINITY) < USE_INTERVAL_MS) return;
    this.#usedAt.set(id, nowMs);
    this.#store.noteUse(id, new Date(nowMs).toISOString()).catch(() => undefined);
  }
}

/** Whether a token is meant as an API key, and not as a JWT. */
export function looksLikeKey(token: string): boolean {
  return token.startsWith('lh_');
}

function shown({ sha256: _sha256, ...key }: StoredKey): ApiKey {
  return key;
}

function digest(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

/** Without an underscore, which ends the id in a token, and without a dash in front, which a command line takes for an option. */
function makeId(): string {
  for (;;) {
    const id = randomBytes(ID_BYTES).toString('base64url').replaceAll('_', '-');
    if (!id.startsWith('-')) return id;
  }
}
