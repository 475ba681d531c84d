import { isTimeZone, TIME_ZONE_FORMS } from 'longhand';
import type { FoundSession, Identity } from '../access/gate.ts';
import { LOCAL_DEFAULTS } from '../config/local-principal.ts';
import { type Caller, callerOf, LOCAL_RIGHTS, type Rights } from '../operations/access.ts';
import type { Services, UsedServices } from '../services.ts';
import { sessionCookie } from './browser-session.ts';
import { clientAddress, countedAs, trustedProxies } from './client-address.ts';
import { refuseOtherPages } from './origin-guard.ts';
import { RequestError } from './problem.ts';
import { RateLimit } from './rate-limit.ts';

/** Who asks over HTTP, and what they may do. */
export interface HttpCaller extends Caller {
  /** The id of the key, or the user of a token. */
  readonly keyId: string;
  /** Left out when the server asks for no keys. */
  readonly identity?: Identity;
  /** When a browser came with a session. */
  readonly session?: FoundSession;
  /** A ticket reaches this session alone. */
  readonly onlySession?: string;
  /** Of the caller's account. */
  readonly services: Services;
  /** The answer has been given. */
  readonly release: () => void;
  /** For what is kept per caller: the same for the same key, user and agent. */
  readonly name: () => string;
  /** Whether the caller would be let in again. */
  readonly isAlive: () => Promise<boolean>;
}

/**
 * On their own machine a person needs no account: every caller that reaches the server is the user `me` and may do
 * everything. Otherwise a key, a token or a session says who asks. A key without a user speaks for the user that the header
 * `longhand-user` names; a key with one speaks for no other. `longhand-agent` narrows to one agent.
 * `longhand-time-zone` says where the user's days begin and end.
 */
export class Callers {
  readonly #services: Services;
  readonly #isTrusted: (address: string) => boolean;
  readonly #requests: RateLimit;
  readonly #ofAddress: RateLimit;
  readonly #failedLogins: RateLimit;

  constructor(services: Services) {
    const { limits } = services.config;
    const shared = services.redis?.limits;
    this.#services = services;
    this.#isTrusted = trustedProxies(services.config.trustedProxies);
    this.#requests = new RateLimit('requests', limits.requestsPerMinute, shared);
    this.#ofAddress = new RateLimit('address', limits.requestsPerMinuteOfAddress, shared);
    this.#failedLogins = new RateLimit('failed-logins', limits.failedLoginsPerMinute, shared);
  }

  /** @throws RequestError UNAUTHORIZED, SESSION_EXPIRED, CSRF_REJECTED, FORBIDDEN, RATE_LIMITED, INVALID_REQUEST */
  async identify({ headers, method }: Request, connectedFrom: string): Promise<HttpCaller> {
    const address = this.#addressOf(headers, connectedFrom);
    const named = { user: nameIn(headers, 'longhand-user'), agent: nameIn(headers, 'longhand-agent') };
    const timeZone = timeZoneIn(headers);
    if (!this.#services.config.auth.enabled) {
      await this.#requests.take(address);
      return this.#local(named.user ?? LOCAL_DEFAULTS.user_id, named.agent, timeZone);
    }
    const token = bearerToken(headers);
    const cookie = token === undefined ? sessionCookie(headers) : undefined;
    const session = cookie === undefined ? undefined : await this.#sessionOf(cookie, headers, method);
    const account = nameIn(headers, 'longhand-account');
    const identity = token === undefined ? session?.identity : await this.#byToken(token, account);
    if (identity === undefined) throw await this.#stranger(address, token ?? cookie);
    await this.#count(identity, address);
    boundTo(identity.accountId, account, 'account');
    const { id, access, speaksAs, reach } = identity;
    const user = boundTo(speaksAs.user_id, named.user, 'user');
    const agent = boundTo(speaksAs.agent_id, named.agent, 'agent');
    const used = await this.#services.use(identity.accountId);
    const caller = this.#caller(used, id, { access, binding: reach, speaksAs }, user, agent, timeZone);
    return {
      ...caller,
      identity,
      ...(session === undefined ? {} : { session }),
      isAlive: async () => (await this.#services.gate.again(identity)) !== undefined,
    };
  }

  /** A caller with a ticket in the body, and nothing else. @throws RequestError TICKET_EXPIRED, TICKET_INVALID, RATE_LIMITED */
  async identifyByTicket(token: string, headers: Headers, connectedFrom: string): Promise<HttpCaller> {
    const address = this.#addressOf(headers, connectedFrom);
    const { gate, config } = this.#services;
    const found = await gate.openTicket(token, config.auth.enabled);
    if (found === 'expired') {
      await this.#requests.take(address);
      throw new RequestError(
        'TICKET_EXPIRED',
        'The ticket has expired. Get another from /api/archive_ticket.',
      );
    }
    if (found === undefined) {
      await this.#failedLogins.take(address);
      throw new RequestError(
        'TICKET_INVALID',
        'The ticket is not known here, or its key is no longer valid.',
      );
    }
    const { identity, ticket } = found;
    if (identity === undefined) await this.#requests.take(address);
    else await this.#count(identity, address);
    const { user_id, agent_id, session_id } = ticket;
    const binding = { user_id: user_id ?? null, agent_id: agent_id ?? null };
    const used = await this.#services.use(identity?.accountId ?? gate.accountId);
    const caller = this.#caller(
      used,
      identity?.id ?? 'local',
      { access: 'write', binding, speaksAs: binding },
      user_id,
      agent_id,
      undefined,
    );
    return { ...caller, onlySession: session_id };
  }

