import type { Message } from '../core/messages.ts';
import type { TokenCounter } from '../core/token-counter.ts';
import type { Weighed } from './beside.ts';
import type { Section } from './budget.ts';
import { FENCE_LESSON } from './fence.ts';
import type { FittedUnit } from './fit-messages.ts';
import { teachesFences } from './front.ts';
import {
  hashOf,
  type Manifest,
  type ManifestPiece,
  missed,
  type NearMiss,
  type Segment,
} from './manifest.ts';
import { byCreation } from './memory-line.ts';
import { messageTokens, onceFor, sumTokens } from './message-tokens.ts';
import type { WholeFront } from './part.ts';
import type { Plan } from './plan.ts';
import { fenceReferences, REFS_LESSON, type Recalled, recalledHeading, scoreOf } from './recalled.ts';
import { maySpeakAsSystem, type Unit } from './units.ts';

/** A prompt in the making: what is in it, in order, and what is not. */
export interface Draft {
  readonly plan: Plan;
  front: WholeFront;
  /** Conversation before this turn, oldest first. */
  readonly older: FittedUnit[];
  /** Best first; printed oldest first. */
  readonly memories: Recalled[];
  readonly details: Recalled[];
  readonly placeholders: Recalled[];
  readonly turn: FittedUnit[];
  readonly misses: NearMiss[];
}

/** The messages as they are sent. */
export function draftMessages(draft: Draft): Message[] {
  const recalled = recalledText(draft);
  return [
    ...draft.front.messages,
    ...draft.older.flatMap(({ messages }) => messages),
    ...(recalled === '' ? [] : [{ role: 'user' as const, content: recalled }]),
    ...draft.turn.flatMap(({ messages }) => messages),
  ];
}

function inPrintedOrder(memories: readonly Recalled[]): readonly Recalled[] {
  return memories.toSorted((a, b) => byCreation(a.memory!, b.memory!));
}

function recalledText({ plan, front, memories, details, placeholders }: Draft): string {
  const blocks = [
    ...inPrintedOrder(memories).map(({ text }) => text),
    ...(details.length === 0 ? [] : [fenceReferences('details', details)]),
    ...(placeholders.length === 0 ? [] : [fenceReferences('placeholders', placeholders)]),
  ];
  const hasRefs = details.length + placeholders.length > 0;
  const isFenced = hasRefs || memories.some(({ piece }) => !maySpeakAsSystem(piece.trust!));
  const lessons = isFenced && !teachesFences(front) ? lessonsOfRecalled(hasRefs) : [];
  const isDated = blocks.length > 0 || front.parts.some(({ section }) => section === 'standing');
  const heading = recalledHeading(isDated ? plan.sources.today : undefined, blocks.length > 0, lessons);
  // Every block with the line break that it was weighed with.
  return heading === '' ? '' : [heading, ...blocks, ''].join('\n');
}

/** Said here when the front does not: a front that changed with what is recalled would not stay in any cache. */
export function lessonsOfRecalled(hasRefs: boolean): readonly string[] {
  return hasRefs ? [FENCE_LESSON, REFS_LESSON] : [FENCE_LESSON];
}

const DID_NOT_FIT = 'did not fit';

/** Drops what is missed least. False when only that is left which must stay. */
export function shed(draft: Draft): boolean {
  const { mandatory, smallestFront } = draft.plan;
  for (const section of ['placeholders', 'details', 'memories'] as const) {
    const dropped = draft[section].pop();
    if (dropped === undefined) continue;
    draft.misses.push(missed(dropped.piece, DID_NOT_FIT));
    return true;
  }
  for (const units of [draft.older, draft.turn]) {
    const at = units.findIndex(({ unit }) => !mandatory.has(unit));
    if (at < 0) continue;
    const [dropped] = units.splice(at, 1);
    draft.misses.push(missOf(dropped!, DID_NOT_FIT));
    return true;
  }
  if (draft.front.messages === smallestFront.messages) return false;
  const pieces = draft.front.parts.flatMap((part) => part.pieces);
  for (const { section, source, tokens } of pieces)
    if (section !== 'system-prompt') draft.misses.push(missed({ section, source, tokens }, DID_NOT_FIT));
  draft.front = smallestFront;
  return true;
}

