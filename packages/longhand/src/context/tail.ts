import { findMemoryRefs } from '../core/memory-ref.ts';
import type { Message } from '../core/messages.ts';
import type { Share, SharedSection } from './budget.ts';
import { findCut } from './conversation-cut.ts';
import { type Draft, idOf, missOf } from './draft.ts';
import { type FittedUnit, fitUnit, keysIn, textsOf } from './fit-messages.ts';
import { messageTokens } from './message-tokens.ts';
import type { Front } from './pieces.ts';
import { recalledHeading, selectMemories, selectReferences } from './recalled.ts';
import type { Fitting } from './shorten.ts';
import type { ContextSources, DetailReference } from './sources.ts';
import { isFenced, type Unit } from './units.ts';

/** What the tail of the prompt is made from, and the room that the front has left for it. */
export interface TailInput {
  readonly sources: ContextSources;
  readonly units: readonly Unit[];
  readonly unanswered: readonly Message[];
  readonly mandatory: readonly FittedUnit[];
  readonly front: Front;
  readonly smallestFront: Front;
  /** Whether the front says what a fence is. */
  readonly mayShowStored: boolean;
  readonly roomTokens: number;
  /** What floors and ceilings are shares of. */
  readonly baseTokens: number;
  readonly largestTokens: number;
  readonly shares: Readonly<Record<SharedSection, Share>>;
  readonly fitting: Fitting;
}

/**
 * This turn first, newest first; then the conversation up to its ceiling; then memories, details and placeholders.
 * Each leaves the floors of those after it alone, whether they will need them or not: a conversation that took what
 * recall did not use would begin at another message on each turn.
 */
export function fillTail(input: TailInput): Draft {
  const { sources, mandatory, front, smallestFront, baseTokens, shares } = input;
  const { counter } = input.fitting;
  const floor = (name: SharedSection, isNeeded: boolean): number =>
    isNeeded ? Math.floor(shares[name].floor * baseTokens) : 0;
  const ceiling = (name: SharedSection): number => Math.floor(shares[name].ceiling * baseTokens);
  const draft: Draft = {
    front,
    smallestFront,
    older: [],
    today: sources.today,
    memories: [],
    details: [],
    placeholders: [],
    turn: [],
    mandatory: new Set(mandatory),
    misses: [
      ...(sources.misses ?? []),
      ...front.misses,
      ...input.unanswered.map((message) => ({
        section: 'conversation' as const,
        source: { layer: 'transcript' as const, id: message.id ?? message.tool_calls![0]!.id },
        why: 'a tool call that nobody answered',
      })),
    ],
  };
  const fittedOf = new Map(mandatory.map((fitted) => [fitted.unit, fitted]));
  const placeholderFloor = floor('placeholders', true);
  const detailFloor = floor('details', sources.details.length > 0);
  const memoryFloor = floor('memories', sources.memories.length > 0);
  const afterwards = memoryFloor + detailFloor + placeholderFloor;

  const { mayShowStored } = input;
  const mayShowMore = mayShowStored || !input.units.some((unit) => isFenced(unit) && !fittedOf.has(unit));
  const forMessages = (tokens: number): number => (mayShowMore ? Math.max(0, tokens) : 0);
  const forStored = (tokens: number): number => (mayShowStored ? tokens : 0);

  let room = input.roomTokens;
  const hiddenMessages: Message[] = [];
  room -= fillTurn(draft, input, fittedOf, forMessages(room - afterwards), hiddenMessages);
  room -= fillOlder(
    draft,
    input,
    fittedOf,
    Math.min(ceiling('conversation'), forMessages(room - afterwards)),
    hiddenMessages,
  );
  const hidden = referencesIn(hiddenMessages, sources);

  const shown = [...draft.older, ...draft.turn].flatMap(({ messages }) => messages);
  room -= messageTokens({ role: 'user', content: recalledHeading(sources.today) }, counter);
  const memories = selectMemories(sources.memories, shown, {
    limit: forStored(Math.min(ceiling('memories'), room - detailFloor - placeholderFloor)),
    counter,
  });
  draft.memories.push(...memories.kept);
  room -= memories.kept.reduce((sum, { piece }) => sum + piece.tokens, 0);
  const inSight = keysIn(shown);
  const details = selectReferences('details', sources.details, inSight, {
    limit: forStored(Math.min(ceiling('details'), room - placeholderFloor)),
    counter,
  });
  draft.details.push(...details.kept);
  if (details.kept.length > 0) room -= FENCE_TOKENS;
  room -= details.kept.reduce((sum, { piece }) => sum + piece.tokens, 0);
  const placeholders = selectReferences('placeholders', [...hidden, ...sources.placeholders], inSight, {
    limit: forStored(Math.min(ceiling('placeholders'), room)),
    counter,
  });
  draft.placeholders.push(...placeholders.kept);
  draft.misses.push(...memories.misses, ...details.misses, ...placeholders.misses);
  return draft;
}

