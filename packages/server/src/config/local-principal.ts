import { ConfigError } from './server-config.ts';

/**
 * The caller of a server without keys: one person on their own machine. All of their clients have the same defaults,
 * so what one has written the others recall.
 */
interface LocalPrincipal {
  readonly account_id: string;
  readonly user_id: string;
  readonly agent_id: string;
}

export interface LocalIdentity extends LocalPrincipal {
  /** The session to work in; one for each client and day when left out. */
  readonly session_id?: string;
}

interface IdentitySources {
  readonly account?: string | undefined;
  readonly user?: string | undefined;
  readonly agent?: string | undefined;
  readonly session?: string | undefined;
}

export const LOCAL_DEFAULTS: LocalPrincipal = { account_id: 'local', user_id: 'me', agent_id: 'default' };

/** Defaults ← `LONGHAND_ACCOUNT`, `LONGHAND_USER`, `LONGHAND_AGENT`, `LONGHAND_SESSION` ← flags. @throws ConfigError */
export function localIdentity(
  flags: IdentitySources = {},
  env: Readonly<Record<string, string | undefined>> = process.env,
): LocalIdentity {
  const session = given(flags.session, '--session') ?? (env.LONGHAND_SESSION || undefined);
  return {
    account_id: given(flags.account, '--account') ?? (env.LONGHAND_ACCOUNT || LOCAL_DEFAULTS.account_id),
    user_id: given(flags.user, '--user') ?? (env.LONGHAND_USER || LOCAL_DEFAULTS.user_id),
    agent_id: given(flags.agent, '--agent') ?? (env.LONGHAND_AGENT || LOCAL_DEFAULTS.agent_id),
    ...(session === undefined ? {} : { session_id: session }),
  };
}

function given(value: string | undefined, flag: string): string | undefined {
  if (value === '') throw new ConfigError(`${flag} must not be empty.`);
  return value;
}
