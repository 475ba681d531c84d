import { teachMemoryRefs } from '../core/memory-ref.ts';
import type { Message } from '../core/messages.ts';
import { DEFAULT_SHARES, type Shares } from '../core/shares.ts';
import type { TokenCounter } from '../core/token-counter.ts';
import { type Beside, weighBeside } from './beside.ts';
import { budgetTooSmall, LARGEST_ITEM_SHARE, parseBudget } from './budget.ts';
import { describeDraft, draftMessages, missOf, shed } from './draft.ts';
import { FENCE_LESSON } from './fence.ts';
import { type FittedUnit, fitMandatory, keysIn } from './fit-messages.ts';
import { type FrontOptions, frontTokens, renderFront, STEPS, smallestFront } from './front.ts';
import { chooseImages, parseImages } from './images.ts';
import { compareSegments, type Manifest, type NearMiss, nearestMisses } from './manifest.ts';
import { messageTokens, requestTokens, TOKENS_PER_REQUEST } from './message-tokens.ts';
import type { Front } from './part.ts';
import type { Capture, Fitting } from './shorten.ts';
import type { ContextSources } from './sources.ts';
import { fillTail, type TailDemand, type TailInput, weighTail } from './tail.ts';
import { isFenced, maySpeakAsSystem, toUnits, type Unit } from './units.ts';

/**
 * The prompt of one turn, from everything that could be in it, under a budget that holds.
 *
 *     system    system prompt · lessons · private memory · notes · group lines · preferences · summary
 *     user      the same, where it comes from outside and may not speak as the system      (data)
 *     user      standing memories
 *     …         the unsummarised messages
 *     user      recalled memories · recalled details · placeholders
 *     …         the messages of this turn
 *
 * 1. What must be there: tools, the system prompt, the newest user message, the newest exchange with a tool, and as many of
 *    the newest images as there is room for beside them (`images.ts`). If it does not fit whole, what is too large in it
 *    becomes a preview; if that does not fit either, BUDGET_TOO_SMALL.
 * 2. If everything else fits, everything goes in. If not, the front gets smaller by steps until the others have their
 *    floors (`front.ts`).
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
  readonly shares?: Shares;
  /** A synopsis of messages that there is no room for; none when left out. */
  readonly extracts?: TailInput['extracts'];
  /** The most that standing memories may take; 1,500 when left out. */
  readonly standingTokens?: number;
  /** Texts that could not be kept, by their keys, with the reason: they are shortened without a placeholder. */
  readonly unkept?: ReadonlyMap<string, string>;
  /** Of the turn before, to say what has changed since. */
  readonly previous?: Pick<Manifest, 'segments'> | undefined;
}

export const STANDING_TOKENS = 1_500;

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
  const { shares = DEFAULT_SHARES } = options;
  const { units: said, unanswered } = toUnits(...inOrder(sources));
  const fitting: Fitting = { counter, sessionId: sources.session ?? '', unkept: options.unkept ?? new Map() };
  const prompt = said.findLast(({ isPrompt }) => isPrompt);
  const newest = said.at(-1)?.isNew === true ? said.at(-1) : undefined;
  const must = said.filter((unit) => unit === prompt || unit === newest);
  const smallest = smallestFront(sources, counter, must.some(isFenced) ? [FENCE_LESSON] : []);
  const smallestTokens = frontTokens(smallest, counter);
  const pictures = parseImages(options.images);
  const bare = weighBeside(options, 0, counter);
  const roomForAll = budget - TOKENS_PER_REQUEST - bare.tokens - smallestTokens;
  const images = chooseImages(pictures, must, prompt, roomForAll, fitting);
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

  const isLarge = (message: Message): boolean => messageTokens(message, counter) > largestTokens;
  const hasRefs =
    mandatory.units.some(({ captures }) => captures.length > 0) ||
    units.some(
      (unit) => keysIn(unit.messages).size > 0 || (!must.includes(unit) && unit.messages.some(isLarge)),
    );
  const standingTokens = options.standingTokens ?? STANDING_TOKENS;
  const frontOptions: FrontOptions = {
    shares,
    baseTokens,
    standingTokens: Math.min(standingTokens, Math.floor(shares.standing.ceiling * budget)),
    lessons: lessonsFor(sources, options.extracts !== undefined || units.some(isFenced), hasRefs),
    counter,
  };
  const tail: TailInput = {
    ...{ sources, units, unanswered, smallestFront: smallest },
    mandatory: new Map(mandatory.units.map((fitted) => [fitted.unit, fitted])),
    ...{ roomTokens: baseTokens - mandatory.tokens, baseTokens, largestTokens, shares, fitting },
    extracts: options.extracts,
  };
  const { front, leftTokens, isWhole } = chooseFront(tail, frontOptions, smallestTokens);
  const draft = fillTail(tail, front, leftTokens, isWhole);
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
  const { pieces, segments } = describeDraft(draft, beside, counter);
  const { given, sent } = images;
  const manifest: Manifest = {
    ...{ budget, total, tokenizer: counter.name, pieces },
    ...nearestMisses(draft.misses, sources.earlierMessages ?? 0),
    ...compareSegments(segments, previous?.segments),
    ...(given === 0 ? {} : { images: { given, sent } }),
    segments,
  };
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

