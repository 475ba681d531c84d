import { ValidationError } from '../core/errors.ts';
import type { JsonObject } from '../core/records.ts';
import { DEFAULT_SHARES, overDefaults, type ShareOptions, type Shares } from '../core/shares.ts';

/**
 * How a budget is shared out.
 *
 * What fits goes in: floors and ceilings divide a full prompt only. Then the tools, the system prompt, the newest user
 * message and the newest tool exchange come first and whole. Of the rest a section of the front keeps to its ceiling, the
 * conversation takes what the front leaves, and every section keeps its floor. Shares are of what tools and system prompt
 * leave of the budget: figures that stay the same from turn to turn, so that the front of the prompt does too.
 */

/** In the order of the prompt. */
export const SECTIONS = [
  'tools',
  'system-prompt',
  'lessons',
  'private-memory',
  'whiteboard',
  'notes',
  'group',
  'preferences',
  'summary',
  'standing',
  'conversation',
  'memories',
  'details',
  'placeholders',
  'new-messages',
] as const;
export type Section = (typeof SECTIONS)[number];

/** In a full prompt a message above this share becomes a preview, unless it is the newest one or belongs to its exchange. */
export const LARGEST_ITEM_SHARE = 0.25;

/**
 * The shares of the configuration with those of a request on top.
 * @throws ValidationError INVALID_OPTION
 */
export function resolveShares(configured: ShareOptions = {}, asked: unknown = {}): Shares {
  const shares = overDefaults(asked, overDefaults(configured));
  if (shares !== undefined) return shares;
  throw invalidOption(
    `sections can give ${Object.keys(DEFAULT_SHARES).join(', ')} a floor and a ceiling from 0 to 1, the floor not above the ceiling.`,
  );
}

/** @throws ValidationError INVALID_OPTION */
export function parseBudget(value: unknown): number {
  if (Number.isSafeInteger(value) && (value as number) > 0) return value as number;
  throw invalidOption('The budget must be a whole number of tokens above 0.');
}

/** @param neededTokens the least that what must be there takes */
export function budgetTooSmall(budgetTokens: number, neededTokens: number): ValidationError {
  return new ValidationError(
    'BUDGET_TOO_SMALL',
    `The system prompt, the newest messages and what is sent beside them need ${neededTokens} tokens; the budget is ` +
      `${budgetTokens}. Raise the budget, shorten the system prompt, or send fewer tools and images.`,
    { details: { budget_tokens: budgetTokens, needed_tokens: neededTokens } },
  );
}

export function invalidOption(message: string, details: JsonObject = {}): ValidationError {
  return new ValidationError('INVALID_OPTION', message, { details });
}
