import { findMemoryRefs } from '../core/memory-ref.ts';
import type { ArchivedMessage, Message } from '../core/messages.ts';
import type { Shares } from '../core/shares.ts';
import { findCut } from './conversation-cut.ts';
import { type Draft, idOf, lessonsOfRecalled, missOf } from './draft.ts';
import { cutHead } from './excerpt.ts';
import { fence } from './fence.ts';
import { type FittedUnit, fitUnit, keysIn, textsOf } from './fit-messages.ts';
import { partOf, teachesFences } from './front.ts';
import { messageTokens } from './message-tokens.ts';
import type { Front, Part } from './part.ts';
import { recalledHeading, type Selection, scoreOf, selectMemories, selectReferences } from './recalled.ts';
import type { Fitting } from './shorten.ts';
import type { ContextSources, DetailReference } from './sources.ts';
import { isFenced, lowestTrust, maySpeakAsSystem, type Unit } from './units.ts';

/** What the tail of the prompt is made from. */
export interface TailInput {
  readonly sources: ContextSources;
  readonly units: readonly Unit[];
  readonly unanswered: readonly Message[];
  /** The units that must be there, as they fit. */
  readonly mandatory: ReadonlyMap<Unit, FittedUnit>;
  readonly smallestFront: Front;
  /** What all that must be there leaves. Floors are shares of it. */
  readonly roomTokens: number;
  /** What ceilings are shares of. */
  readonly baseTokens: number;
  readonly largestTokens: number;
  readonly shares: Shares;
  readonly fitting: Fitting;
  readonly extracts: ((messages: readonly ArchivedMessage[]) => string) | undefined;
}

type RecalledSection = 'memories' | 'details' | 'placeholders';

function floorOf({ shares, roomTokens }: TailInput, name: keyof Shares): number {
  return Math.floor(shares[name].floor * roomTokens);
}

/** Kept free in a full prompt whether they are used or not: else the conversation would begin elsewhere every turn. */
function floorsOf(input: TailInput): number {
  return floorOf(input, 'memories') + floorOf(input, 'details') + floorOf(input, 'placeholders');
}

/** What the tail wants of the room. */
export interface TailDemand {
  /** Of all messages that may leave, whole; infinite when there are more than can fit. */
  readonly messages: number;
  /** What recalled memories, details and placeholders need, each up to its floor. */
  readonly recalled: number;
  readonly floors: number;
}

export function weighTail(input: TailInput, front: Front): TailDemand {
  const { sources, units, mandatory, roomTokens, fitting } = input;
  const { counter } = fitting;
  const floors = floorsOf(input);
  let messages = (sources.earlierMessages ?? 0) > 0 ? Number.POSITIVE_INFINITY : 0;
  for (let at = units.length - 1; at >= 0 && messages <= roomTokens; at--) {
    if (mandatory.has(units[at]!)) continue;
    for (const message of units[at]!.messages) messages += messageTokens(message, counter);
  }
  if (messages > roomTokens) return { messages, recalled: floors, floors };
  const shown = units.flatMap((unit) => unit.messages);
  const limit = floorOf(input, 'memories');
  const { kept, misses } = selectMemories(sources.memories, shown, standingIn(front), { limit, counter });
  const isFull = misses.some(({ why }) => why === 'did not fit');
  const inSight = keysIn(shown);
  const forReferences = (name: 'details' | 'placeholders'): number =>
    sources[name].some(({ key }) => !inSight.has(key)) ? floorOf(input, name) : 0;
  const recalled =
    (isFull ? limit : sizeOf(kept)) +
    forReferences('details') +
    forReferences('placeholders') +
    headingTokens(input, front, kept.length > 0);
  return { messages, recalled, floors };
}

