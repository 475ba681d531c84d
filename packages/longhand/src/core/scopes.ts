/**
 * Who asks. Every read and write below the trusted facade names its principal; what a principal does not
 * name, it cannot reach. A missing scope is an error, never "everything".
 */
export interface Principal {
  readonly account_id: string;
  readonly user_id?: string;
  readonly agent_id?: string;
}

/** The account of a store that only one person uses. */
export const LOCAL_ACCOUNT = 'local';
