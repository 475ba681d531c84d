import { isTimeZone, TIME_ZONE_FORMS } from 'longhand';
import { LOCAL_DEFAULTS } from '../config/local-principal.ts';
import { type Caller, callerOf, LOCAL_RIGHTS, type Rights } from '../operations/access.ts';
import type { Services } from '../services.ts';
import { clientAddress, countedAs, trustedProxies } from './client-address.ts';
import { RequestError } from './problem.ts';
import { RateLimit } from './rate-limit.ts';

/** Who asks over HTTP, and what they may do. */
export interface HttpCaller extends Caller {
  /** The id of the key. */
  readonly keyId: string;
  /** For what is kept per caller: the same for the same key, user and agent. */
  readonly name: () => string;
}

/**
 * On their own machine a person needs no account: whoever reaches the server is the user `me` and may do
 * everything. Otherwise a key says who asks. A key without a user speaks for the user that the header
 * `longhand-user` names; a key with one speaks for nobody else. `longhand-agent` narrows to one agent.
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
    this.#services = services;
    this.#isTrusted = trustedProxies(services.config.trustedProxies);
    this.#requests = new RateLimit(limits.requestsPerMinute);
    this.#ofAddress = new RateLimit(limits.requestsPerMinuteOfAddress);
    this.#failedLogins = new RateLimit(limits.failedLoginsPerMinute);
  }

  /** @throws RequestError UNAUTHORIZED, FORBIDDEN, RATE_LIMITED, INVALID_REQUEST */
  identify(headers: Headers, connectedFrom: string): HttpCaller {
    const address = this.#addressOf(headers, connectedFrom);
    if (!this.#services.config.auth.enabled) {
      this.#requests.take(address);
      const user = nameIn(headers, 'longhand-user') ?? LOCAL_DEFAULTS.user_id;
      return this.#caller('local', LOCAL_RIGHTS, user, agentIn(headers), timeZoneIn(headers));
    }
    const token = bearerToken(headers);
    const key = token === undefined ? undefined : this.#services.keys.verify(token);
    if (key === undefined) {
      // Whoever guesses keeps nobody out who knows: those with a key were found above.
      if (token !== undefined) this.#failedLogins.take(address);
      // Without a key, the address is all there is to count by.
      this.#requests.take(address);
      // Not which: whoever guesses learns nothing of the keys that there are.
      const message =
        token === undefined
          ? 'This server needs an API key: Authorization: Bearer lh_…'
          : 'The API key is not known here, or no longer: it may have been revoked or have expired.';
      throw new RequestError('UNAUTHORIZED', message, { headers: { 'www-authenticate': 'Bearer' } });
    }
    // Only those with a key count here: whoever has none keeps nobody out who comes from the same address.
    this.#ofAddress.take(address);
    this.#requests.take(key.id);
    const { id, access, user_id, agent_id } = key;
    const user = boundTo(user_id, nameIn(headers, 'longhand-user'), 'user');
    const agent = boundTo(agent_id, agentIn(headers), 'agent');
    const rights = { access, binding: { user_id, agent_id } };
    return this.#caller(id, rights, user, agent, timeZoneIn(headers));
  }

  /** For what nobody needs a key for: counts by the address. @throws RequestError RATE_LIMITED */
  countStranger(headers: Headers, connectedFrom: string): void {
    this.#requests.take(this.#addressOf(headers, connectedFrom));
  }

  #addressOf(headers: Headers, connectedFrom: string): string {
    return countedAs(clientAddress(headers, connectedFrom, this.#isTrusted));
  }

  #caller(
    keyId: string,
    rights: Rights,
    user: string | undefined,
    agent: string | undefined,
    timeZone: string | undefined,
  ): HttpCaller {
    const principal = {
      account_id: LOCAL_DEFAULTS.account_id,
      ...(user === undefined ? {} : { user_id: user }),
      ...(agent === undefined ? {} : { agent_id: agent }),
    };
    const caller = callerOf(this.#services.manager, rights, principal, timeZone);
    return { ...caller, keyId, name: () => JSON.stringify([keyId, user, agent]) };
  }
}

function bearerToken(headers: Headers): string | undefined {
  return /^Bearer +(\S+)$/i.exec(headers.get('authorization') ?? '')?.[1];
}

function agentIn(headers: Headers): string | undefined {
  return nameIn(headers, 'longhand-agent');
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
