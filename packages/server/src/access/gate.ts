import type { JwtSettings } from '../config/jwt-settings.ts';
import type { AccountStore } from './account-store.ts';
import type { Access, ApiKey, KeyBinding } from './api-key.ts';
import { ApiKeys, looksLikeKey } from './api-keys.ts';
import { JwtVerifier } from './jwt-verifier.ts';
import { claimedBy, csrfTokenOf, isSameToken, open, type Signer, sign } from './signed-token.ts';

/**
 * Finds out who calls: by an API key, a token of an identity provider, the session of a browser, or an archive ticket. What
 * a caller may do is asked of the store each time, so a revoked key, a member who was removed and a new role count at the
 * next request, whatever was handed out before.
 */
export interface Identity {
  /** For what is counted and kept per caller. */
  readonly id: string;
  readonly accountId: string;
  readonly access: Access;
  /** Whom the caller speaks as; `null`: as each request names. */
  readonly speaksAs: KeyBinding;
  /** What the caller looks after: an admin member speaks as themselves and looks after the account. */
  readonly reach: KeyBinding;
  readonly expiresAtMs: number | undefined;
  /** What a session or a ticket holds of it. */
  readonly grant: Grant;
}

/** Stays the same as long as the key or the token counts. */
type Grant = ({ readonly key: string } | { readonly sub: string; readonly until: number }) & {
  /** When it is not the server's own. */
  readonly account?: string;
};

interface StartedSession {
  readonly cookie: string;
  readonly csrfToken: string;
  readonly expiresAtMs: number;
}

export interface FoundSession {
  readonly identity: Identity;
  readonly csrfToken: string;
  readonly startedAtMs: number;
  readonly expiresAtMs: number;
}

interface ArchiveTicket {
  readonly user_id?: string;
  readonly agent_id?: string;
  readonly session_id: string;
}

interface SessionFields {
  readonly grant: Grant;
  readonly started: number;
  readonly exp: number;
}

interface TicketFields extends ArchiveTicket {
  readonly account: string;
  /** `null`: of a server that asks for no keys. */
  readonly grant: Grant | null;
  readonly exp: number;
}

interface GateOptions {
  readonly accountId: string;
  /** Left out: API keys alone. */
  readonly jwt?: JwtSettings;
  readonly sessionMinutes: number;
  readonly now?: () => number;
  /** The gates of other accounts that the server serves; `undefined` for those that it does not. */
  readonly other?: (accountId: string) => Gate | undefined;
  /** Of the server's own account. */
  readonly own?: Gate;
}

export const TICKET_MS = 15 * 60_000;
/** A session that is renewed again and again ends after this, and the person signs in again. */
const LONGEST_SESSION_MS = 12 * 3_600_000;

export class Gate {
  readonly keys: ApiKeys;
  readonly accounts: AccountStore;
  readonly accountId: string;
  readonly #jwt: JwtVerifier | undefined;
  readonly #admits: JwtSettings['admits'];
  readonly #sessionMs: number;
  readonly #now: () => number;
  readonly #other: GateOptions['other'];
  readonly #own: Gate | undefined;

  constructor(
    accounts: AccountStore,
    { accountId, jwt, sessionMinutes, now = () => Date.now(), other, own }: GateOptions,
  ) {
    this.accounts = accounts;
    this.accountId = accountId;
    this.keys = new ApiKeys(accounts, now);
    this.#jwt = jwt === undefined ? undefined : new JwtVerifier(jwt);
    this.#admits = jwt?.admits ?? 'account';
    this.#sessionMs = sessionMinutes * 60_000;
    this.#now = now;
    this.#other = other;
    this.#own = own;
  }

  /**
   * Who a bearer token speaks for; `undefined` when it does not count.
   * @param accountId of an API key, which does not say it; the server's own when left out
   */
  async byToken(token: string, accountId?: string): Promise<Identity | undefined> {
    if (looksLikeKey(token) || this.#jwt === undefined) {
      const gate = this.#of(accountId);
      const key = await gate?.keys.verify(token);
      return key && gate!.#ofKey(key);
    }
    const found = await this.#jwt.verify(token);
    const gate = found && this.#of(found.accountId);
    return gate === undefined ? undefined : gate.#ofUser(found!.userId, found!.expiresAtMs);
  }

  /** Whether a caller that was let in still counts, and for what. */
  async again({ grant }: Pick<Identity, 'grant'>): Promise<Identity | undefined> {
    const gate = this.#of(grant.account);
    return gate === undefined ? undefined : gate.#again(grant);
  }