/** About what the fence around a list of placeholders takes. */
const FENCE_TOKENS = 24;

/** Newest first, whole exchanges; the order of the turn is kept. Gives what it took beyond what is mandatory. */
function fillTurn(
  draft: Draft,
  { units, largestTokens, fitting }: TailInput,
  mandatory: ReadonlyMap<Unit, FittedUnit>,
  roomTokens: number,
  hidden: Message[],
): number {
  let used = 0;
  let isFull = false;
  for (const unit of units.filter(({ isNew }) => isNew).toReversed()) {
    const kept = mandatory.get(unit);
    const fitted = kept ?? fitUnit(unit, largestTokens, fitting);
    if (kept === undefined) {
      isFull ||= used + fitted.tokens > roomTokens;
      if (isFull) {
        draft.misses.push(missOf(fitted, 'older than this turn has room for'));
        hidden.push(...unit.messages.toReversed());
        continue;
      }
      used += fitted.tokens;
    }
    draft.turn.unshift(fitted);
    hidden.push(...hiddenBy(fitted));
  }
  return used;
}

/** The newest stretch of the conversation that fits, from one of the marks of the ruler on. */
function fillOlder(
  draft: Draft,
  { sources, units, largestTokens, fitting }: TailInput,
  mandatory: ReadonlyMap<Unit, FittedUnit>,
  roomTokens: number,
  hidden: Message[],
): number {
  const older = units.filter(({ isNew }) => !isNew);
  // Only as far back as can matter: the cost of a turn must not grow with the conversation.
  const fitted: FittedUnit[] = [];
  let tokens = 0;
  let from = older.length;
  while (from > 0 && tokens <= roomTokens) {
    const unit = older[--from]!;
    const one = mandatory.get(unit) ?? fitUnit(unit, largestTokens, fitting);
    fitted.unshift(one);
    if (!mandatory.has(unit)) tokens += one.tokens;
  }
  const items = fitted.map((one) => ({
    identity: one.unit.messages[0]!.id ?? one.unit.messages[0]!.content,
    tokens: mandatory.has(one.unit) ? 0 : one.tokens,
    isOpening: one.unit.isPrompt,
  }));
  const isComplete = from === 0 && (sources.earlierMessages ?? 0) === 0;
  const cut = findCut(items, roomTokens, isComplete);
  const gone: FittedUnit[] = [];
  for (const [at, one] of fitted.entries()) {
    if (at >= cut || mandatory.has(one.unit)) draft.older.push(one);
    else gone.push(one);
  }
  for (const one of draft.older.toReversed()) hidden.push(...hiddenBy(one));
  for (const one of gone.toReversed()) {
    draft.misses.push(missOf(one, 'older than the conversation has room for'));
    hidden.push(...one.unit.messages.toReversed());
  }
  for (let at = from - 1; at >= 0; at--) {
    const { messages } = older[at]!;
    const needed = mandatory.get(older[at]!);
    if (needed !== undefined) {
      draft.older.unshift(needed);
      continue;
    }
    draft.misses.push(unweighedMiss(messages));
    hidden.push(...messages.toReversed());
  }
  if ((sources.earlierMessages ?? 0) > 0) {
    draft.misses.push({
      section: 'conversation',
      source: { layer: 'transcript', id: `the ${sources.earlierMessages} messages before those` },
      why: 'older than the conversation has room for',
    });
  }
  return draft.older.reduce((sum, one) => sum + (mandatory.has(one.unit) ? 0 : one.tokens), 0);
}

function unweighedMiss(messages: readonly Message[]): Draft['misses'][number] {
  return {
    section: 'conversation',
    source: { layer: 'transcript', id: idOf(messages) },
    why: 'older than the conversation has room for',
  };
}

/** What a preview does not show may hold placeholders that it no longer shows. */
function hiddenBy({ unit, cut }: FittedUnit): Message[] {
  return unit.messages.filter((_, at) => cut.has(at)).toReversed();
}

/**
 * The placeholders in messages, newest first as the messages are. What a message says of a value may come from anywhere:
 * it is trusted as far as the value is known to be, and not at all when it is not known.
 */
function referencesIn(
  messages: readonly Message[],
  { details, placeholders }: ContextSources,
): DetailReference[] {
  const trustOf = new Map([...details, ...placeholders].map(({ key, trust }) => [key, trust]));
  return messages.flatMap((message) =>
    textsOf(message)
      .flatMap(findMemoryRefs)
      .map(({ key, description = '' }) => ({ key, description, trust: trustOf.get(key) ?? 'untrusted' }))
      .toReversed(),
  );
}
