import type { AccessRecord, DecayOverride } from '../../core/records.ts';
import type { LogPosition } from '../../core/store.ts';
import { MemoryUses } from '../../recall/index/index.ts';
import { type DecayPolicy, resolveDecayPolicy } from '../../recall/ranking/index.ts';
import type { TextsById } from '../../recall/vectors/index.ts';
import type { LayerContext } from '../layer-context.ts';
import type { Replacements } from '../memories/replacements.ts';
import type { DamagedLine } from '../memories/trouble-reports.ts';
import { addUse, type Use } from '../memories/uses.ts';
import type { CoveredSession, IndexedHistory } from './index-manifest.ts';

export const NONE: TextsById & Replacements = new Map();
/** No log is of this generation: a reader that follows one from there reads all of it. */
const VOID = '';

/** How far a session's log was taken in, and what it says of the session. */
export interface Followed {
  readonly position: LogPosition;
  /** Counts rewrites: places from before are void. */
  readonly rewrites: number;
  /** The place of the last line in the order of the log. */
  readonly order: number;
  /** False for a log that the change file names, and that is another user's. */
  readonly isOwn: boolean;
  readonly decayConfig?: DecayOverride | undefined;
  /** What of the log could not be taken in. */
  readonly damage: readonly DamagedLine[];
  /** What memories of it say that were corrected: their vectors may be of what they said before. */
  readonly corrected: TextsById;
  readonly replaces: Replacements;
}

/** The position from which a log is read as a whole. */
export function voided(position: LogPosition): LogPosition {
  return { ...position, generation: VOID };
}

/** What a user's index knows of sessions, beside their memories: it comes from a manifest, and goes into the next one. */
export class FollowedSessions {
  readonly #config: LayerContext['config'];
  readonly #followed = new Map<string, Followed>();
  readonly #policies = new Map<string, DecayPolicy>();
  readonly #uses = new Map<string, MemoryUses>();
  readonly #replacements = new Map<string, Replacements>();
  /** Sessions with damaged lines that are not reported yet. */
  readonly #damaged = new Set<string>();

  constructor(config: LayerContext['config']) {
    this.#config = config;
  }

  /** By session. */
  get uses(): ReadonlyMap<string, MemoryUses> {
    return this.#uses;
  }

  /** Of sessions whose decay differs from the configuration's. */
  get policies(): ReadonlyMap<string, DecayPolicy> {
    return this.#policies;
  }

  /** Of the sessions in which something replaces something. */
  get replacements(): Iterable<readonly [string, Replacements]> {
    return this.#replacements;
  }

  get ids(): Iterable<string> {
    return this.#followed.keys();
  }

  get(sessionId: string): Followed | undefined {
    return this.#followed.get(sessionId);
  }

  set(sessionId: string, followed: Followed): void {
    const { decayConfig, damage, replaces } = followed;
    this.#followed.set(sessionId, followed);
    if (replaces.size > 0) this.#replacements.set(sessionId, replaces);
    else this.#replacements.delete(sessionId);
    if (damage.length > 0) this.#damaged.add(sessionId);
    this.#policies.delete(sessionId);
    const isDifferent = decayConfig !== undefined && Object.keys(decayConfig).length > 0;
    if (isDifferent) this.#policies.set(sessionId, resolveDecayPolicy(this.#config.decay, decayConfig));
  }

  /** The same session, from another position on. */
  move(sessionId: string, position: LogPosition): void {
    const followed = this.#followed.get(sessionId);
    if (followed !== undefined) this.#followed.set(sessionId, { ...followed, position });
  }

  /** Whether it was followed. */
  delete(sessionId: string): boolean {
    this.#policies.delete(sessionId);
    this.#uses.delete(sessionId);
    this.#replacements.delete(sessionId);
    return this.#followed.delete(sessionId);
  }

  noteUse(sessionId: string, id: string, use: Use): void {
    const uses = this.#uses.get(sessionId);
    if (uses === undefined) this.#uses.set(sessionId, new MemoryUses([[id, use]]));
    else uses.set(id, use);
  }

  noteUses(sessionId: string, { timestamp, uses }: AccessRecord): void {
    const timestampMs = Date.parse(timestamp);
    for (const [id, count] of Object.entries(uses)) {
      this.noteUse(sessionId, id, addUse(this.#uses.get(sessionId)?.get(id), timestampMs, count));
    }
  }

  forgetUse(sessionId: string, id: string): void {
    this.#uses.get(sessionId)?.delete(id);
  }

  /** Gives out, once, the sessions with damage. */
  *takeDamaged(): Generator<readonly [string, Followed]> {
    const damaged = [...this.#damaged];
    this.#damaged.clear();
    for (const sessionId of damaged) {
      const followed = this.#followed.get(sessionId);
      if (followed !== undefined) yield [sessionId, followed];
    }
  }

  /** Goes on from a manifest. The sessions that are to be looked at, those that it covers in part first. */
  load({ sessions, uses }: Pick<IndexedHistory, 'sessions' | 'uses'>): readonly string[] {
    for (const [id, covered] of Object.entries(sessions)) {
      const { position, rewrites, decay_config: decayConfig, damaged_at = [] } = covered;
      const { order = position.lastSeq } = covered;
      const damage = damaged_at.map((offset) => ({ kind: 'checksum' as const, line: { offset } }));
      // Most sessions have none: a map of its own for each takes more memory than all else here.
      const corrected = covered.corrected === undefined ? NONE : new Map(covered.corrected);
      const replaces = covered.replaces === undefined ? NONE : new Map(covered.replaces);
      this.set(id, { position, rewrites, order, isOwn: true, decayConfig, damage, corrected, replaces });
    }
    for (const [sessionId, text] of Object.entries(uses))
      this.#uses.set(sessionId, MemoryUses.fromText(text));
    // From anywhere on: processes that answer one question and end would look at the same few for ever.
    const ids = Object.keys(sessions);
    const first = Math.floor(Math.random() * ids.length);
    const inTurns = [...ids.slice(first), ...ids.slice(0, first)];
    const isPartial = (id: string): boolean => sessions[id]!.position.generation === VOID;
    return [...inTurns.filter(isPartial), ...inTurns.filter((id) => !isPartial(id))];
  }

  /** For the next manifest. */
  describe(): Pick<IndexedHistory, 'sessions' | 'uses'> {
    const sessions: [string, CoveredSession][] = [];
    for (const [id, followed] of this.#followed) {
      const { isOwn, position, rewrites, order, decayConfig, damage, corrected, replaces } = followed;
      if (!isOwn) continue;
      const lost = damage.filter(({ kind }) => kind !== 'sequence').map(({ line }) => line.offset);
      const covered = {
        position,
        rewrites,
        ...(order === position.lastSeq ? {} : { order }),
        ...(decayConfig === undefined ? {} : { decay_config: decayConfig }),
        ...(lost.length === 0 ? {} : { damaged_at: lost }),
        ...(corrected.size === 0 ? {} : { corrected: [...corrected] }),
        ...(replaces.size === 0 ? {} : { replaces: [...replaces] }),
      };
      sessions.push([id, covered]);
    }
    const uses = [...this.#uses].map(([sessionId, { text }]) => [sessionId, text]);
    return { sessions: Object.fromEntries(sessions), uses: Object.fromEntries(uses) };
  }
}
