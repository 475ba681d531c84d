import type { JWTPayload, JWTVerifyGetKey } from 'jose';
import { algorithmsOf, type JwtSettings } from '../config/jwt-settings.ts';

/**
 * Tokens of an identity provider, Supabase among them. Everything that makes a token count is pinned by the settings:
 * algorithms, issuer and audience; which accounts are served is the gate's to say. A secret goes with HS algorithms only and public keys with the others, so that
 * a public key is never taken for a secret.
 */
interface JwtIdentity {
  readonly accountId: string;
  readonly userId: string;
  /** Milliseconds since 1970. */
  readonly expiresAtMs: number;
}

const CLOCK_TOLERANCE_SECONDS = 5;
const MAX_ID = 256;
const MAX_TOKEN = 16_384;
const FETCH_TIMEOUT_MS = 3_000;
/** What is wrong with the token, and not with the keys. */
const OF_TOKEN = /^ERR_(?:JWT|JWS|JOSE_ALG|JOSE_NOT_SUPPORTED|JWKS_NO_MATCHING|JWKS_MULTIPLE)/;

export class JwtVerifier {
  readonly #settings: JwtSettings;
  readonly #algorithms: string[];
  #key: Promise<JWTVerifyGetKey | Uint8Array> | undefined;

  constructor(settings: JwtSettings) {
    this.#settings = settings;
    this.#algorithms = [...algorithmsOf(settings)];
  }

  /** Who the token speaks for; `undefined` when it does not count. @throws Error when the keys cannot be fetched */
  async verify(token: string): Promise<JwtIdentity | undefined> {
    if (token.length > MAX_TOKEN) return undefined;
    const { jwtVerify, errors } = await import('jose');
    this.#key ??= this.#loadKey();
    const key = await this.#key;
    const options = {
      algorithms: this.#algorithms,
      issuer: this.#settings.issuer!,
      audience: this.#settings.audience!,
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
      requiredClaims: ['sub', 'exp', 'iss', 'aud'],
    };
    try {
      const { payload } =
        key instanceof Uint8Array
          ? await jwtVerify(token, key, options)
          : await jwtVerify(token, key, options);
      return this.#identityOf(payload);
    } catch (error) {
      // Keys that cannot be fetched say nothing about the token.
      if (error instanceof errors.JOSEError && OF_TOKEN.test(error.code)) return undefined;
      throw error;
    }
  }

  #identityOf(payload: JWTPayload): JwtIdentity | undefined {
    const { sub, exp } = payload;
    const account = this.#settings.accountClaims
      .map((path) => claimAt(payload, path))
      .find((found) => found !== undefined);
    if (typeof account !== 'string' || account.trim() === '' || account.length > MAX_ID) return undefined;
    if (typeof sub !== 'string' || sub.trim() === '' || sub.length > MAX_ID) return undefined;
    return { accountId: account, userId: sub, expiresAtMs: exp! * 1_000 };
  }

  async #loadKey(): Promise<JWTVerifyGetKey | Uint8Array> {
    const { createLocalJWKSet, createRemoteJWKSet } = await import('jose');
    const { secret, jwksUrl, keys } = this.#settings;
    if (secret !== undefined) return new TextEncoder().encode(secret);
    if (keys !== undefined) return createLocalJWKSet(keys as Parameters<typeof createLocalJWKSet>[0]);
    return createRemoteJWKSet(new URL(jwksUrl!), { timeoutDuration: FETCH_TIMEOUT_MS });
  }
}

/** `app_metadata.account_id` → what stands there. */
function claimAt(payload: JWTPayload, path: string): unknown {
  return path.split('.').reduce<unknown>((at, name) => {
    const isObject = typeof at === 'object' && at !== null && Object.hasOwn(at, name);
    return isObject ? (at as Record<string, unknown>)[name] : undefined;
  }, payload);
}
