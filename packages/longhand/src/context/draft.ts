import type { Message } from '../core/messages.ts';
import type { FittedUnit } from './fit-messages.ts';
import { frontMessages } from './front.ts';
import type { NearMiss } from './manifest.ts';
import type { Front } from './pieces.ts';
import { fenceReferences, type Recalled, recalledHeading } from './recalled.ts';

/** A prompt in the making: what is in it, in order, and what is not. */
export interface Draft {
  front: Front;
  /** What is left of the front when all else fails; undefined when it has come to that. */
  smallestFront: Front | undefined;
  /** Conversation before this turn, oldest first. */
  readonly older: FittedUnit[];
  /** The day on which it is asked. */
  readonly today: string | undefined;
  readonly memories: Recalled[];
  readonly details: Recalled[];
  readonly placeholders: Recalled[];
  readonly turn: FittedUnit[];
  /** Those that stay whatever happens. */
  readonly mandatory: ReadonlySet<FittedUnit>;
  readonly misses: NearMiss[];
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

export function recalledText({ today, memories, details, placeholders }: Draft): string {
  const blocks = [
    ...memories.map(({ text }) => text),
    ...(details.length === 0 ? [] : [fenceReferences('details', details)]),
    ...(placeholders.length === 0 ? [] : [fenceReferences('placeholders', placeholders)]),
  ];
  // Every block with the line break that it was weighed with.
  return blocks.length === 0 ? '' : [recalledHeading(today), ...blocks, ''].join('\n');
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
  for (const { pieces } of draft.front.parts) {
    for (const { section, source, tokens } of pieces) {
      if (section !== 'system-prompt') draft.misses.push({ section, source, why: 'did not fit', tokens });
    }
  }
  draft.front = { ...draft.smallestFront, misses: draft.front.misses };
  draft.smallestFront = undefined;
  return true;
}

export function missOf({ unit, tokens }: FittedUnit, why: string): NearMiss {
  return {
    section: unit.isNew ? 'new-messages' : 'conversation',
    source: { layer: unit.isNew ? 'turn' : 'transcript', id: idOf(unit.messages) },
    why,
    tokens,
  };
}

/** The first message names its unit. */
export function idOf(messages: readonly Message[]): string {
  return messages[0]?.id ?? `${messages[0]?.role} ${messages[0]?.timestamp ?? 'without an id'}`;
}
