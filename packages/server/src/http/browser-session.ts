import type { FoundSession, Gate, Identity } from '../access/gate.ts';
import type { BrowserSession } from '../operations/operation.ts';

/**
 * The cookie that stands for a person who has signed in. Scripts cannot read it and other sites do not send it. It has no
 * end of its own: a session that is over comes back to the server, which can then say so.
 */
const NAME = 'longhand_session';
/** Browsers take a cookie of this name from https alone, and from this very host. */
const SECURE_NAME = `__Host-${NAME}`;
const ATTRIBUTES = 'Path=/; HttpOnly; SameSite=Strict';

export function sessionCookie(headers: Headers): string | undefined {
  const cookies = new Map(
    (headers.get('cookie') ?? '').split(';').map((pair) => {
      const [name = '', ...value] = pair.split('=');
      return [name.trim(), value.join('=').trim()] as const;
    }),
  );
  return cookies.get(SECURE_NAME) ?? cookies.get(NAME);
}

/** Starts, renews and ends the session of one request's browser. */
export class CookieSession implements BrowserSession {
  readonly #gate: Gate;
  readonly #identity: Identity | undefined;
  readonly found: FoundSession | undefined;
  readonly #isSecure: boolean;
  /** For the answer. */
  cookies: readonly string[] = [];

  constructor(gate: Gate, identity: Identity | undefined, found: FoundSession | undefined, headers: Headers) {
    this.#gate = gate;
    this.#identity = identity;
    this.found = found;
    // A browser names the origin of the page with every POST, and the page is ours.
    this.#isSecure = headers.get('origin')?.startsWith('https:') === true;
  }

  async start(): Promise<{ readonly csrfToken: string; readonly expiresAtMs: number } | undefined> {
    if (this.#identity === undefined) return undefined;
    const { cookie, ...session } = await this.#gate.startSession(this.#identity, this.found?.startedAtMs);
    this.cookies = [
      this.#isSecure ? `${SECURE_NAME}=${cookie}; ${ATTRIBUTES}; Secure` : `${NAME}=${cookie}; ${ATTRIBUTES}`,
    ];
    return session;
  }

  end(): void {
    this.cookies = [
      `${NAME}=; ${ATTRIBUTES}; Max-Age=0`,
      ...(this.#isSecure ? [`${SECURE_NAME}=; ${ATTRIBUTES}; Secure; Max-Age=0`] : []),
    ];
  }
}