  async #again(grant: Grant): Promise<Identity | undefined> {
    if ('sub' in grant) return grant.until > this.#now() ? this.#ofUser(grant.sub, grant.until) : undefined;
    const key = await this.keys.alive(grant.key);
    return key && this.#ofKey(key);
  }

  /** @param startedAtMs of a session that is renewed */
  async startSession({ grant, expiresAtMs }: Identity, startedAtMs = this.#now()): Promise<StartedSession> {
    const exp = Math.min(
      this.#now() + this.#sessionMs,
      startedAtMs + LONGEST_SESSION_MS,
      expiresAtMs ?? Number.POSITIVE_INFINITY,
    );
    const signer = await (this.#of(grant.account) ?? this).#signer();
    const cookie = sign(signer, 'session', { grant, started: startedAtMs, exp } satisfies SessionFields);
    return { cookie, csrfToken: csrfTokenOf(signer, cookie), expiresAtMs: exp };
  }

  async bySession(cookie: string): Promise<FoundSession | 'expired' | undefined> {
    const claimed = claimedBy(cookie) as Partial<SessionFields> | null | undefined;
    const signer = await this.#signerOf(claimed?.grant?.account);
    const fields = signer && (open(signer, 'session', cookie) as SessionFields | undefined);
    if (fields === undefined) return undefined;
    if (fields.exp <= this.#now()) return 'expired';
    const identity = await this.again(fields);
    if (identity === undefined) return undefined;
    const { started, exp } = fields;
    return { identity, csrfToken: csrfTokenOf(signer!, cookie), startedAtMs: started, expiresAtMs: exp };
  }

  isCsrfToken(given: string | null, { csrfToken }: FoundSession): boolean {
    return given !== null && isSameToken(given, csrfToken);
  }

  /** @param grant of the caller; `null` when the server asks for no keys */
  async makeTicket(
    ticket: ArchiveTicket,
    grant: Grant | null,
  ): Promise<{ ticket: string; expiresAtMs: number }> {
    const exp = this.#now() + TICKET_MS;
    const fields: TicketFields = { ...ticket, account: this.accountId, grant, exp };
    return { ticket: sign(await this.#signer(), 'archive', fields), expiresAtMs: exp };
  }

  /** What a ticket is for. @param needsGrant whether the server asks for keys */
  async openTicket(
    token: string,
    needsGrant: boolean,
  ): Promise<
    { readonly ticket: ArchiveTicket; readonly identity: Identity | undefined } | 'expired' | undefined
  > {
    const claimed = claimedBy(token) as Partial<TicketFields> | null | undefined;
    const signer = await this.#signerOf(claimed?.account);
    const fields = signer && (open(signer, 'archive', token) as TicketFields | undefined);
    const gate = fields && this.#of(fields.account);
    if (gate === undefined) return undefined;
    const { grant, exp, account: _account, ...ticket } = fields!;
    if (exp <= this.#now()) return 'expired';
    if (!needsGrant) return { ticket, identity: undefined };
    const identity = grant === null ? undefined : await gate.#again(grant);
    return identity === undefined || identity.access === 'read' ? undefined : { ticket, identity };
  }

  #of(accountId = this.accountId): Gate | undefined {
    return accountId === this.accountId ? this : this.#other?.(accountId);
  }

  async #signer(): Promise<Signer> {
    return { accountId: this.accountId, secret: await this.accounts.secret() };
  }

  /** Of whom a token says that they signed it: a caller who makes names up makes no secrets. */
  async #signerOf(accountId: unknown): Promise<Signer | undefined> {
    if (accountId !== undefined && typeof accountId !== 'string') return undefined;
    const gate = this.#of(accountId);
    const secret = await gate?.accounts.findSecret();
    return secret && { accountId: gate!.accountId, secret };
  }

  get #inGrant(): Pick<Grant, 'account'> {
    return this.#own === undefined ? {} : { account: this.accountId };
  }

  async #ofKey({ id, access, user_id, agent_id, expires_at }: ApiKey): Promise<Identity | undefined> {
    const role = user_id === null ? undefined : await this.accounts.findMember(user_id);
    if (role === 'removed') return undefined;
    const speaksAs = { user_id, agent_id };
    return {
      id,
      accountId: this.accountId,
      access,
      speaksAs,
      reach: role === 'admin' && access === 'admin' ? { user_id: null, agent_id } : speaksAs,
      expiresAtMs: expires_at === null ? undefined : Date.parse(expires_at),
      grant: { key: id, ...this.#inGrant },
    };
  }

  async #ofUser(userId: string, expiresAtMs: number): Promise<Identity | undefined> {
    const role = await this.accounts.findMember(userId);
    if (role === 'removed' || (role === undefined && this.#admits === 'members')) return undefined;
    const speaksAs = { user_id: userId, agent_id: null };
    const isAdmin = role === 'admin';
    return {
      // No key has such an id.
      id: `user ${userId}`,
      accountId: this.accountId,
      access: isAdmin ? 'admin' : 'write',
      speaksAs,
      reach: isAdmin ? { user_id: null, agent_id: null } : speaksAs,
      expiresAtMs,
      grant: { sub: userId, until: expiresAtMs, ...this.#inGrant },
    };
  }
}
