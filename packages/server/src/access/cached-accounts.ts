import type { AccountStore, Member, MemberChange, Role } from './account-store.ts';
import type { StoredKey } from './api-key.ts';

/** Every request asks for its key: so long is an answer believed, and so long does a revoked key live in other processes. */
const BELIEVED_MS = 500;
const ANSWERS_IN_MEMORY = 10_000;

/** An account store that is asked for the same key, member or secret at most twice a second. What this process changes, it sees at once. */
export class CachedAccounts implements AccountStore {
  readonly #store: AccountStore;
  readonly #keys = new RecentAnswers<StoredKey | undefined>();
  readonly #members = new RecentAnswers<Role | 'removed' | undefined>();
  readonly #secret = new RecentAnswers<Uint8Array | undefined>();

  constructor(store: AccountStore) {
    this.#store = store;
  }

  findKey(id: string): Promise<StoredKey | undefined> {
    return this.#keys.get(id, () => this.#store.findKey(id));
  }

  findMember(userId: string): Promise<Role | 'removed' | undefined> {
    return this.#members.get(userId, () => this.#store.findMember(userId));
  }

  addKey(key: StoredKey): Promise<void> {
    return this.#keys.changing(key.id, () => this.#store.addKey(key));
  }

  revokeKey(id: string, at: string): Promise<boolean> {
    return this.#keys.changing(id, () => this.#store.revokeKey(id, at));
  }

  setMember(userId: string, role: Role, at: string): Promise<MemberChange> {
    return this.#members.changing(userId, () => this.#store.setMember(userId, role, at));
  }

  removeMember(userId: string, at: string): Promise<MemberChange> {
    return this.#members.changing(userId, () => this.#store.removeMember(userId, at));
  }

  listKeys(): Promise<readonly StoredKey[]> {
    return this.#store.listKeys();
  }

  noteUse(id: string, at: string): Promise<void> {
    return this.#store.noteUse(id, at);
  }

  listMembers(): Promise<readonly Member[]> {
    return this.#store.listMembers();
  }

  listRemoved(): Promise<readonly string[]> {
    return this.#store.listRemoved();
  }

  async secret(): Promise<Uint8Array> {
    return (await this.findSecret()) ?? this.#secret.changing('', () => this.#store.secret());
  }

  findSecret(): Promise<Uint8Array | undefined> {
    return this.#secret.get('', () => this.#store.findSecret());
  }

  removeSecret(): Promise<void> {
    return this.#secret.changing('', () => this.#store.removeSecret());
  }
}

class RecentAnswers<Value> {
  readonly #answers = new Map<string, { readonly atMs: number; readonly value: Promise<Value> }>();

  get(name: string, ask: () => Promise<Value>): Promise<Value> {
    const nowMs = performance.now();
    const known = this.#answers.get(name);
    if (known !== undefined && nowMs - known.atMs < BELIEVED_MS) return known.value;
    this.#answers.delete(name);
    const value = ask();
    const answer = { atMs: nowMs, value };
    this.#answers.set(name, answer);
    if (this.#answers.size > ANSWERS_IN_MEMORY) this.#answers.delete(this.#answers.keys().next().value!);
    // A store that could not be asked is asked again by the next request.
    value.catch(() => this.#answers.get(name) === answer && this.#answers.delete(name));
    return value;
  }

  /** An answer that was asked for before the change ended may be the old one. */
  async changing<Result>(name: string, change: () => Promise<Result>): Promise<Result> {
    try {
      return await change();
    } finally {
      this.#answers.delete(name);
    }
  }
}
