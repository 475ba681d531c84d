import type { ArchivedMessage, Message } from '../core/messages.ts';
import type { Shares } from '../core/shares.ts';
import { type Draft, idOf, lessonsOfRecalled, missOf } from './draft.ts';
import { cutHead } from './excerpt.ts';
import { fence } from './fence.ts';
import { type FittedUnit, fitUnit, keysIn, refsIn, uncut } from './fit-messages.ts';
import { partOf, teachesFences } from './front.ts';
import { hashOf, type NearMiss } from './manifest.ts';
import { messageTokens, sumTokens } from './message-tokens.ts';
import { type Front, makeFront, type Part, type WholeFront } from './part.ts';
import type { Plan } from './plan.ts';
import { recalledHeading, type Selection, selectMemories, selectReferences } from './recalled.ts';
import type { ContextSources, DetailReference } from './sources.ts';
import { isFenced, lowestTrust, maySpeakAsSystem } from './units.ts';

type RecalledSection = 'memories' | 'details' | 'placeholders';

function floorOf({ shares, roomTokens }: Plan, name: keyof Shares): number {
  return Math.floor(shares[name].floor * roomTokens);
}

/** Kept free in a full prompt whether they are used or not: else the conversation would begin elsewhere every turn. */
function floorsOf(plan: Plan): number {
  return floorOf(plan, 'memories') + floorOf(plan, 'details') + floorOf(plan, 'placeholders');
}

/** The floor of placeholders, when there are any that are not in sight already. */
function reserveFor(
  plan: Plan,
  name: 'details' | 'placeholders',
  references: readonly DetailReference[],
  inSight: ReadonlySet<string>,
): number {
  return references.some(({ key }) => !inSight.has(key)) ? floorOf(plan, name) : 0;
}

/** What the tail wants of the room. */
export interface TailDemand {
  /** Of all messages that may leave, whole; infinite when there are more than can fit. */
  readonly messages: number;
  /** What recalled memories, details and placeholders need, each up to its floor. */
  readonly recalled: number;
  readonly floors: number;
}

export function weighTail(plan: Plan, front: Front): TailDemand {
  const { sources, units, mandatory, roomTokens, fitting } = plan;
  const { counter } = fitting;
  const floors = floorsOf(plan);
  let messages = (sources.earlierMessages ?? 0) > 0 ? Number.POSITIVE_INFINITY : 0;
  for (let at = units.length - 1; at >= 0 && messages <= roomTokens; at--) {
    if (mandatory.has(units[at]!)) continue;
    for (const message of units[at]!.messages) messages += messageTokens(message, counter);
  }
  if (messages > roomTokens) return { messages, recalled: floors, floors };
  const shown = units.flatMap((unit) => unit.messages);
  const limit = floorOf(plan, 'memories');
  const { kept, misses } = selectMemories(sources.memories, shown, standingIn(front), { limit, counter });
  const isFull = misses.some(({ why }) => why === 'did not fit');
  const inSight = keysIn(shown);
  const recalled =
    (isFull ? limit : sizeOf(kept)) +
    reserveFor(plan, 'details', sources.details, inSight) +
    reserveFor(plan, 'placeholders', sources.placeholders, inSight) +
    headingTokens(plan, front, kept.length > 0);
  return { messages, recalled, floors };
}

function headingTokens({ sources, fitting }: Plan, front: Front, hasEntries: boolean): number {
  const { today, memories, details, placeholders } = sources;
  const hasRefs = details.length + placeholders.length > 0;
  const hasFences = hasRefs || memories.some(({ provenance }) => !maySpeakAsSystem(provenance.trust));
  const lessons = hasFences && !teachesFences(front) ? lessonsOfRecalled(hasRefs) : [];
  const content = recalledHeading(today, hasEntries, lessons);
  return content === '' ? 0 : messageTokens({ role: 'user', content: `${content}\n` }, fitting.counter);
}

function standingIn({ parts }: Front): ReadonlySet<string> {
  const standing = parts.filter(({ section }) => section === 'standing');
  return new Set(standing.flatMap(({ pieces }) => pieces.map(({ source }) => source.id)));
}

/**
 * This turn first, newest first; then the conversation: all of it, or what the floors of the recalled leave; then
 * memories, details and placeholders share what there is.
 * @param leftTokens what the front leaves
 * @param isWhole all messages fit as they are
 */
