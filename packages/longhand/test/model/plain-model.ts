import type { MemoryType } from '../../src/index.ts';

/**
 * What a store of sessions is, written down as plainly as can be: lists and sets, nothing clever. The real ones
 * are compared with it.
 */
export interface ModelMemory {
  /** Unique in the model; the real ids differ between stores unless they were given. */
  readonly key: number;
  readonly ownId: string | undefined;
  readonly type: MemoryType;
  readonly number: number;
  readonly tags: readonly string[];
  readonly references: readonly string[];
  readonly importance: number;
  readonly timestampMs: number;
  /** What it said when it was added, or at the last compaction: a retry of that is not refused. */
  readonly firstSaid: string;
}

export interface ModelSession {
  readonly userId: string;
  readonly createdMs: number;
  agents: readonly string[];
  language: string | undefined;
  memories: ModelMemory[];
  /** Keys of all that were ever deleted. */
  readonly deleted: Set<number>;
  readonly deletedOwnIds: Set<string>;
}

export interface Model {
  readonly sessions: Map<string, ModelSession>;
  nowMs: number;
  nextKey: number;
}

const HOUR_MS = 3_600_000;
const HALF_LIFE_HOURS: Record<MemoryType, number> = {
  conversation: 168,
  decision: 720,
  finding: 336,
  preference: Number.POSITIVE_INFINITY,
};

function relevanceOf(memory: ModelMemory, nowMs: number): number {
  const hours = Math.max(0, nowMs - memory.timestampMs) / HOUR_MS;
  const decay = Math.max(0.1, 0.5 ** (hours / HALF_LIFE_HOURS[memory.type]));
  return memory.importance * decay * (1 + 0.5 * 0.5 ** (hours / 24));
}

/** Keys of what a compaction that drops faded memories takes. */
export function fadedKeys(session: ModelSession, nowMs: number): Set<number> {
  const kept = new Set(
    session.memories.filter((memory) => memory.type === 'preference' || relevanceOf(memory, nowMs) >= 0.05),
  );
  for (let grew = true; grew; ) {
    const before = kept.size;
    const wanted = new Set([...kept].flatMap(({ references }) => references));
    for (const memory of session.memories)
      if (memory.ownId !== undefined && wanted.has(memory.ownId)) kept.add(memory);
    grew = kept.size > before;
  }
  return new Set(session.memories.filter((memory) => !kept.has(memory)).map(({ key }) => key));
}

/** By which a retry is known. */
export function essenceOf({
  type,
  number,
  tags,
  references,
}: Pick<ModelMemory, 'type' | 'number' | 'tags' | 'references'>): string {
  return JSON.stringify([type, number, tags, references]);
}

export function hasTopic({ tags }: ModelMemory, topic: string, exact: boolean): boolean {
  const asked = topic.toLowerCase();
  return tags.some((tag) => {
    const own = tag.toLowerCase();
    return own === asked || (!exact && own.startsWith(`${asked}.`));
  });
}
