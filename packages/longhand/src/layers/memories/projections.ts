import { MEMORY_TYPES, type MemoryEntry } from '../../core/records.ts';
import type { DecayPolicy } from '../../recall/ranking/index.ts';
import { currentRelevances } from './compaction.ts';
import type { FoldedEntry, SessionFold } from './session-fold.ts';
import { gatherUses } from './uses.ts';

/**
 * `metadata.json` and `index.json`: what the log says, in a form that people and scripts can read at a
 * glance. They are as old as their `last_updated`, and nothing is decided by them, but one thing: whose session
 * it is, when the records that say so are damaged.
 */
export const INDEX_DOCUMENT = 'index.json';
/** Also of the store's lists (snapshots.ts). */
export const PROJECTION_VERSION = 1;

/** How far a conversation has been summarised; the transcript's log is the truth of it. */
export interface SummaryFields {
  readonly summary: string | null;
  readonly summarized_count: number;
}

export interface ProjectionInput {
  readonly fold: SessionFold;
  readonly policy: DecayPolicy;
  /** The decay settings in force, for the reader. */
  readonly decay: {
    readonly enabled: boolean;
    readonly half_life_hours: number;
    readonly min_decay_factor: number;
  };
  readonly sizeBytes: number;
  readonly summary?: SummaryFields | undefined;
  readonly nowMs: number;
}

export function renderMetadata({ fold, decay, sizeBytes, summary, nowMs }: ProjectionInput): string {
  const now = new Date(nowMs).toISOString();
  const { session } = fold;
  return `${JSON.stringify(
    {
      version: PROJECTION_VERSION,
      session_id: session?.id,
      user_id: session?.user_id,
      account_id: session?.account_id,
      created_at: session?.created_at,
      last_accessed: now,
      agents: session?.agents,
      total_entries: fold.entries.length,
      total_size_bytes: sizeBytes,
      decay_config: { ...decay, ...session?.decay_config },
      compaction_config: session?.compaction_config,
      preferences: { language: 'en', verbosity: 'medium', custom: {}, ...session?.preferences },
      statistics: countTypes(fold.entries),
      last_decay_update: now,
      last_compaction: fold.lastCompaction,
      ...summary,
      schema_migrated_at: fold.migratedAt,
    },
    null,
    2,
  )}\n`;
}

/** The counts: `conversations`, `decisions`, `findings`, `preferences`. */
export function countTypes(entries: readonly FoldedEntry[]): Record<string, number> {
  const counts = Object.fromEntries(MEMORY_TYPES.map((type) => [`${type}s`, 0]));
  for (const { entry } of entries) counts[`${entry.type}s`]!++;
  return counts;
}

export type IndexInput = Pick<ProjectionInput, 'fold' | 'policy' | 'nowMs'>;

export function renderIndex({ fold, policy, nowMs }: IndexInput): string {
  const relevanceOf = currentRelevances(fold.entries, gatherUses(fold.records), policy, nowMs);
  const entries = fold.entries.map(({ entry, line }) => {
    const { type, timestamp, tags, importance } = entry;
    const current_relevance = round(relevanceOf(entry));
    const place = { line_number: line.lineNumber, byte_offset: line.offset };
    return [entry.id, { ...place, type, timestamp, tags, importance, current_relevance }] as const;
  });
  const tags = groupIds(fold.entries, (entry) => entry.tags);
  const types = groupIds(fold.entries, (entry) => [entry.type]);
  return renderMaps(new Date(nowMs).toISOString(), { entries, tags, types });
}

/** In place of an index that would not fit under the session's size limit. */
export function renderOmittedIndex(nowMs: number): string {
  const last_updated = new Date(nowMs).toISOString();
  return `${JSON.stringify({ version: PROJECTION_VERSION, last_updated, omitted: 'no room', entries: {}, tags: {}, types: {} })}\n`;
}

/** JSON with one entry of each map a line: readable, and a third of the size of indented JSON. */
export function renderMaps(
  last_updated: string,
  maps: Readonly<Record<string, readonly (readonly [string, unknown])[]>>,
): string {
  const parts = Object.entries(maps).map(([name, map]) => {
    const lines = map.map(([key, value]) => `    ${JSON.stringify(key)}: ${JSON.stringify(value)}`);
    return `  "${name}": ${lines.length === 0 ? '{}' : `{\n${lines.join(',\n')}\n  }`}`;
  });
  const head = [`  "version": ${PROJECTION_VERSION}`, `  "last_updated": ${JSON.stringify(last_updated)}`];
  return `{\n${[...head, ...parts].join(',\n')}\n}\n`;
}

function groupIds(entries: readonly FoldedEntry[], keysOf: (entry: MemoryEntry) => readonly string[]) {
  const pairs = entries.flatMap(({ entry }) => keysOf(entry).map((key) => [key, entry.id] as const));
  const groups = Map.groupBy(pairs, ([key]) => key);
  return [...groups.keys()].sort().map((key) => [key, groups.get(key)!.map(([, id]) => id)] as const);
}

function round(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
