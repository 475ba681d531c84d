import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * Values that the server hands out and believes when they come back: the session of the console, archive tickets. The
 * purpose is a part of what is signed, so that one is never taken for the other.
 *
 *     base64url(JSON).base64url(HMAC-SHA-256)
 */
export type Purpose = 'session' | 'archive' | 'csrf';

const LONGEST = 4_096;

export function sign(secret: Uint8Array, purpose: Purpose, value: object): string {
  const body = Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${body}.${macOf(secret, purpose, body).toString('base64url')}`;
}

/** What was signed; `undefined` when it was not signed here for this purpose. */
export function open(secret: Uint8Array, purpose: Purpose, token: string): unknown {
  const [body = '', mac = '', ...more] = token.length <= LONGEST ? token.split('.') : [];
  const expected = macOf(secret, purpose, body);
  const given = Buffer.from(mac, 'base64url');
  if (more.length > 0 || given.byteLength !== expected.byteLength || !timingSafeEqual(given, expected))
    return undefined;
  return JSON.parse(Buffer.from(body, 'base64url').toString('utf8')) as unknown;
}

/** Follows from the session, and tells nothing about it. */
export function csrfTokenOf(secret: Uint8Array, session: string): string {
  return macOf(secret, 'csrf', session).toString('base64url');
}

export function isSameToken(given: string, expected: string): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(expected)];
  return left.byteLength === right.byteLength && timingSafeEqual(left, right);
}

function macOf(secret: Uint8Array, purpose: Purpose, body: string): Buffer {
  return createHmac('sha256', secret).update(`${purpose}\n${body}`).digest();
}
