import type { StoredKey } from './api-key.ts';

/** `admin`: looks after the account. A user who was removed stays known, so that an old token does not bring them back. */
export type Role = 'member' | 'admin';

export interface Member {
  readonly user_id: string;
  readonly role: Role;
  readonly created_at: string;
}

/** What became of a change of members. */
export type MemberChange = 'done' | 'missing' | 'last_admin';

/**
 * Who may call the servers of one account: API keys, members and the secret that sessions are signed with. In a folder for
 * files, in tables for Postgres; all servers of the account see the same. Answers are as of now: a cache is the reader's.
 */
export interface AccountStore {
  /** @throws IOError IO_FAILED when it is not kept */
  addKey(key: StoredKey): Promise<void>;
  /** Oldest first, revoked and expired ones too. */
  listKeys(): Promise<readonly StoredKey[]>;
  findKey(id: string): Promise<StoredKey | undefined>;
  /** False when there is no such key. @throws IOError IO_FAILED when it is not kept */
  revokeKey(id: string, at: string): Promise<boolean>;
  /** A key was used. */
  noteUse(id: string, at: string): Promise<void>;

  /** By user id. */
  listMembers(): Promise<readonly Member[]>;
  /** The users who were members and were removed. */
  listRemoved(): Promise<readonly string[]>;
  /** `removed`: was a member. `undefined`: never was one. */
  findMember(userId: string): Promise<Role | 'removed' | undefined>;
  /** Adds a member, or gives one another role. The last admin stays one. */
  setMember(userId: string, role: Role, at: string): Promise<MemberChange>;
  removeMember(userId: string, at: string): Promise<MemberChange>;

  /** Of this account alone, and the same for all its servers; made by the first that asks. */
  secret(): Promise<Uint8Array>;
  /** The same, where there is one. */
  findSecret(): Promise<Uint8Array | undefined>;
  /** What was signed with it no longer counts. */
  removeSecret(): Promise<void>;
}
