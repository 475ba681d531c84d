import { hash } from 'node:crypto';
import type { TrustTier } from '../core/records.ts';
import { SECTIONS, type Section } from './budget.ts';
import { sumTokens } from './message-tokens.ts';

/** Why the prompt looks as it does: every piece, what it cost, and what did not fit. */
export interface Manifest {
  readonly budget: number;
  /** Tokens of all messages as they are sent, with tools and images; never more than the budget. */
  readonly total: number;
  /** The name of the counter. */
  readonly tokenizer: string;
  /** In the order of the prompt. */
  readonly pieces: readonly ManifestPiece[];
  /** The nearest of what was left out, at most 20, in the order of the prompt. */
  readonly near_misses: readonly NearMiss[];
  /** How many pieces were left out beside those. */
  readonly other_misses: number;
  /** Sections that differ from the turn before, in the order of the prompt; all when there was none. */
  readonly changed_sections: readonly Section[];
  /** Of the pictures that were given, the newest so many are to be sent. Absent when none were given. */
  readonly images?: { readonly given: number; readonly sent: number };
  /** How much of the front is byte for byte as it was the turn before. */
  readonly stable_prefix: { readonly segments: number; readonly tokens: number };
  /** Why more than the end of the prompt differs from the turn before, so that a provider's cache is lost; `null` when it does not. */
  readonly prefix_broken: { readonly section: Section; readonly why: string } | null;
  /** The prompt in order, section by section and message by message, for the next comparison. */
  readonly segments: readonly Segment[];
}

export interface ManifestPiece {
  readonly section: Section;
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly source: PieceSource;
  /** In words. */
  readonly reason: string;
  /** Of this piece alone, its label included. */
  readonly tokens: number;
  /** The lowest of an exchange with a tool; null for Longhand's own words. */
  readonly trust: TrustTier | null;
  /** Relevance and its parts, where it was found by searching. */
  readonly score?: Readonly<Record<string, number>>;
  /** Shortened: the rest is where the source says, or behind the placeholder. */
  readonly is_cut?: true;
}

export interface PieceSource {
  readonly layer: Layer;
  readonly id: string;
}
type Layer =
  | 'tools'
  | 'agent'
  | 'longhand'
  | 'core'
  | 'journal'
  | 'notes'
  | 'session'
  | 'summary'
  | 'transcript'
  | 'memories'
  | 'details'
  | 'turn';

export interface NearMiss {
  readonly section: Section;
  readonly source: PieceSource;
  readonly why: string;
  /** Absent where it was not worth counting. */
  readonly tokens?: number;
  readonly score?: Readonly<Record<string, number>>;
}

/** A piece that is not in the prompt. @param piece with infinite tokens when it was not worth counting */
export function missed(piece: Omit<NearMiss, 'why'>, why: string): NearMiss {
  const { section, source, tokens = Number.POSITIVE_INFINITY, score } = piece;
  return {
    ...{ section, source, why },
    ...(Number.isFinite(tokens) ? { tokens } : {}),
    ...(score === undefined ? {} : { score }),
  };
}

export interface Segment {
  readonly section: Section;
  readonly tokens: number;
  readonly hash: string;
}

export function hashOf(text: string): string {
  return hash('sha256', text, 'hex').slice(0, 16);
}

const LISTED_MISSES = 20;

/**
 * The nearest of every section in turn.
 * @param misses nearest first within their section
 * @param uncounted how many there are that nothing else is known of
 */
export function nearestMisses(
  misses: readonly NearMiss[],
  uncounted: number,
): Pick<Manifest, 'near_misses' | 'other_misses'> {
  const bySection = Map.groupBy(misses, ({ section }) => section).values();
  const ranked = [...bySection].flatMap((ofOne) => ofOne.map((miss, rank) => ({ miss, rank })));
  const place = ({ miss }: (typeof ranked)[number]): number => SECTIONS.indexOf(miss.section);
  const listed = ranked.toSorted((a, b) => a.rank - b.rank || place(a) - place(b)).slice(0, LISTED_MISSES);
  return {
    near_misses: listed.toSorted((a, b) => place(a) - place(b) || a.rank - b.rank).map(({ miss }) => miss),
    other_misses: uncounted + misses.length - listed.length,
  };
}

/** What is the same as before, and what is not. */
export function compareSegments(
  now: readonly Segment[],
  before: readonly Segment[] = [],
): Pick<Manifest, 'changed_sections' | 'stable_prefix' | 'prefix_broken'> {
  const isOther = (a: Segment, b?: Segment): boolean => a.section !== b?.section || a.hash !== b.hash;
  const first = now.findIndex((segment, at) => isOther(segment, before[at]));
  const same = first < 0 ? now.length : first;
  const hashesIn = (segments: readonly Segment[], section: Section): string =>
    segments.map((segment) => (segment.section === section ? segment.hash : '')).join('');
  const changed = SECTIONS.filter((section) => hashesIn(now, section) !== hashesIn(before, section));
  return {
    changed_sections: changed,
    stable_prefix: { segments: same, tokens: sumTokens(now.slice(0, same)) },
    prefix_broken: findBreak(now, before, same),
  };
}

const PASSING: ReadonlySet<Section> = new Set(['memories', 'details', 'placeholders', 'new-messages']);

/** What was recalled and the new messages differ every turn: only what stood before them can break. */
function findBreak(
  now: readonly Segment[],
  before: readonly Segment[],
  same: number,
): Manifest['prefix_broken'] {
  const old = before[same];
  if (old === undefined || PASSING.has(old.section)) return null;
  const isIn = (segments: readonly Segment[], { section, hash }: Segment): boolean =>
    segments.some((segment) => segment.section === section && segment.hash === hash);
  const next = now[same];
  const added = next !== undefined && next.section !== old.section && isIn(now, old) ? next : undefined;
  if (added !== undefined) return { section: added.section, why: `${added.section} was added` };
  const { section } = old;
  if (section === 'conversation') {
    const why = isIn(now, old) ? 'a message was inserted' : 'the conversation begins at a later message';
    return { section, why };
  }
  const isThere = now.some((segment) => segment.section === section);
  return { section, why: `${section} ${isThere ? 'changed' : 'was left out'}` };
}
