import type { ForgetRequest } from './forget-request.ts';

/**
 * Texts of conversations that lie outside the store for a while, such as messages that wait to be archived. A component
 * that keeps some tells the privacy layer how to reach them, so that no request to forget, redact, preview or export
 * overlooks them.
 */
export interface ExternalCopies {
  /**
   * Something within the scope is about to be forgotten. When this settles, no writer that may hold it can write it any
   * more: answers that are being made are cancelled.
   */
  hold(scope: ExternalScope): Promise<ExternalHold>;
  /**
   * Brings what lies outside into the store, as far as it is within the scope.
   * @throws what the store throws, unless `isWhole`: then all of the scope goes anyway, and what cannot be taken in
   * is left to `erased`
   */
  gather(scope: ExternalScope, options: { readonly isWhole: boolean }): Promise<void>;
  /** Something within the scope is forgotten in the store. When it is done, no copy of it is left outside either. */
  erased(scope: ExternalScope): Promise<void>;
}

export interface ExternalHold {
  /** Others may write again. @param isChanged whether something is gone, or may be because the forgetting failed */
  release(outcome: { readonly isChanged: boolean }): void;
}

/** Whose: a user; one session, with its user as far as that is known; an agent, which wrote for any user. */
export type ExternalScope = Pick<ForgetRequest, 'user' | 'session' | 'agent'>;