  /** For what needs no key: counts by the address. @throws RequestError RATE_LIMITED */
  countStranger(headers: Headers, connectedFrom: string): Promise<void> {
    return this.#requests.take(this.#addressOf(headers, connectedFrom));
  }

  async #byToken(token: string, account: string | undefined): Promise<Identity | undefined> {
    try {
      return await this.#services.gate.byToken(token, account);
    } catch (error) {
      const metadata = { reason: error instanceof Error ? error.name : 'unknown' };
      this.#services.logger.log('error', 'The keys for tokens could not be fetched', {
        component: 'Access',
        metadata,
      });
      throw new RequestError('UNAVAILABLE', 'Who you are cannot be checked at the moment. Try again.');
    }
  }

  /** A cookie is sent automatically: it proves that a person has signed in, not that our page sent the request. */
  async #sessionOf(cookie: string, headers: Headers, method: string): Promise<FoundSession | undefined> {
    refuseOtherPages(headers);
    const { gate } = this.#services;
    const found = await gate.bySession(cookie);
    if (found === 'expired')
      throw new RequestError(
        'SESSION_EXPIRED',
        'You have been signed out: the session is over. Sign in again.',
      );
    const isSafe = method === 'GET' || method === 'HEAD';
    if (found !== undefined && !isSafe && !gate.isCsrfToken(headers.get(CSRF_HEADER), found))
      throw new RequestError(
        'CSRF_REJECTED',
        `A request with a session needs the header ${CSRF_HEADER} with the csrf_token of /api/me.`,
      );
    return found;
  }

  /** @param given a token or cookie that does not count */
  async #stranger(address: string, given: string | undefined): Promise<RequestError> {
    // A caller that guesses keeps no other out: those with a key were found before.
    if (given !== undefined) await this.#failedLogins.take(address);
    // Without a key, the address is all there is to count by.
    await this.#requests.take(address);
    // The reason is not given: a caller that guesses must learn nothing about existing keys.
    const message =
      given === undefined
        ? 'This server needs an API key: Authorization: Bearer lh_…'
        : 'The API key is not known here, or no longer: it may have been revoked or have expired.';
    return new RequestError('UNAUTHORIZED', message, { headers: { 'www-authenticate': 'Bearer' } });
  }

  /** Only those who were let in count here: callers without a key keep none out who comes from the same address. */
  async #count({ accountId, id }: Identity, address: string): Promise<void> {
    await this.#ofAddress.take(address);
    await this.#requests.take(`${accountId} ${id}`);
  }

  #addressOf(headers: Headers, connectedFrom: string): string {
    return countedAs(clientAddress(headers, connectedFrom, this.#isTrusted));
  }

  #local(user: string, agent: string | undefined, timeZone: string | undefined): HttpCaller {
    const used = { services: this.#services, release: () => undefined };
    return this.#caller(used, 'local', LOCAL_RIGHTS, user, agent, timeZone);
  }

  #caller(
    { services, release }: UsedServices,
    keyId: string,
    rights: Rights,
    user: string | undefined,
    agent: string | undefined,
    timeZone: string | undefined,
  ): HttpCaller {
    const principal = {
      account_id: services.gate.accountId,
      ...(user === undefined ? {} : { user_id: user }),
      ...(agent === undefined ? {} : { agent_id: agent }),
    };
    const caller = callerOf(services.manager, rights, principal, timeZone);
    const id = services === this.#services ? keyId : `${principal.account_id} ${keyId}`;
    return {
      ...caller,
      ...{ keyId: id, services, release },
      name: () => JSON.stringify([id, user, agent]),
      isAlive: async () => true,
    };
  }
}

/** Pages of other sites cannot send it. */
const CSRF_HEADER = 'longhand-csrf';

function bearerToken(headers: Headers): string | undefined {
  return /^Bearer +(\S+)$/i.exec(headers.get('authorization') ?? '')?.[1];
}

function timeZoneIn(headers: Headers): string | undefined {
  const name = nameIn(headers, 'longhand-time-zone');
  if (name === undefined || isTimeZone(name)) return name;
  throw new RequestError('INVALID_REQUEST', `The header longhand-time-zone must be ${TIME_ZONE_FORMS}.`);
}

/** Names may hold any letter, headers may not: there they are percent-encoded. */
function nameIn(headers: Headers, name: string): string | undefined {
  const value = headers.get(name);
  if (value === null || value === '') return undefined;
  try {
    return decodeURIComponent(value);
  } catch {
    throw new RequestError('INVALID_REQUEST', `The header ${name} must be percent-encoded.`);
  }
}

function boundTo(own: string | null, asked: string | undefined, what: string): string | undefined {
  if (own === null || asked === undefined || asked === own) return own ?? asked;
  throw new RequestError('FORBIDDEN', `This key speaks for another ${what}.`);
}
