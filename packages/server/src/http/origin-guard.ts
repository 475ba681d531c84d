import { isLoopback, type ServerConfig } from '../config/server-config.ts';
import { RequestError } from './problem.ts';

/**
 * A page in the browser can send requests to a server on the same machine, and with a name of its own that points
 * to 127.0.0.1 it can even read the answers. So a server on loopback answers only when it is addressed by a name
 * that means this machine, and no page of another origin is answered unless `allowedOrigins` names it.
 */
export class OriginGuard {
  readonly #hosts: ReadonlySet<string>;
  readonly #checksHost: boolean;
  readonly #origins: ReadonlySet<string>;

  constructor({ host, allowedHosts, allowedOrigins }: ServerConfig) {
    this.#checksHost = isLoopback(host) || allowedHosts.length > 0;
    const own = isLoopback(host) ? ['localhost', '127.0.0.1', '[::1]', host] : [host];
    this.#hosts = new Set([...own, ...allowedHosts].map((name) => name.toLowerCase()));
    this.#origins = new Set(allowedOrigins);
  }

  /**
   * The headers that let the page read the answer; none when the request comes from no page, or from our own.
   * @throws RequestError FORBIDDEN
   */
  check(headers: Headers): Readonly<Record<string, string>> {
    const host = headers.get('host') ?? '';
    if (this.#checksHost && !this.#isOurs(host)) {
      throw new RequestError('FORBIDDEN', 'This server is not reached under that name. See allowedHosts.');
    }
    const origin = headers.get('origin');
    if (origin === null) {
      this.#refuseCrossSite(headers);
      return NONE;
    }
    if (this.#origins.has(origin))
      return {
        'access-control-allow-origin': origin,
        'access-control-expose-headers': EXPOSED_HEADERS,
        vary: 'Origin',
      };
    const isOwn = URL.canParse(origin) && new URL(origin).host === host.toLowerCase();
    if (!isOwn)
      throw new RequestError(
        'FORBIDDEN',
        'Pages of that origin may not call this server. See allowedOrigins.',
      );
    return NONE;
  }

  /** With the port or without it. */
  #isOurs(host: string): boolean {
    const name = host.toLowerCase();
    return this.#hosts.has(name) || this.#hosts.has(name.replace(/:\d{1,5}$/, ''));
  }

  /** Browsers leave the origin out when a page embeds something; only links may lead here from elsewhere. */
  #refuseCrossSite(headers: Headers): void {
    if (headers.get('sec-fetch-site') !== 'cross-site' || headers.get('sec-fetch-mode') === 'navigate')
      return;
    throw new RequestError('FORBIDDEN', 'Pages of another site may not call this server.');
  }
}

/**
 * A cookie comes along with every request of the browser, also with those that a page on another port of this host sends.
 * @throws RequestError FORBIDDEN
 */
export function refuseOtherPages(headers: Headers): void {
  const site = headers.get('sec-fetch-site');
  if (site === null || site === 'same-origin' || site === 'none') return;
  throw new RequestError('FORBIDDEN', 'Pages of another origin may not use a session of this server.');
}

const NONE = {};

/** What a page may read of an answer, beside what every page may. */
const EXPOSED_HEADERS =
  'idempotency-replayed, longhand-version, mcp-protocol-version, mcp-session-id, retry-after, www-authenticate, x-request-id';

export const PREFLIGHT_HEADERS = {
  'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE',
  'access-control-allow-headers':
    'authorization, content-type, idempotency-key, last-event-id, longhand-account, longhand-agent, longhand-csrf, longhand-time-zone, longhand-user, mcp-method, mcp-name, mcp-protocol-version, mcp-session-id, x-request-id',
  'access-control-max-age': '600',
} as const;