function headingTokens({ sources, fitting }: TailInput, front: Front, hasEntries: boolean): number {
  const lessons = teachesFences(front) ? [] : lessonsOfRecalled(true);
  const content = recalledHeading(sources.today, hasEntries, lessons);
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
export function fillTail(input: TailInput, front: Front, leftTokens: number, isWhole: boolean): Draft {
  const { sources, units, mandatory, baseTokens, shares } = input;
  const draft: Draft = {
    ...{ front, smallestFront: input.smallestFront, today: sources.today, older: [], turn: [] },
    ...{ memories: [], details: [], placeholders: [], mandatory: new Set(mandatory.values()) },
    scores: new Map(sources.memories.map((memory) => [memory.id, scoreOf(memory)])),
    misses: [
      ...(sources.misses ?? []),
      ...front.misses,
      ...input.unanswered.map((message) => ({
        section: 'conversation' as const,
        source: { layer: 'transcript' as const, id: message.id ?? message.tool_calls![0]!.id },
        why: 'a tool call without a result',
      })),
    ],
  };
  const mayShow = teachesFences(front) || !units.some((unit) => isFenced(unit) && !mandatory.has(unit));
  const heading = headingTokens(input, front, true);
  const floors = Math.max(floorsOf(input), heading);
  const forExtracts = input.extracts === undefined ? 0 : floorOf(input, 'summary');
  const filling = isWhole ? { ...input, largestTokens: Number.POSITIVE_INFINITY } : input;
  const within = (tokens: number): number =>
    mayShow ? (isWhole ? Number.POSITIVE_INFINITY : Math.max(0, tokens)) : 0;

  let room = leftTokens;
  const turn = takeNewest(filling, true, within(room - floors));
  room -= turn.tokens;
  const ceiling = Math.floor(shares.conversation.ceiling * baseTokens);
  const older = takeNewest(filling, false, within(Math.min(ceiling, room - floors - forExtracts)));
  room -= older.tokens;
  draft.turn.push(...turn.kept);
  draft.older.push(...older.kept);
  for (const one of turn.gone.toReversed())
    draft.misses.push(missOf(one, 'older than this turn has room for'));
  for (const one of older.gone.toReversed())
    draft.misses.push(missOf(one, 'older than the conversation has room for'));
  const part =
    forExtracts === 0 ? undefined : extractsOf(older.gone, Math.min(forExtracts, room - floors), input);
  if (part !== undefined) {
    draft.front = { ...front, parts: [...front.parts, part] };
    room -= part.pieces[0]!.tokens + 2;
  }
  const hidden = [turn, older].flatMap(({ kept, gone }) => [
    ...kept
      .toReversed()
      .flatMap(({ unit, cut }) => unit.messages.filter((_, at) => cut.has(at)).toReversed()),
    ...gone.toReversed().flatMap(({ unit }) => unit.messages.toReversed()),
  ]);
  fillRecalled(draft, input, room - heading, referencesIn(hidden, sources));
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
function takeNewest(input: TailInput, isNew: boolean, roomTokens: number): Taken {
  const { sources, units, mandatory, largestTokens, fitting } = input;
  const fitted: FittedUnit[] = [];
  let tokens = 0;
  for (const unit of units.filter((one) => one.isNew === isNew).toReversed()) {
    // Only as far back as can matter: the cost of a turn must not grow with the conversation.
    const one =
      mandatory.get(unit) ?? (tokens <= roomTokens ? fitUnit(unit, largestTokens, fitting) : unfitted(unit));
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
  const kept = fitted.filter(isKept);
  return {
    kept,
    gone: fitted.filter((one, at) => !isKept(one, at)),
    tokens: kept.reduce((sum, one) => sum + (mandatory.has(one.unit) ? 0 : one.tokens), 0),
  };
}

/** One that is too far back to be weighed. */
function unfitted(unit: Unit): FittedUnit {
  const { messages } = unit;
  return { unit, messages, tokens: Number.POSITIVE_INFINITY, cut: new Set(), captures: [], unkept: [] };
}

function fillRecalled(
  draft: Draft,
  input: TailInput,
  roomTokens: number,
  hidden: readonly DetailReference[],
): void {
  const { sources, shares, baseTokens, fitting } = input;
  const { counter } = fitting;
  const shown = [...draft.older, ...draft.turn].flatMap(({ messages }) => messages);
  const inSight = keysIn(shown);
  const placeholders = [...hidden, ...sources.placeholders];
  const reserve = (name: RecalledSection, references: readonly DetailReference[]): number =>
    references.some(({ key }) => !inSight.has(key)) ? floorOf(input, name) : 0;
  const forPlaceholders = reserve('placeholders', placeholders);
  const forBoth = reserve('details', sources.details) + forPlaceholders;
  let room = roomTokens;
  const within = (name: RecalledSection, reserved: number) => ({
    limit: Math.min(Math.floor(shares[name].ceiling * baseTokens), room - reserved),
    counter,
  });
  const take = (name: RecalledSection, { kept, misses }: Selection): void => {
    draft[name].push(...kept);
    draft.misses.push(...misses);
    room -= sizeOf(kept) + (name !== 'memories' && kept.length > 0 ? FENCE_TOKENS : 0);
  };
  const standing = standingIn(draft.front);
  take('memories', selectMemories(sources.memories, shown, standing, within('memories', forBoth)));
  take('details', selectReferences('details', sources.details, inSight, within('details', forPlaceholders)));
  take('placeholders', selectReferences('placeholders', placeholders, inSight, within('placeholders', 0)));
}

/** About what the fence around a list of placeholders takes. */
const FENCE_TOKENS = 24;

function sizeOf(kept: Selection['kept']): number {
  return kept.reduce((sum, { piece }) => sum + piece.tokens, 0);
}

/**
 * Extracts of the messages that are in no summary yet and that there is no room for, so that none is in neither. They
 * change when the conversation begins at another message, and not before.
 */
function extractsOf(gone: readonly FittedUnit[], limit: number, input: TailInput): Part | undefined {
  const { extracts, fitting } = input;
  const { counter } = fitting;
  const said = gone.filter(({ unit }) => unit.messages.length === 1);
  if (said.length === 0 || extracts === undefined) return undefined;
  const messages = said.map(({ unit }) => unit.origins[0]!.message as ArchivedMessage);
  const trust = lowestTrust(said.flatMap(({ unit }) => unit.trust ?? []))!;
  const id = `${idOf(messages)}…${idOf(messages.slice(-1))}`;
  const label = { kind: 'summary', id, messages: String(messages.length), trust };
  const body = cutHead(extracts(messages), limit - counter.count(fence(label, '\n')) - 4, counter);
  if (body === '') return undefined;
  const text = fence(label, body);
  const reason = 'extracts of messages that no summary covers yet and that there is no room for';
  const role = maySpeakAsSystem(trust) ? 'system' : 'user';
  const source = { layer: 'transcript', id } as const;
  const tokens = counter.count(text);
  return partOf(text, { section: 'summary', role, source, reason, tokens, trust, is_cut: true });
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