interface ChosenFront {
  readonly front: Front;
  /** What it leaves to the tail. */
  readonly leftTokens: number;
  /** All messages fit as they are. */
  readonly isWhole: boolean;
}

/**
 * The front whole, when everything fits with it; above its ceilings, when all messages and the floors of what is recalled
 * do; else the largest that leaves the others their floors.
 */
function chooseFront(tail: TailInput, options: FrontOptions, smallestTokens: number): ChosenFront {
  const { sources, smallestFront: smallest, units, mandatory, roomTokens, shares } = tail;
  const { counter } = options;
  const hasOthers = units.length > mandatory.size;
  const messageFloor = hasOthers ? Math.floor(shares.conversation.floor * roomTokens) : 0;
  let demand: TailDemand | undefined;
  let largest: ChosenFront | undefined;
  let misses = smallest.misses;
  for (const step of STEPS) {
    const front = renderFront(sources, options, step);
    demand ??= weighTail(tail, front);
    const leftTokens = roomTokens + smallestTokens - frontTokens(front, counter);
    const isWhole = demand.messages <= leftTokens - demand.recalled;
    const chosen = { front, leftTokens, isWhole };
    if (isWhole && (!Number.isFinite(step) || demand.messages <= leftTokens - demand.floors)) return chosen;
    if (step <= 1 && messageFloor + demand.floors <= leftTokens) return chosen;
    if (step <= 1 && leftTokens >= 0) largest ??= chosen;
    misses = front.misses;
  }
  // What the last of them leaves out is not in the smallest either.
  return largest ?? { front: { ...smallest, misses }, leftTokens: roomTokens, isWhole: false };
}

/**
 * Taught as soon as there is anything to teach it for, so that the front does not change back and forth: also for
 * messages that may turn out to have no room. What is recalled for one turn brings its own.
 */
function lessonsFor(
  sources: ContextSources,
  hasFencedMessages: boolean,
  hasRefsInMessages: boolean,
): string[] {
  const { privateMemory, notes, summary, placeholders } = sources;
  const own = [...(privateMemory?.core ?? []), ...(privateMemory?.journal ?? [])];
  const tiers = [...own.map(({ provenance }) => provenance?.trust ?? 'agent'), notes?.trust ?? 'agent'];
  const hasRefs = hasRefsInMessages || placeholders.length > 0;
  const hasFences = hasFencedMessages || summary !== undefined || !tiers.every(maySpeakAsSystem);
  return [...(hasFences || hasRefs ? [FENCE_LESSON] : []), ...(hasRefs ? [teachMemoryRefs()] : [])];
}

/** What is shortened and kept nowhere must be named. */
function lossesOf(fitted: FittedUnit, reasons: AssembleOptions['unkept']): NearMiss[] {
  return fitted.unkept.map(({ key }) => {
    const { tokens: _, ...miss } = missOf(fitted, `cut, and could not be kept: ${reasons?.get(key)}`);
    return miss;
  });
}
