/** What a key may do: each includes those before. */
export type Access = 'read' | 'write' | 'admin';
export const ACCESS_LEVELS = ['read', 'write', 'admin'] as const satisfies readonly Access[];

/** Whether what a key may do includes something. */
export function includesAccess(granted: Access, needed: Access): boolean {
  return ACCESS_LEVELS.indexOf(granted) >= ACCESS_LEVELS.indexOf(needed);
}

/** For whom a key speaks. */
export interface KeyBinding {
  /** Speaks for this user only. `null`: for whichever user each request names. */
  readonly user_id: string | null;
  /** Speaks as this agent only. `null`: for the account. */
  readonly agent_id: string | null;
}

/** A caller that is bound to no user may look after all keys. */
export const UNBOUND: KeyBinding = { user_id: null, agent_id: null };

/** Whether a binding reaches no further than another. */
export function isWithin(inner: KeyBinding, outer: KeyBinding): boolean {
  return (
    (outer.user_id === null || inner.user_id === outer.user_id) &&
    (outer.agent_id === null || inner.agent_id === outer.agent_id)
  );
}

export interface ApiKey extends KeyBinding {
  readonly id: string;
  /** For people. */
  readonly label: string;
  readonly access: Access;
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly revoked_at: string | null;
  /** To the day on files, to the minute in Postgres. */
  readonly last_used_at: string | null;
}

export interface StoredKey extends ApiKey {
  readonly sha256: string;
}