export function fillTail(plan: Plan, front: WholeFront, leftTokens: number, isWhole: boolean): Draft {
  const { sources, units, mandatory, baseTokens, shares } = plan;
  const mayShow = teachesFences(front) || !units.some((unit) => isFenced(unit) && !mandatory.has(unit));
  const heading = headingTokens(plan, front, true);
  const floors = Math.max(floorsOf(plan), heading);
  const forExtracts = plan.extracts === undefined ? 0 : floorOf(plan, 'summary');
  const filling = isWhole ? { ...plan, largestTokens: Number.POSITIVE_INFINITY } : plan;
  const within = (tokens: number): number =>
    mayShow ? (isWhole ? Number.POSITIVE_INFINITY : Math.max(0, tokens)) : 0;

  let room = leftTokens;
  const turn = takeNewest(filling, true, within(room - floors));
  room -= turn.tokens;
  const ceiling = Math.floor(shares.conversation.ceiling * baseTokens);
  const older = takeNewest(filling, false, within(Math.min(ceiling, room - floors - forExtracts)));
  room -= older.tokens;
  const extracts = extractsOf(older.gone, Math.min(forExtracts, room - floors), plan);
  room -= extracts.reduce((sum, { pieces }) => sum + sumTokens(pieces) + 2, 0);
  const draft: Draft = {
    plan,
    front:
      extracts.length === 0
        ? front
        : makeFront([...front.parts, ...extracts], front.misses, plan.fitting.counter),
    older: [...older.kept],
    memories: [],
    details: [],
    placeholders: [],
    turn: [...turn.kept],
    misses: [
      ...(sources.misses ?? []),
      ...front.misses,
      ...plan.unanswered.map((message): NearMiss => {
        const source = { layer: 'transcript', id: message.id ?? message.tool_calls![0]!.id } as const;
        return { section: 'conversation', source, why: 'a tool call without a result' };
      }),
      ...turn.gone.toReversed().map((one) => missOf(one, 'older than this turn has room for')),
      ...older.gone.toReversed().map((one) => missOf(one, 'older than the conversation has room for')),
    ],
  };
  const hidden = [turn, older].flatMap(({ kept, gone }) => [
    ...kept
      .toReversed()
      .flatMap(({ unit, cut }) => unit.messages.filter((_, at) => cut.has(at)).toReversed()),
    ...gone.toReversed().flatMap(({ unit }) => unit.messages.toReversed()),
  ]);
  fillRecalled(draft, room - heading, referencesIn(hidden, sources));
  return draft;
}

interface Taken {
  /** Oldest first. */
  readonly kept: readonly FittedUnit[];
  /** Oldest first. */
  readonly gone: readonly FittedUnit[];
  /** What those take that are not mandatory. */
  readonly tokens: number;
}

/** The newest units of this turn that fit, or of the conversation before it, from one of the marks of the ruler on. */
function takeNewest(plan: Plan, isNew: boolean, roomTokens: number): Taken {
  const { sources, units, mandatory, largestTokens, fitting } = plan;
  const fitted: FittedUnit[] = [];
  let tokens = 0;
  for (const unit of units.filter((one) => one.isNew === isNew).toReversed()) {
    // Only as far back as can matter: the cost of a turn must not grow with the conversation.
    const isNear = tokens <= roomTokens;
    const one =
      mandatory.get(unit) ??
      (isNear ? fitUnit(unit, largestTokens, fitting) : uncut(unit, Number.POSITIVE_INFINITY));
    if (!mandatory.has(unit)) tokens += one.tokens;
    fitted.push(one);
  }
  fitted.reverse();
  const items = fitted.map(({ unit, tokens }) => ({
    identity: unit.messages[0]!.id ?? unit.messages[0]!.content,
    tokens: mandatory.has(unit) ? 0 : tokens,
    isOpening: unit.isPrompt,
  }));
  const isComplete = (sources.earlierMessages ?? 0) === 0;
  const cut = findCut(items, roomTokens, isNew ? 'closest' : isComplete ? 'all' : 'mark');
  const isKept = ({ unit }: FittedUnit, at: number): boolean => at >= cut || mandatory.has(unit);
  return {
    kept: fitted.filter(isKept),
    gone: fitted.filter((one, at) => !isKept(one, at)),
    tokens: sumTokens(items.slice(cut)),
  };
}

