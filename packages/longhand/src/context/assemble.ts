import { teachMemoryRefs } from '../core/memory-ref.ts';
import type { Message } from '../core/messages.ts';
import { DEFAULT_SHARES, type Shares } from '../core/shares.ts';
import type { TokenCounter } from '../core/token-counter.ts';
import { type Beside, weighImages, weighTools } from './beside.ts';
import { budgetTooSmall, LARGEST_ITEM_SHARE, parseBudget } from './budget.ts';
import { describeDraft, draftMessages, missOf, shed } from './draft.ts';
import { FENCE_LESSON } from './fence.ts';
import { type FittedUnit, fitMandatory, keysIn } from './fit-messages.ts';
import { renderFront, STEPS, smallestFront } from './front.ts';
import { chooseImages, parseImages } from './images.ts';
import { compareSegments, type Manifest, nearestMisses } from './manifest.ts';
import { messageTokens, requestTokens, sumTokens, TOKENS_PER_REQUEST } from './message-tokens.ts';
import type { WholeFront } from './part.ts';
import type { Plan } from './plan.ts';
import type { Capture, Fitting } from './shorten.ts';
import type { ContextSources } from './sources.ts';
import { fillTail, type TailDemand, weighTail } from './tail.ts';
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
  readonly extracts?: Plan['extracts'] | undefined;
  /** The most that standing memories may take; 1,500 when left out. */
  readonly standingTokens?: number;
  /** Texts that could not be kept, by their keys, with the reason: they are shortened without a placeholder. */
  readonly unkept?: ReadonlyMap<string, string>;
  /** Of the turn before, to say what has changed since. */
  readonly previous?: Pick<Manifest, 'segments'> | undefined;
}

const STANDING_TOKENS = 1_500;

export interface Assembled {
  readonly messages: Message[];
  readonly manifest: Manifest;
  /** Texts whose placeholders stand in the messages: keep them before the messages are sent. */
  readonly captures: readonly Capture[];
}

/** @throws ValidationError BUDGET_TOO_SMALL, INVALID_OPTION, CONTENT_TOO_DEEP */
export function assemble(sources: ContextSources, options: AssembleOptions): Assembled {
  const { counter, shares = DEFAULT_SHARES, unkept = new Map(), previous } = options;
  const budget = parseBudget(options.budget);
  const { units: said, unanswered } = toUnits(...inOrder(sources));
  const fitting: Fitting = { counter, sessionId: sources.session ?? '', unkept };
  const prompt = said.findLast(({ isPrompt }) => isPrompt);
  const newest = said.at(-1)?.isNew === true ? said.at(-1) : undefined;
  const must = said.filter((unit) => unit === prompt || unit === newest);
  const smallest = smallestFront(sources, counter, must.some(isFenced) ? [FENCE_LESSON] : []);
  const tools = weighTools(options.tools, counter);
  const roomForAll = budget - TOKENS_PER_REQUEST - tools.tokens - smallest.tokens;
  const pictures = chooseImages(parseImages(options.images), must, prompt, roomForAll, fitting);
  const { given, sent, standIns } = pictures;
  const images = weighImages(sent);
  const units = withStandIns(said, prompt, standIns);
  const baseTokens = Math.max(0, roomForAll - images.tokens);
  const largestTokens = Math.floor(baseTokens * LARGEST_ITEM_SHARE);
  const roomForMust = baseTokens - sumTokens(standIns);
  const mandatory = [...standIns, ...fitMandatory(must, prompt, roomForMust, largestTokens, fitting)];
  const needed = budget - roomForAll + images.tokens + sumTokens(mandatory);
  if (needed > budget) throw budgetTooSmall(budget, needed);

  const isKept = ({ key }: Capture): boolean => !unkept.has(key);
  const isLarge = (message: Message): boolean => messageTokens(message, counter) > largestTokens;
  const hasRefs =
    mandatory.some(({ captures }) => captures.some(isKept)) ||
    units.some(
      (unit) => keysIn(unit.messages).size > 0 || (!must.includes(unit) && unit.messages.some(isLarge)),
    );
  const { standingTokens = STANDING_TOKENS, extracts } = options;
  const plan: Plan = {
    ...{ sources, units, unanswered, baseTokens, largestTokens, shares, fitting, extracts },
    smallestFront: smallest,
    mandatory: new Map(mandatory.map((fitted) => [fitted.unit, fitted])),
    roomTokens: baseTokens - sumTokens(mandatory),
    standingTokens: Math.min(standingTokens, Math.floor(shares.standing.ceiling * budget)),
    lessons: lessonsFor(sources, extracts !== undefined || units.some(isFenced), hasRefs),
  };
  const draft = fillTail(plan, ...chooseFront(plan));
  let messages = draftMessages(draft);
  const weigh = (): number => requestTokens(messages, counter) + tools.tokens + images.tokens;
  let total = weigh();
  while (total > budget) {
    if (!shed(draft)) throw budgetTooSmall(budget, total);
    messages = draftMessages(draft);
    total = weigh();
  }
  const shown = [...draft.older, ...draft.turn];
  for (const fitted of shown) {
    const lost = { ...fitted, tokens: Number.POSITIVE_INFINITY };
    for (const { key } of fitted.captures)
      if (unkept.has(key)) draft.misses.push(missOf(lost, `cut, and could not be kept: ${unkept.get(key)}`));
  }
  draft.misses.push(...pictures.misses);
  const { pieces, segments } = describeDraft(draft, tools, images, counter);
  const manifest: Manifest = {
    ...{ budget, total, tokenizer: counter.name, pieces },
    ...nearestMisses(draft.misses, sources.earlierMessages ?? 0),
    ...compareSegments(segments, previous?.segments),
    ...(given === 0 ? {} : { images: { given, sent } }),
    segments,
  };
  return { messages, manifest, captures: shown.flatMap(({ captures }) => captures.filter(isKept)) };
}

