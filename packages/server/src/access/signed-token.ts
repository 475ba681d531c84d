import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * Values that the server hands out and believes when they come back: the session of the console, archive tickets. The
 * purpose and the account are a part of what is signed, so that nothing counts for another purpose or account.
 *
 *     base64url(JSON).base64url(HMAC-SHA-256)
 */
type Purpose = 'session' | 'archive' | 'csrf';

/** What an account signs with. */
export interface Signer {
  readonly accountId: string;
  readonly secret: Uint8Array;
}

const LONGEST = 4_096;

export function sign(signer: Signer, purpose: Purpose, value: object): string {
  const body = Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${body}.${macOf(signer, purpose, body).toString('base64url')}`;
}

/** What was signed; `undefined` when it was not signed by this signer for this purpose. */
export function open(signer: Signer, purpose: Purpose, token: string): unknown {
  const [body = '', mac = '', ...more] = token.length <= LONGEST ? token.split('.') : [];
  const expected = macOf(signer, purpose, body);
  const given = Buffer.from(mac, 'base64url');
  if (more.length > 0 || given.byteLength !== expected.byteLength || !timingSafeEqual(given, expected))
    return undefined;
  return JSON.parse(Buffer.from(body, 'base64url').toString('utf8')) as unknown;
}

/** What a token says before its signature is checked: good for nothing but to find out who may have signed it. */
export function claimedBy(token: string): unknown {
  try {
    if (token.length > LONGEST) return undefined;
    return JSON.parse(Buffer.from(token.split('.')[0]!, 'base64url').toString('utf8')) as unknown;
  } catch {
    return undefined;
  }
}

/** Follows from the session, and tells nothing about it. */
export function csrfTokenOf(signer: Signer, session: string): string {
  return macOf(signer, 'csrf', session).toString('base64url');
}

export function isSameToken(given: string, expected: string): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(expected)];
  return left.byteLength === right.byteLength && timingSafeEqual(left, right);
}

function macOf({ accountId, secret }: Signer, purpose: Purpose, body: string): Buffer {
  return createHmac('sha256', secret)
    .update(JSON.stringify([purpose, accountId, body]))
    .digest();
}
