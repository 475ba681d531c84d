import { ConfigError } from './config-error.ts';
import type { Rule } from './rules.ts';

/** Which tokens of an identity provider are taken beside API keys. In use when it has a secret, or keys. */
export interface JwtSettings {
  readonly issuer?: string;
  readonly audience?: string;
  readonly algorithms?: readonly string[];
  readonly secret?: string;
  readonly jwksUrl?: string;
  /** A JSON Web Key Set. */
  readonly keys?: { readonly keys: readonly object[] };
  /** Where the account stands: the first that is there counts. */
  readonly accountClaims: readonly string[];
  /** `account`: every user whose token names the account. `members`: those in the list of members alone. */
  readonly admits: 'account' | 'members';
}

const OF_SECRETS = ['HS256', 'HS384', 'HS512'];
const OF_KEYS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];
export const JWT_ALGORITHMS = [...OF_SECRETS, ...OF_KEYS];
/** A shorter secret can be guessed from one token. */
const SECRET_BYTES = 32;

/** Public keys: what signs tokens stays with the provider. */
export const publicKeySet: Rule = {
  takes: 'JSON',
  problem: (value) => {
    const { keys } = Object(value) as { readonly keys?: unknown };
    if (typeof value !== 'object' || value === null || (keys !== undefined && !Array.isArray(keys)))
      return 'must be a JSON Web Key Set: {"keys":[…]}';
    return undefined;
  },
};

export function algorithmsOf({ algorithms, secret }: JwtSettings): readonly string[] {
  return algorithms ?? (secret === undefined ? ['RS256', 'ES256', 'EdDSA'] : ['HS256']);
}

/** @throws ConfigError when a token could be taken that is not meant for this server */
export function refuseLooseTokens(jwt: JwtSettings, authIsEnabled: boolean): void {
  const sources = (['secret', 'jwksUrl', 'keys'] as const).filter((name) => jwt[name] !== undefined);
  if (sources.length === 0) {
    const lone = (['issuer', 'audience', 'algorithms'] as const).find((name) => jwt[name] !== undefined);
    if (lone !== undefined) throw new ConfigError(`jwt.${lone} needs jwt.secret, jwt.jwksUrl or jwt.keys.`);
    return;
  }
  if (sources.length > 1)
    throw new ConfigError(
      `${sources.map((name) => `jwt.${name}`).join(' and ')} are both named. Take one away.`,
    );
  if (!authIsEnabled) throw new ConfigError(`jwt.${sources[0]} needs auth.enabled.`);
  if (jwt.issuer === undefined || jwt.audience === undefined)
    throw new ConfigError(
      'Tokens need jwt.issuer and jwt.audience: a token that is meant for another server must not open this one.',
    );
  const { secret } = jwt;
  if (secret !== undefined && Buffer.byteLength(secret) < SECRET_BYTES)
    throw new ConfigError(`jwt.secret must have at least ${SECRET_BYTES} bytes.`);
  if (jwt.keys !== undefined && !isPublic(jwt.keys))
    throw new ConfigError(
      'jwt.keys must be public keys alone, at least one. The secret of a provider is jwt.secret.',
    );
  const fitting = secret === undefined ? OF_KEYS : OF_SECRETS;
  const wrong = algorithmsOf(jwt).find((name) => !fitting.includes(name));
  if (wrong !== undefined)
    throw new ConfigError(
      `jwt.algorithms has ${wrong}, which does not go with jwt.${sources[0]}. It takes ${fitting.join(', ')}.`,
    );
  const loose = jwt.accountClaims.find((path) => path.startsWith('user_metadata'));
  if (loose !== undefined)
    throw new ConfigError(
      `jwt.accountClaims has ${loose}, which users can change themselves. Take app_metadata.`,
    );
}

function isPublic({ keys }: { readonly keys?: readonly object[] }): boolean {
  return keys !== undefined && keys.length > 0 && keys.every((key) => !('d' in key) && !('k' in key));
}
