import { randomBytes } from 'node:crypto';
import { IOError } from 'longhand';
import type { PostgresCalls } from 'longhand/postgres';
import type { AccountStore, Member, MemberChange, Role } from './account-store.ts';
import type { StoredKey } from './api-key.ts';

const SECRET_BYTES = 32;

/** API keys and members in tables, which every server of the account asks. */
export class AccountTables implements AccountStore {
  readonly #calls: PostgresCalls;

  constructor(calls: PostgresCalls) {
    this.#calls = calls;
  }

  async addKey(key: StoredKey): Promise<void> {
    if (await this.#calls.value<boolean>('add_key', [JSON.stringify(key)])) return;
    throw new IOError('IO_FAILED', 'The database did not keep the API key. Try again.');
  }

  async listKeys(): Promise<readonly StoredKey[]> {
    return (await this.#calls.rows('find_keys', [null])).map(toKey);
  }

  async findKey(id: string): Promise<StoredKey | undefined> {
    return (await this.#calls.rows('find_keys', [id])).map(toKey)[0];
  }

  revokeKey(id: string, at: string): Promise<boolean> {
    return this.#calls.value('revoke_key', [id, at]);
  }

  async noteUse(id: string, at: string): Promise<void> {
    await this.#calls.rows('note_key_use', [id, at]);
  }

  async listMembers(): Promise<readonly Member[]> {
    const rows = await this.#calls.rows('find_members', [null]);
    const members = rows.filter(({ removed_at }) => removed_at === null);
    return members.map(({ user_id, role, created_at }) => ({ user_id, role, created_at: isoOf(created_at) }));
  }

  async listRemoved(): Promise<readonly string[]> {
    const rows = await this.#calls.rows('find_members', [null]);
    return rows.flatMap(({ user_id, removed_at }) => (removed_at === null ? [] : [user_id]));
  }

  async findMember(userId: string): Promise<Role | 'removed' | undefined> {
    const [row] = await this.#calls.rows('find_members', [userId]);
    return row && (row.removed_at === null ? row.role : 'removed');
  }

  setMember(userId: string, role: Role, at: string): Promise<MemberChange> {
    return this.#calls.value('set_member', [userId, role, at]);
  }

  removeMember(userId: string, at: string): Promise<MemberChange> {
    return this.#calls.value('set_member', [userId, null, at]);
  }

  secret(): Promise<Uint8Array> {
    return this.#calls.value('session_secret', [randomBytes(SECRET_BYTES)]);
  }

  async findSecret(): Promise<Uint8Array | undefined> {
    return (await this.#calls.value<Uint8Array | null>('session_secret', [null])) ?? undefined;
  }

  async removeSecret(): Promise<void> {
    await this.#calls.rows('remove_session_secret', []);
  }
}

function toKey({ account_id: _, key_id, role, digest, ...row }: Record<string, unknown>): StoredKey {
  const times = ['created_at', 'expires_at', 'revoked_at', 'last_used_at'];
  const inIso = times.map((name) => [name, row[name] === null ? null : isoOf(row[name])]);
  const sha256 = (digest as Buffer).toString('hex');
  return { ...row, id: key_id, access: role, sha256, ...Object.fromEntries(inIso) } as StoredKey;
}

/** The driver gives times as dates. */
function isoOf(time: unknown): string {
  return new Date(time as Date).toISOString();
}
