import { teachMemoryRefs } from '../core/memory-ref.ts';
import type { Message } from '../core/messages.ts';
import type { TokenCounter } from '../core/token-counter.ts';
import { type Beside, weighBeside } from './beside.ts';
import {
  budgetTooSmall,
  LARGEST_ITEM_SHARE,
  parseBudget,
  resolveShares,
  type ShareOptions,
} from './budget.ts';
import { describeDraft } from './describe-draft.ts';
import { type Draft, draftMessages, missOf, shed } from './draft.ts';
import { FENCE_LESSON } from './fence.ts';
import { type FittedUnit, fitMandatory, keysIn } from './fit-messages.ts';
import { frontTokens, frontVersions, smallestFront, teachesFences } from './front.ts';
import { chooseImages, parseImages } from './images.ts';
import type { Manifest, NearMiss } from './manifest.ts';
import { messageTokens, requestTokens, TOKENS_PER_REQUEST } from './message-tokens.ts';
import type { Front } from './pieces.ts';
import type { Capture, Fitting } from './shorten.ts';
import type { ContextSources } from './sources.ts';
import { fillTail } from './tail.ts';
import { isFenced, toUnits, type Unit } from './units.ts';

/**
 * The prompt of one turn, from everything that could be in it, under a budget that holds.
 *
 *     system    system prompt · lessons · private memory · notes · group lines · summary
 *     user      the same, where it comes from outside and may not speak as the system      (data)
 *     …         the unsummarised messages
 *     user      recalled memories · recalled details · placeholders                        (data)
 *     …         the messages of this turn
 *
 * 1. What must be there: tools, the system prompt, the newest user message, the newest exchange with a tool, and as many of
 *    the newest images as there is room for beside them (`images.ts`). If it does not fit whole, what is too large in it
 *    becomes a preview; if that does not fit either, BUDGET_TOO_SMALL.
 * 2. The front gets as large as it may while the rest keeps its floors (`front.ts`). When it has no room to say what a
 *    fence is, nothing stands in a fence.
 * 3. The rest of this turn, the conversation, and what was recalled share what is left (`tail.ts`).
 * 4. The messages are counted as they are sent. Texts that were weighed alone can weigh more together, so if the sum is
 *    over the budget, the least needed piece is dropped, until it is not.
 *
 * No clock, no chance, no state: the same sources give the same bytes.
 */

export interface AssembleOptions extends Beside {
  /** Tokens, for all messages together with what is sent beside them. */
  readonly budget: number;
  readonly counter: TokenCounter;
  /** Floors and ceilings other than the defaults. */
  readonly sections?: ShareOptions | undefined;
  /** Texts that could not be kept, by their keys, with the reason: they are shortened without a placeholder. */
  readonly unkept?: ReadonlyMap<string, string>;
  /** Of the turn before, to say what has changed since. */
  readonly previous?: Pick<Manifest, 'segments'> | undefined;
}

export interface Assembled {
  readonly messages: readonly Message[];
  readonly manifest: Manifest;
  /** Texts whose placeholders stand in the messages: keep them before the messages are sent. */
  readonly captures: readonly Capture[];
}

/** @throws ValidationError BUDGET_TOO_SMALL, INVALID_OPTION, CONTENT_TOO_DEEP */
export function assemble(sources: ContextSources, options: AssembleOptions): Assembled {
  const { counter, previous } = options;
  const budget = parseBudget(options.budget);
  const shares = resolveShares(options.sections);
  const { units: said, unanswered } = toUnits(...inOrder(sources));
  const fitting: Fitting = { counter, sessionId: sources.session ?? '', unkept: options.unkept ?? new Map() };
  const prompt = said.findLast(({ isPrompt }) => isPrompt);
  const newest = said.at(-1)?.isNew === true ? said.at(-1) : undefined;
  const must = said.filter((unit) => unit === prompt || unit === newest);
  const smallest = smallestFront(sources, counter, must.some(isFenced) ? [FENCE_LESSON] : []);
  const smallestTokens = frontTokens(smallest, counter);
  const given = parseImages(options.images);
  const bare = weighBeside(options, 0, counter);
  const roomForAll = budget - TOKENS_PER_REQUEST - bare.tokens - smallestTokens;
  const images = chooseImages(given, must, prompt, roomForAll, fitting);
  const units = withStandIn(said, prompt, images.standIn?.unit);
  const beside = images.sent === 0 ? bare : weighBeside(options, images.sent, counter);
  const fixedTokens = TOKENS_PER_REQUEST + beside.tokens;
  const baseTokens = Math.max(0, budget - fixedTokens - smallestTokens);
  const largestTokens = Math.floor(baseTokens * LARGEST_ITEM_SHARE);
  const mandatory = withStandInFitted(
    fitMandatory(must, prompt, baseTokens - (images.standIn?.tokens ?? 0), largestTokens, fitting),
    images.standIn,
  );
  const needed = fixedTokens + smallestTokens + mandatory.tokens;
  if (needed > budget) throw budgetTooSmall(budget, needed);

  const room = baseTokens - mandatory.tokens;
  const floors = floorsOf(sources, said.length > must.length, shares, baseTokens);
  const isLarge = (message: Message): boolean => messageTokens(message, counter) > largestTokens;
  const lessons = lessonsFor(sources, {
    hasFences: units.some(isFenced),
    hasRefs:
      mandatory.units.some(({ captures }) => captures.length > 0) ||
      units.some(
        (unit) => keysIn(unit.messages).size > 0 || (!must.includes(unit) && unit.messages.some(isLarge)),
      ),
  });
  const versions = frontVersions(sources, shares, baseTokens, counter, lessons);
  const front = chooseFront(versions, smallest, smallestTokens + room, floors, counter);
  const draft: Draft = fillTail({
    sources,
    units,
    unanswered,
    mandatory: mandatory.units,
    front,
    smallestFront: smallest,
    mayShowStored: teachesFences(front),
    roomTokens: smallestTokens + room - frontTokens(front, counter),
    baseTokens,
    largestTokens,
    shares,
    fitting,
  });
  let messages = draftMessages(draft);
  const weigh = (): number => requestTokens(messages, counter) + beside.tokens;
  let total = weigh();
  while (total > budget) {
    if (!shed(draft)) throw budgetTooSmall(budget, total);
    messages = draftMessages(draft);
    total = weigh();
  }
  const shown = [...draft.older, ...draft.turn];
  for (const unit of shown) draft.misses.push(...lossesOf(unit, options.unkept));
  draft.misses.push(...images.misses);
  const manifest = describeDraft(draft, { beside, images, budget, total, counter, previous });
  const captures = shown.flatMap((unit) => unit.captures);
  return { messages, manifest, captures };
}

