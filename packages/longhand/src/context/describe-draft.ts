import type { Message } from '../core/messages.ts';
import type { TokenCounter } from '../core/token-counter.ts';
import type { WeighedBeside } from './beside.ts';
import { SECTIONS, type Section } from './budget.ts';
import { type Draft, idOf } from './draft.ts';
import type { FittedUnit } from './fit-messages.ts';
import type { ChosenImages } from './images.ts';
import { compareSegments, hashOf, type Manifest, type ManifestPiece, type Segment } from './manifest.ts';
import { messageTokens } from './message-tokens.ts';

/** The messages of a conversation are the same objects from turn to turn. */
const hashes = new WeakMap<Message, string>();

function hashOfMessage(message: Message): string {
  let hash = hashes.get(message);
  if (hash === undefined) {
    hash = hashOf(JSON.stringify(message));
    hashes.set(message, hash);
  }
  return hash;
}

interface Facts {
  readonly beside: WeighedBeside;
  readonly images: Pick<ChosenImages, 'given' | 'sent'>;
  readonly budget: number;
  readonly total: number;
  readonly counter: TokenCounter;
  readonly previous: Pick<Manifest, 'segments'> | undefined;
}

/** Why the prompt looks as it does. */
export function describeDraft(
  draft: Draft,
  { beside, images: { given, sent }, budget, total, counter, previous }: Facts,
): Manifest {
  const parts = [
    ...draft.front.parts.filter(({ role }) => role === 'system'),
    ...draft.front.parts.filter(({ role }) => role === 'user'),
  ];
  const recalled = [...draft.memories, ...draft.details, ...draft.placeholders];
  const pieces: ManifestPiece[] = [
    ...beside.tools,
    ...parts.flatMap((part) => part.pieces),
    ...draft.older.flatMap((unit) => unitPieces(unit, counter)),
    ...recalled.map(({ piece }) => piece),
    ...draft.turn.flatMap((unit) => unitPieces(unit, counter)),
    ...beside.images,
  ];
  const segmentOf = (section: Section, text: string, tokens: number): Segment => ({
    section,
    tokens,
    hash: hashOf(text),
  });
  const ofMessage = (section: Section, message: Message): Segment => ({
    section,
    tokens: messageTokens(message, counter),
    hash: hashOfMessage(message),
  });
  const sectionOf = (pieces: typeof recalled, section: Section): Segment[] =>
    pieces.length === 0
      ? []
      : [
          segmentOf(
            section,
            pieces.map(({ text }) => text).join('\n'),
            pieces.reduce((sum, { piece }) => sum + piece.tokens, 0),
          ),
        ];
  const segments: Segment[] = [
    ...beside.toolSegments,
    ...parts.map(({ section, text }) => segmentOf(section, text, counter.count(text))),
    ...draft.older.flatMap(({ messages }) => messages.map((message) => ofMessage('conversation', message))),
    ...sectionOf(draft.memories, 'memories'),
    ...sectionOf(draft.details, 'details'),
    ...sectionOf(draft.placeholders, 'placeholders'),
    ...draft.turn.flatMap(({ messages }) => messages.map((message) => ofMessage('new-messages', message))),
    ...beside.imageSegments,
  ];
  const misses = draft.misses.toSorted((a, b) => SECTIONS.indexOf(a.section) - SECTIONS.indexOf(b.section));
  return {
    budget,
    total,
    tokenizer: counter.name,
    pieces,
    near_misses: misses,
    ...compareSegments(segments, previous?.segments),
    ...(given === 0 ? {} : { images: { given, sent } }),
    segments,
  };
}

function unitPieces({ unit, messages, cut }: FittedUnit, counter: TokenCounter): ManifestPiece[] {
  return messages.map((message, at) => ({
    section: unit.isNew ? 'new-messages' : 'conversation',
    role: message.role,
    source: { layer: unit.isNew ? 'turn' : 'transcript', id: unit.standsFor ?? idOf([message]) },
    reason: reasonOf(unit, at),
    tokens: messageTokens(message, counter),
    trust: unit.trust,
    ...(cut.has(at) ? { is_cut: true as const } : {}),
  }));
}

function reasonOf({ isNew, messages, standsFor }: FittedUnit['unit'], at: number): string {
  if (standsFor !== undefined) return 'stands for what there is no room for';
  const when = isNew ? 'of this turn' : 'not summarised yet';
  return messages.length > 1 && at > 0 ? `${when}; answers the call before it` : when;
}
