import { ValidationError } from '../core/errors.ts';

/**
 * How a budget is shared out.
 *
 * The tools, the system prompt, the newest user message and the newest tool exchange come first and whole; what they
 * leave is shared by the sections below. A section never takes more than its ceiling, however little the others need, so that
 * one of them growing does not push everything else out; and it keeps its floor, however much the others want. Both
 * are shares of what tools and system prompt leave of the budget: figures that stay the same from turn to turn, so that the
 * front of the prompt does.
 */

/** In the order of the prompt. */
export const SECTIONS = [
  'tools',
  'system-prompt',
  'lessons',
  'private-memory',
  'notes',
  'group',
  'summary',
  'conversation',
  'memories',
  'details',
  'placeholders',
  'new-messages',
] as const;
export type Section = (typeof SECTIONS)[number];

/** Those that take what the whole ones leave. */
export type SharedSection = Exclude<Section, 'tools' | 'system-prompt' | 'lessons' | 'new-messages'>;

export interface Share {
  /** 0 to 1: kept free for the section when it has something to say. */
  readonly floor: number;
  /** 0 to 1: never more than this. */
  readonly ceiling: number;
}

/** The defaults, explained in docs/context.md. */
export const DEFAULT_SHARES: Readonly<Record<SharedSection, Share>> = {
  'private-memory': { floor: 0.1, ceiling: 0.25 },
  notes: { floor: 0.08, ceiling: 0.2 },
  group: { floor: 0.02, ceiling: 0.05 },
  summary: { floor: 0.08, ceiling: 0.15 },
  conversation: { floor: 0.2, ceiling: 0.5 },
  memories: { floor: 0.15, ceiling: 0.7 },
  details: { floor: 0.03, ceiling: 0.1 },
  placeholders: { floor: 0.02, ceiling: 0.05 },
};

/** A single message above this share becomes a preview, unless it is the newest one or belongs to its exchange. */
export const LARGEST_ITEM_SHARE = 0.25;

export type ShareOptions = { readonly [Name in SharedSection]?: Partial<Share> };

/**
 * The defaults with changes on top.
 * @throws ValidationError INVALID_OPTION
 */
export function resolveShares(changes: ShareOptions = {}): Readonly<Record<SharedSection, Share>> {
  const shares = { ...DEFAULT_SHARES };
  for (const [name, change] of Object.entries(changes)) {
    if (!Object.hasOwn(DEFAULT_SHARES, name)) {
      throw invalid(`${name} is not a section; there are: ${Object.keys(DEFAULT_SHARES).join(', ')}.`);
    }
    const share = { ...shares[name as SharedSection], ...change };
    const { floor, ceiling } = share;
    if (!(floor >= 0 && floor <= ceiling && ceiling <= 1)) {
      throw invalid(`The floor and the ceiling of ${name} must be shares from 0 to 1, the floor not above.`);
    }
    shares[name as SharedSection] = share;
  }
  return shares;
}

/** @throws ValidationError INVALID_OPTION */
export function parseBudget(value: unknown): number {
  if (Number.isSafeInteger(value) && (value as number) > 0) return value as number;
  throw invalid('The budget must be a whole number of tokens above 0.');
}

/** @param neededTokens what must be there takes at the very least */
export function budgetTooSmall(budgetTokens: number, neededTokens: number): ValidationError {
  return new ValidationError(
    'BUDGET_TOO_SMALL',
    `The system prompt, the newest messages and what is sent beside them need ${neededTokens} tokens; the budget is ` +
      `${budgetTokens}. Raise the budget, shorten the system prompt, or send fewer tools and images.`,
    { details: { budget_tokens: budgetTokens, needed_tokens: neededTokens } },
  );
}

function invalid(message: string): ValidationError {
  return new ValidationError('INVALID_OPTION', message);
}