/** What stands for pictures comes right before the message that they were sent with. */
function withStandIns(
  units: readonly Unit[],
  prompt: Unit | undefined,
  standIns: readonly FittedUnit[],
): readonly Unit[] {
  const at = prompt?.isNew === true ? units.indexOf(prompt) : units.findIndex(({ isNew }) => isNew);
  return units.toSpliced(at < 0 ? units.length : at, 0, ...standIns.map(({ unit }) => unit));
}

/** The conversation without what this turn brings again, then this turn, and where it begins. */
function inOrder({ conversation, newMessages }: ContextSources): Parameters<typeof toUnits> {
  const ids = new Set(newMessages.flatMap(({ id }) => (id === undefined ? [] : [id])));
  const before = conversation.filter(({ id }) => id === undefined || !ids.has(id));
  return [[...before, ...newMessages], before.length];
}

type ChosenFront = readonly [front: WholeFront, leftTokens: number, isWhole: boolean];

/**
 * The front whole, when everything fits with it; above its ceilings, when all messages and the floors of what is recalled
 * do; else the largest that leaves the others their floors.
 * @returns with what it leaves to the tail, and whether all messages fit as they are
 */
function chooseFront(plan: Plan): ChosenFront {
  const { smallestFront: smallest, units, mandatory, roomTokens, shares } = plan;
  const hasOthers = units.length > mandatory.size;
  const messageFloor = hasOthers ? Math.floor(shares.conversation.floor * roomTokens) : 0;
  let demand: TailDemand | undefined;
  let largest: ChosenFront | undefined;
  let misses = smallest.misses;
  for (const step of STEPS) {
    const front = renderFront(plan, step);
    demand ??= weighTail(plan, front);
    const leftTokens = roomTokens + smallest.tokens - front.tokens;
    const isWhole = demand.messages <= leftTokens - demand.recalled;
    const chosen = [front, leftTokens, isWhole] as const;
    if (isWhole && (!Number.isFinite(step) || demand.messages <= leftTokens - demand.floors)) return chosen;
    if (step <= 1 && messageFloor + demand.floors <= leftTokens) return chosen;
    if (step <= 1 && leftTokens >= 0) largest ??= chosen;
    misses = front.misses;
  }
  // What the last of them leaves out is not in the smallest either.
  return largest ?? [{ ...smallest, misses }, roomTokens, false];
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
