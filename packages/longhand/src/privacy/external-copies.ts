import type { ForgetRequest } from './forget-request.ts';

/**
 * Texts of conversations that lie outside the store for a while, such as messages that wait to be archived. Whoever
 * keeps some tells the privacy layer how to reach them, so that nobody who forgets, redacts, previews or exports can
 * overlook them, by whatever way the wish came.
 */
export interface ExternalCopies {
  /**
   * Something within the scope is about to be forgotten. When it is done, nobody who may have it in hand can write it
   * any more: answers that are being made are called off.
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

/** Whose: a user; one session, with its user as far as that can be told; an agent, which wrote for anybody. */
export type ExternalScope = Pick<ForgetRequest, 'user' | 'session' | 'agent'>;
