import { hash } from 'node:crypto';
import type { TrustTier } from '../core/records.ts';
import { SECTIONS, type Section } from './budget.ts';

/** Why the prompt looks as it does: every piece, what it cost, and what did not fit. */
export interface Manifest {
  readonly budget: number;
  /** Tokens of all messages as they are sent, with tools and images; never more than the budget. */
  readonly total: number;
  /** The name of the counter. */
  readonly tokenizer: string;
  /** In the order of the prompt. */
  readonly pieces: readonly ManifestPiece[];
  /** What was thought of and left out, in the order of the prompt. */
  readonly near_misses: readonly NearMiss[];
  /** Sections that differ from the turn before, in the order of the prompt; all when there is none before. */
  readonly changed_sections: readonly Section[];
  /** Of the pictures that were given, so many are to be sent: the newest. Absent when none were given. */
  readonly images?: { readonly given: number; readonly sent: number };
  /** How much of the front is byte for byte as it was the turn before. */
  readonly stable_prefix: { readonly segments: number; readonly tokens: number };
  /** The prompt in order, section by section and message by message, for the next comparison. */
  readonly segments: readonly Segment[];
}

export interface ManifestPiece {
  readonly section: Section;
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly source: PieceSource;
  /** In words. */
  readonly reason: string;
  /** Of this piece by itself, its label included. */
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
export type Layer =
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

export interface Segment {
  readonly section: Section;
  readonly tokens: number;
  readonly hash: string;
}

export function hashOf(text: string): string {
  return hash('sha256', text, 'hex').slice(0, 16);
}

/** What is the same as before, and what is not. */
export function compareSegments(
  now: readonly Segment[],
  before: readonly Segment[] = [],
): Pick<Manifest, 'changed_sections' | 'stable_prefix'> {
  let same = 0;
  let tokens = 0;
  while (same < now.length && isSame(now[same]!, before[same])) tokens += now[same++]!.tokens;
  const hashesNow = hashesOf(now);
  const hashesBefore = hashesOf(before);
  const changed = SECTIONS.filter((section) => hashesNow.get(section) !== hashesBefore.get(section));
  return { changed_sections: changed, stable_prefix: { segments: same, tokens } };
}

function isSame(a: Segment, b: Segment | undefined): boolean {
  return a.section === b?.section && a.hash === b.hash;
}

function hashesOf(segments: readonly Segment[]): ReadonlyMap<Section, string> {
  const hashes = new Map<Section, string>();
  for (const { section, hash } of segments) hashes.set(section, (hashes.get(section) ?? '') + hash);
  return hashes;
}
