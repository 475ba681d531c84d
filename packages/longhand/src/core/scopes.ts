/**
 * Who asks. Every read and write below the trusted facade names its principal; what a principal does not
 * name, it cannot reach. A missing scope is an error, never "everything".
 */
export interface Principal {
  readonly account_id: string;
  readonly user_id?: string;
  readonly agent_id?: string;
  /** Of agents' memories, admins reach all and members their own. A member when left out, without a user an admin. */
  readonly role?: 'admin' | 'member';
}

export interface ScopeOptions {
  /**
   * Where their days begin and end: an IANA name, `UTC` or `system`. For everything that is asked in the scope and names
   * no zone of its own; the setting `time_zone` when left out.
   */
  readonly timeZone?: string;
  /** The agents that may be made where they are missing; any when left out. */
  readonly creatableAgents?: readonly string[];
  /** Keeps nothing: what is too long for a prompt is cut, and not kept as a detail. */
  readonly readOnly?: boolean;
}

export const LOCAL_ACCOUNT = 'local';
