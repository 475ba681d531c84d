import type { Message } from '../core/messages.ts';
import type { TokenCounter } from '../core/token-counter.ts';
import type { WeighedBeside } from './beside.ts';
import type { Section } from './budget.ts';
import { FENCE_LESSON } from './fence.ts';
import type { FittedUnit } from './fit-messages.ts';
import { frontMessages, inOrder, teachesFences } from './front.ts';
import * as manifest from './manifest.ts';
import { byCreation } from './memory-line.ts';
import { messageTokens } from './message-tokens.ts';
import type { Front } from './part.ts';
import { fenceReferences, REFS_LESSON, type Recalled, recalledHeading } from './recalled.ts';
import { maySpeakAsSystem } from './units.ts';

/** A prompt in the making: what is in it, in order, and what is not. */
export interface Draft {
  front: Front;
  /** What is left of the front when all else fails; undefined when it has come to that. */
  smallestFront: Front | undefined;
  /** Conversation before this turn, oldest first. */
  readonly older: FittedUnit[];
  /** The day on which it is asked. */
  readonly today: string | undefined;
  /** By id: how well memories fit that were found for this turn. */
  readonly scores: ReadonlyMap<string, NonNullable<manifest.ManifestPiece['score']>>;
  /** Best first; printed oldest first. */
  readonly memories: Recalled[];
  readonly details: Recalled[];
  readonly placeholders: Recalled[];
  readonly turn: FittedUnit[];
  /** Those that stay whatever happens. */
  readonly mandatory: ReadonlySet<FittedUnit>;
  readonly misses: manifest.NearMiss[];
}

/** The messages as they are sent. */
export function draftMessages(draft: Draft): Message[] {
  const recalled = recalledText(draft);
  return [
    ...frontMessages(draft.front),
    ...draft.older.flatMap(({ messages }) => messages),
    ...(recalled === '' ? [] : [{ role: 'user' as const, content: recalled }]),
    ...draft.turn.flatMap(({ messages }) => messages),
  ];
}

function inPrintedOrder(memories: readonly Recalled[]): readonly Recalled[] {
  return memories.toSorted((a, b) => byCreation(a.memory!, b.memory!));
}

function recalledText({ front, today, memories, details, placeholders }: Draft): string {
  const blocks = [
    ...inPrintedOrder(memories).map(({ text }) => text),
    ...(details.length === 0 ? [] : [fenceReferences('details', details)]),
    ...(placeholders.length === 0 ? [] : [fenceReferences('placeholders', placeholders)]),
  ];
  const hasRefs = details.length + placeholders.length > 0;
  const isFenced = hasRefs || memories.some(({ piece }) => !maySpeakAsSystem(piece.trust!));
  const lessons = isFenced && !teachesFences(front) ? lessonsOfRecalled(hasRefs) : [];
  const isDated = blocks.length > 0 || front.parts.some(({ section }) => section === 'standing');
  const heading = recalledHeading(isDated ? today : undefined, blocks.length > 0, lessons);
  // Every block with the line break that it was weighed with.
  return heading === '' ? '' : [heading, ...blocks, ''].join('\n');
}

/** Said here when the front does not: a front that changed with what is recalled would not stay in any cache. */
export function lessonsOfRecalled(hasRefs: boolean): readonly string[] {
  return hasRefs ? [FENCE_LESSON, REFS_LESSON] : [FENCE_LESSON];
}

/** Drops what is missed least. False when only that is left which must stay. */
export function shed(draft: Draft): boolean {
  for (const section of ['placeholders', 'details', 'memories'] as const) {
    const dropped = draft[section].pop();
    if (dropped === undefined) continue;
    draft.misses.push(dropped.miss);
    return true;
  }
  for (const units of [draft.older, draft.turn]) {
    const at = units.findIndex((unit) => !draft.mandatory.has(unit));
    if (at < 0) continue;
    const [dropped] = units.splice(at, 1);
    draft.misses.push(missOf(dropped!, 'did not fit'));
    return true;
  }
  if (draft.smallestFront === undefined) return false;
  for (const { section, source, tokens } of draft.front.parts.flatMap(({ pieces }) => pieces))
    if (section !== 'system-prompt') draft.misses.push({ section, source, why: 'did not fit', tokens });
  draft.front = { ...draft.smallestFront, misses: draft.front.misses };
  draft.smallestFront = undefined;
  return true;
}

