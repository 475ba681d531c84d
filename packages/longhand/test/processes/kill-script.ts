import type { MemoryManager, NewMemory } from '../../src/index.ts';

/**
 * The life of a store as a list of steps, for a process that may die at any call, and for the campaign that
 * knows what must be there afterwards. A memory is known by its number, from which all of it follows.
 */
export const SESSION = 'kept';
export const OTHER_SESSION = 'passing';
export const USER = 'ada';
export const TOPIC = 'project.secret';
/** Stands in every memory that the script deletes, and in what one said before it was put right. */
export const CANARY = 'canaryword';

export type Effect =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'add'; readonly session: string; readonly numbers: readonly number[] }
  | { readonly kind: 'delete'; readonly session: string; readonly numbers: readonly number[] }
  /** The memory of one number says from now on what that of another says, in its place. */
  | { readonly kind: 'correct'; readonly session: string; readonly from: number; readonly to: number }
  | { readonly kind: 'create'; readonly session: string }
  | { readonly kind: 'remove'; readonly session: string };

export interface Step {
  readonly name: string;
  readonly effect: Effect;
  readonly run: (manager: MemoryManager) => Promise<unknown>;
}

/** What it says next, and what it says in the end. */
export const CORRECTED = { id: idOf(22), from: 22, next: 23, last: 24 } as const;
const WITH_CANARY = new Set([10, 20, 21, CORRECTED.from]);
const TAGGED = new Set([20, 21]);
const WITH_OWN_ID = new Set([2, 10, 20, 21, 22, 40, 50, 60]);

export function memoryOf(number: number): NewMemory {
  const text = WITH_CANARY.has(number) ? CANARY : 'plain';
  return {
    type: 'finding',
    content: { number, text: `${text} ${'xyz'.repeat(number * 7)} ünï ${number}` },
    tags: TAGGED.has(number) ? [`${TOPIC}.${number}`] : ['other'],
    timestamp: '2026-03-01T10:00:00.000Z',
    ...(WITH_OWN_ID.has(number) ? { id: idOf(number) } : {}),
  };
}

export function idOf(number: number): string {
  return `own_${number}`;
}

function add(name: string, session: string, numbers: readonly number[]): Step {
  const memories = numbers.map(memoryOf);
  const run = (manager: MemoryManager): Promise<unknown> =>
    memories.length === 1 ? manager.addMemory(session, memories[0]!) : manager.addMemories(session, memories);
  return { name, effect: { kind: 'add', session, numbers }, run };
}

function correct(name: string, id: string, from: number, to: number): Step {
  const { content } = memoryOf(to);
  const run = (manager: MemoryManager): Promise<unknown> => manager.updateMemory(SESSION, id, { content });
  return { name, effect: { kind: 'correct', session: SESSION, from, to }, run };
}

const nothing: Effect = { kind: 'nothing' };

export const WORK: readonly Step[] = [
  { name: 'open', effect: nothing, run: (manager) => manager.listSessions() },
  add('add with an own id, over a torn tail and a stale lock', SESSION, [10]),
  add('add', SESSION, [11]),
  add('add a batch with own ids', SESSION, [20, 21, 22]),
  add('add a batch', SESSION, [30, 31, 32]),
  {
    name: 'add again with the same id',
    effect: nothing,
    run: (manager) => manager.addMemory(SESSION, memoryOf(22)),
  },
  correct('put right', CORRECTED.id, CORRECTED.from, CORRECTED.next),
  {
    name: 'add again what was put right',
    effect: nothing,
    run: (manager) => manager.addMemory(SESSION, memoryOf(CORRECTED.from)),
  },
  {
    name: 'delete one',
    effect: { kind: 'delete', session: SESSION, numbers: [10] },
    run: (manager) => manager.deleteMemory(SESSION, idOf(10)),
  },
  {
    name: 'delete by topic',
    effect: { kind: 'delete', session: SESSION, numbers: [20, 21] },
    run: (manager) => manager.deleteMemoriesByTopic(SESSION, TOPIC),
  },
  { name: 'write the index', effect: nothing, run: (manager) => manager.rebuildIndex(SESSION) },
  { name: 'create a session', effect: { kind: 'create', session: OTHER_SESSION }, run: createOther },
  add('add to the new session', OTHER_SESSION, [40]),
  { name: 'compact', effect: nothing, run: (manager) => manager.compactSession(SESSION) },
  add('add after the compaction', SESSION, [50]),
  correct('put right after the compaction', CORRECTED.id, CORRECTED.next, CORRECTED.last),
  {
    name: 'delete a session',
    effect: { kind: 'remove', session: OTHER_SESSION },
    run: (manager) => manager.deleteSession(OTHER_SESSION),
  },
  { name: 'close a session', effect: nothing, run: (manager) => manager.closeSession(SESSION) },
  { name: 'close', effect: nothing, run: (manager) => manager.close() },
];

function createOther(manager: MemoryManager): Promise<unknown> {
  return manager.createSession(USER, { session_id: OTHER_SESSION });
}

/** What the next process does with whatever a killed one left. */
export const RECOVERY: readonly Step[] = [
  { name: 'open', effect: nothing, run: (manager) => manager.listSessions(USER) },
  add('add with an own id', SESSION, [60]),
  add('add', SESSION, [61]),
  correct('put right', idOf(2), 2, 3),
  { name: 'compact', effect: nothing, run: (manager) => manager.compactSession(SESSION) },
  { name: 'write the index', effect: nothing, run: (manager) => manager.rebuildIndex(SESSION) },
  { name: 'close', effect: nothing, run: (manager) => manager.close() },
];
