import type { KeyBinding } from '../access/api-keys.ts';
import { OperationError } from './operation-error.ts';

/**
 * What concerns every user would tell one about the others, or take from them: it is not for a key that speaks for
 * one user.
 * @throws OperationError FORBIDDEN
 */
export function refuseBoundToUser({ user_id }: KeyBinding): void {
  if (user_id === null) return;
  throw new OperationError('FORBIDDEN', 'This concerns every user: it needs a key that speaks for all.');
}