export function missOf({ unit, tokens }: FittedUnit, why: string): NearMiss {
  return missed({ section: sectionOf(unit), source: sourceOf(unit, unit.messages), tokens }, why);
}

function sectionOf({ isNew }: Unit): Section {
  return isNew ? 'new-messages' : 'conversation';
}

function sourceOf({ isNew, standsFor }: Unit, messages: readonly Message[]): NearMiss['source'] {
  return { layer: isNew ? 'turn' : 'transcript', id: standsFor ?? idOf(messages) };
}

/** The first message names its unit. */
export function idOf(messages: readonly Message[]): string {
  return messages[0]?.id ?? `${messages[0]?.role} ${messages[0]?.timestamp ?? 'without an id'}`;
}

/** The messages of a conversation are the same objects from turn to turn. */
const hashOfMessage = onceFor((message: Message) => hashOf(JSON.stringify(message)));

type Described = Pick<Manifest, 'pieces' | 'segments'>;

/** What is in the prompt, piece by piece, and as the next turn will compare it. */
export function describeDraft(
  draft: Draft,
  tools: Weighed,
  images: Weighed,
  counter: TokenCounter,
): Described {
  // A standing memory that was found too says how well it fits.
  const scores = new Map(draft.plan.sources.memories.map((memory) => [memory.id, scoreOf(memory)]));
  const withScore = (piece: ManifestPiece): ManifestPiece => {
    const score = piece.section === 'standing' ? scores.get(piece.source.id) : undefined;
    return score === undefined ? piece : { ...piece, score };
  };
  const describeUnit = (fitted: FittedUnit): Described => {
    const pieces = fitted.messages.map((message, at) => pieceOf(fitted, message, at, counter));
    const segments = pieces.map(({ section, tokens }, at) => {
      return { section, tokens, hash: hashOfMessage(fitted.messages[at]!) };
    });
    return { pieces, segments };
  };
  const describeLines = (section: Section, lines: readonly Recalled[]): Described => {
    const pieces = lines.map(({ piece }) => piece);
    const hash = hashOf(lines.map(({ text }) => text).join('\n'));
    return { pieces, segments: lines.length === 0 ? [] : [{ section, tokens: sumTokens(pieces), hash }] };
  };
  const all = [
    tools,
    ...draft.front.parts.map(({ section, text, pieces }) => ({
      pieces: pieces.map(withScore),
      segments: [{ section, tokens: counter.count(text), hash: hashOf(text) }],
    })),
    ...draft.older.map(describeUnit),
    describeLines('memories', inPrintedOrder(draft.memories)),
    describeLines('details', draft.details),
    describeLines('placeholders', draft.placeholders),
    ...draft.turn.map(describeUnit),
    images,
  ];
  return {
    pieces: all.flatMap(({ pieces }) => pieces),
    segments: all.flatMap(({ segments }): readonly Segment[] => segments),
  };
}

function pieceOf(
  { unit, cut }: FittedUnit,
  message: Message,
  at: number,
  counter: TokenCounter,
): ManifestPiece {
  const when = unit.isNew ? 'of this turn' : 'not summarised yet';
  const reason = at > 0 ? `${when}; answers the call before it` : when;
  return {
    section: sectionOf(unit),
    role: message.role,
    source: sourceOf(unit, [message]),
    reason: unit.standsFor === undefined ? reason : 'stands for what there is no room for',
    tokens: messageTokens(message, counter),
    trust: unit.trust,
    ...(cut.has(at) ? { is_cut: true as const } : {}),
  };
}