function fillRecalled(draft: Draft, roomTokens: number, hidden: readonly DetailReference[]): void {
  const { plan, front } = draft;
  const { sources, shares, baseTokens, fitting } = plan;
  const shown = [...draft.older, ...draft.turn].flatMap(({ messages }) => messages);
  const inSight = keysIn(shown);
  const placeholders = [...hidden, ...sources.placeholders];
  const forPlaceholders = reserveFor(plan, 'placeholders', placeholders, inSight);
  const forBoth = reserveFor(plan, 'details', sources.details, inSight) + forPlaceholders;
  let room = roomTokens;
  const within = (name: RecalledSection, reserved: number) => ({
    limit: Math.min(Math.floor(shares[name].ceiling * baseTokens), room - reserved),
    counter: fitting.counter,
  });
  const take = (name: RecalledSection, { kept, misses }: Selection): void => {
    draft[name].push(...kept);
    draft.misses.push(...misses);
    room -= sizeOf(kept) + (name !== 'memories' && kept.length > 0 ? FENCE_TOKENS : 0);
  };
  take('memories', selectMemories(sources.memories, shown, standingIn(front), within('memories', forBoth)));
  take('details', selectReferences('details', sources.details, inSight, within('details', forPlaceholders)));
  take('placeholders', selectReferences('placeholders', placeholders, inSight, within('placeholders', 0)));
}

/** About what the fence around a list of placeholders takes. */
const FENCE_TOKENS = 24;

function sizeOf(kept: Selection['kept']): number {
  return sumTokens(kept.map(({ piece }) => piece));
}

/**
 * Extracts of the messages that are in no summary yet and that there is no room for, so that none is in neither. They
 * change when the conversation begins at another message, and not before.
 */
function extractsOf(gone: readonly FittedUnit[], limit: number, { extracts, fitting }: Plan): Part[] {
  const { counter } = fitting;
  const said = gone.filter(({ unit }) => unit.messages.length === 1);
  if (said.length === 0 || extracts === undefined) return [];
  const messages = said.map(({ unit }) => unit.origins[0]!.message as ArchivedMessage);
  const trust = lowestTrust(said.flatMap(({ unit }) => unit.trust ?? []))!;
  const id = `${idOf(messages)}…${idOf(messages.slice(-1))}`;
  const label = { kind: 'summary', id, messages: String(messages.length), trust };
  const body = cutHead(extracts(messages), limit - counter.count(fence(label, '\n')) - 4, counter);
  if (body === '') return [];
  const text = fence(label, body);
  const reason = 'extracts of messages that no summary covers yet and that there is no room for';
  const role = maySpeakAsSystem(trust) ? 'system' : 'user';
  const source = { layer: 'transcript', id } as const;
  const tokens = counter.count(text);
  return [partOf(text, { section: 'summary', role, source, reason, tokens, trust, is_cut: true })];
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
  return messages
    .flatMap((message) => refsIn(message).toReversed())
    .map(({ key, description = '' }) => ({ key, description, trust: trustOf.get(key) ?? 'untrusted' }));
}

/**
 * Where the conversation in the prompt begins, when not all of it fits.
 *
 * Dropping the oldest message on each turn would change the front of the conversation on each turn, and a provider's
 * prompt cache would never hold. So messages leave in chunks, as with the marks of a ruler: every message has a rank
 * that depends on its own identity alone, half of them 0, a quarter 1, an eighth 2 and so on. Of all beginnings that
 * fit and that leave the room filled to the half, the one of the highest rank is taken. It stays the beginning until it no
 * longer fits; then the prompt skips ahead to the next mark. No state is kept, so the same log gives the same cut, in
 * every process.
 */
const FILLED_AT_LEAST = 0.5;

export interface CutItem {
  /** Names it for good: the id, or what it says. */
  readonly identity: string;
  readonly tokens: number;
  /** A good place to begin: a user's message. */
  readonly isOpening: boolean;
}

/**
 * The index of the first item to keep; `items.length` when none fits.
 * @param from the closest that fits, a mark of the ruler, or a mark unless all of them fit
 */
export function findCut(
  items: readonly CutItem[],
  roomTokens: number,
  from: 'closest' | 'mark' | 'all',
): number {
  let first = items.length;
  let tokens = 0;
  const behind: number[] = [];
  while (first > 0 && tokens + items[first - 1]!.tokens <= roomTokens) {
    first--;
    tokens += items[first]!.tokens;
    behind[first] = tokens;
  }
  if (from === 'closest' || (first === 0 && from === 'all')) return first;
  const wanted = Math.min(tokens, roomTokens * FILLED_AT_LEAST);
  let best = first;
  let bestRank = -1;
  for (let at = first; at < items.length && behind[at]! >= wanted; at++) {
    const rank = rankOf(items[at]!.identity) + (items[at]!.isOpening ? OPENING_BONUS : 0);
    if (rank <= bestRank) continue;
    best = at;
    bestRank = rank;
  }
  return best;
}

/** Above every rank: an opening always goes before another message. */
const OPENING_BONUS = 64;

/** How many zeros a hash ends with. */
function rankOf(identity: string): number {
  const bits = Number.parseInt(hashOf(identity).slice(0, 8), 16);
  return 31 - Math.clz32((bits & -bits) >>> 0 || 0x8000_0000);
}
