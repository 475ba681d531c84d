import type { ArchivedMessage, Message } from '../core/messages.ts';
import type { Shares } from '../core/shares.ts';
import type { FittedUnit } from './fit-messages.ts';
import type { WholeFront } from './part.ts';
import type { Fitting } from './shorten.ts';
import type { ContextSources } from './sources.ts';
import type { Unit } from './units.ts';

/** What a prompt is made from, once it is known what must be in it. */
export interface Plan {
  readonly sources: ContextSources;
  readonly units: readonly Unit[];
  readonly unanswered: readonly Message[];
  /** The units that must be there, as they fit. */
  readonly mandatory: ReadonlyMap<Unit, FittedUnit>;
  readonly smallestFront: WholeFront;
  /** What all that must be there leaves. Floors of the tail are shares of it. */
  readonly roomTokens: number;
  /** What ceilings, and floors of the front, are shares of. */
  readonly baseTokens: number;
  /** In a full prompt a message above it becomes a preview. */
  readonly largestTokens: number;
  readonly shares: Shares;
  /** The most that standing memories may take. */
  readonly standingTokens: number;
  /** What the model has to be taught, the lesson on fences first. */
  readonly lessons: readonly string[];
  readonly fitting: Fitting;
  /** A synopsis of messages that there is no room for; none when left out. */
  readonly extracts: ((messages: readonly ArchivedMessage[]) => string) | undefined;
}