/** What stands for pictures comes right before the message that they were sent with. */
function withStandIn(
  units: readonly Unit[],
  prompt: Unit | undefined,
  standIn: Unit | undefined,
): readonly Unit[] {
  if (standIn === undefined) return units;
  const at = prompt?.isNew === true ? units.indexOf(prompt) : units.findIndex(({ isNew }) => isNew);
  return units.toSpliced(at < 0 ? units.length : at, 0, standIn);
}

function withStandInFitted(
  { units, tokens }: ReturnType<typeof fitMandatory>,
  standIn: FittedUnit | undefined,
): ReturnType<typeof fitMandatory> {
  return standIn === undefined
    ? { units, tokens }
    : { units: [standIn, ...units], tokens: tokens + standIn.tokens };
}

/** The conversation without what this turn brings again, then this turn, and where it begins. */
function inOrder({ conversation, newMessages }: ContextSources): Parameters<typeof toUnits> {
  const ids = new Set(newMessages.flatMap(({ id }) => (id === undefined ? [] : [id])));
  const before = conversation.filter(({ id }) => id === undefined || !ids.has(id));
  return [[...before, ...newMessages], before.length];
}

/** What the front must leave to the others. */
function floorsOf(
  { memories, details, placeholders }: ContextSources,
  hasConversation: boolean,
  shares: ReturnType<typeof resolveShares>,
  baseTokens: number,
): number {
  const share =
    (hasConversation ? shares.conversation.floor : 0) +
    (memories.length > 0 ? shares.memories.floor : 0) +
    (details.length > 0 ? shares.details.floor : 0) +
    (placeholders.length > 0 ? shares.placeholders.floor : 0);
  return Math.floor(share * baseTokens);
}

function chooseFront(
  versions: Iterable<Front>,
  smallest: Front,
  roomTokens: number,
  floorTokens: number,
  counter: TokenCounter,
): Front {
  let largest: Front | undefined;
  let misses = smallest.misses;
  for (const front of versions) {
    misses = front.misses;
    const tokens = frontTokens(front, counter);
    if (tokens + floorTokens <= roomTokens) return front;
    if (tokens <= roomTokens) largest ??= front;
  }
  // What the last of them leaves out is not in the smallest either.
  return largest ?? { ...smallest, misses };
}

/**
 * Taught as soon as there is anything to teach it for, so that the front does not change back and forth: also for
 * messages that may turn out to have no room.
 * @param messages what the conversation and this turn may bring into the prompt
 */
function lessonsFor(
  { privateMemory, notes, summary, ...sources }: ContextSources,
  messages: { readonly hasFences: boolean; readonly hasRefs: boolean },
): string[] {
  const { memories, details, placeholders } = sources;
  const hasRefs = messages.hasRefs || details.length > 0 || placeholders.length > 0;
  const hasStored =
    messages.hasFences ||
    (privateMemory?.core.length ?? 0) + (privateMemory?.journal.length ?? 0) > 0 ||
    (notes?.text ?? '') !== '' ||
    summary !== undefined ||
    memories.length > 0;
  return [...(hasStored || hasRefs ? [FENCE_LESSON] : []), ...(hasRefs ? [teachMemoryRefs()] : [])];
}

/** What is shortened and kept nowhere must be named. */
function lossesOf(fitted: FittedUnit, reasons: AssembleOptions['unkept']): NearMiss[] {
  return fitted.unkept.map(({ key }) => {
    const { tokens: _, ...miss } = missOf(fitted, `cut, and could not be kept: ${reasons?.get(key)}`);
    return miss;
  });
}