export function missOf({ unit, tokens }: FittedUnit, why: string): manifest.NearMiss {
  const weight = Number.isFinite(tokens) ? { tokens } : {};
  return { ...placeOf(unit), source: sourceOf(unit, unit.messages), why, ...weight };
}

function placeOf({ isNew }: FittedUnit['unit']): { readonly section: Section } {
  return { section: isNew ? 'new-messages' : 'conversation' };
}

function sourceOf(
  { isNew, standsFor }: FittedUnit['unit'],
  messages: readonly Message[],
): manifest.PieceSource {
  return { layer: isNew ? 'turn' : 'transcript', id: standsFor ?? idOf(messages) };
}

/** The first message names its unit. */
export function idOf(messages: readonly Message[]): string {
  return messages[0]?.id ?? `${messages[0]?.role} ${messages[0]?.timestamp ?? 'without an id'}`;
}

/** The messages of a conversation are the same objects from turn to turn. */
const hashes = new WeakMap<Message, string>();

function hashOfMessage(message: Message): string {
  let hash = hashes.get(message);
  if (hash === undefined) {
    hash = manifest.hashOf(JSON.stringify(message));
    hashes.set(message, hash);
  }
  return hash;
}

type Described = Pick<manifest.Manifest, 'pieces' | 'segments'>;

/** What is in the prompt, piece by piece, and as the next turn will compare it. */
export function describeDraft(draft: Draft, beside: WeighedBeside, counter: TokenCounter): Described {
  const parts = inOrder(draft.front);
  const recalled: [Section, readonly Recalled[]][] = [
    ['memories', inPrintedOrder(draft.memories)],
    ['details', draft.details],
    ['placeholders', draft.placeholders],
  ];
  // A standing memory that was found too says how well it fits.
  const withScore = (piece: manifest.ManifestPiece): manifest.ManifestPiece => {
    const score = piece.section === 'standing' ? draft.scores.get(piece.source.id) : undefined;
    return score === undefined ? piece : { ...piece, score };
  };
  const piecesOf = ({ unit, messages, cut }: FittedUnit): manifest.ManifestPiece[] =>
    messages.map((message, at) => ({
      ...placeOf(unit),
      role: message.role,
      source: sourceOf(unit, [message]),
      reason: reasonOf(unit, at),
      tokens: messageTokens(message, counter),
      trust: unit.trust,
      ...(cut.has(at) ? { is_cut: true as const } : {}),
    }));
  const segmentsOf = ({ unit, messages }: FittedUnit): manifest.Segment[] =>
    messages.map((message) => ({
      ...placeOf(unit),
      tokens: messageTokens(message, counter),
      hash: hashOfMessage(message),
    }));
  return {
    pieces: [
      ...beside.tools,
      ...parts.flatMap((part) => part.pieces.map(withScore)),
      ...draft.older.flatMap(piecesOf),
      ...recalled.flatMap(([, lines]) => lines.map(({ piece }) => piece)),
      ...draft.turn.flatMap(piecesOf),
      ...beside.images,
    ],
    segments: [
      ...beside.toolSegments,
      ...parts.map(({ section, text }) => ({
        ...{ section, tokens: counter.count(text), hash: manifest.hashOf(text) },
      })),
      ...draft.older.flatMap(segmentsOf),
      ...recalled.flatMap(([section, lines]) => {
        const tokens = lines.reduce((sum, { piece }) => sum + piece.tokens, 0);
        const hash = manifest.hashOf(lines.map(({ text }) => text).join('\n'));
        return lines.length === 0 ? [] : [{ section, tokens, hash }];
      }),
      ...draft.turn.flatMap(segmentsOf),
      ...beside.imageSegments,
    ],
  };
}

function reasonOf({ isNew, messages, standsFor }: FittedUnit['unit'], at: number): string {
  if (standsFor !== undefined) return 'stands for what there is no room for';
  const when = isNew ? 'of this turn' : 'not summarised yet';
  return messages.length > 1 && at > 0 ? `${when}; answers the call before it` : when;
}
