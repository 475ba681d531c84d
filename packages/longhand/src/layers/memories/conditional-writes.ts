import { IOError, SizeLimitError } from '../../core/errors.ts';
import type { LogLine } from '../../core/line.ts';
import type { MemoryEntry } from '../../core/records.ts';
import type { Appended, Decided } from '../../core/store.ts';
import type { LayerContext } from '../layer-context.ts';
import { requireMeant, type SessionRef } from '../session-ref.ts';
import type { SessionView } from './session-view.ts';
import { addressOf, type Sessions } from './sessions.ts';
import { parseMemoryText } from './stored-record.ts';

/**
 * Writes that depend on what the session holds: memories that bring their own id, deletions, corrections.
 *
 * One group of them at a time is under way in each session; those that come meanwhile form the next one. A group
 * is decided under one lock, in the order in which it came, and written and synced once. Each of its members
 * sees what the ones before it have decided, and is refused alone.
 */

/** Writes that may wait in a session: while the disk fails, they do not pile up for ever. */
const MAX_WAITING = 10_000;
const MAX_WAITING_CHARACTERS = 64_000_000;
/** About what one write may hold. */
const MAX_GROUP_CHARACTERS = 1_000_000;

interface Decision<Result> {
  /** What it writes, at most: for those who count what waits. */
  readonly records: number;
  readonly characters: number;
  /** Refuse it when it would take the session over this. */
  readonly maxBytes?: number;
  /** What can be looked up without the lock. Throws to refuse; `false` when there is nothing to decide. */
  readonly prepare?: (view: SessionView) => Promise<boolean>;
  /** While no other process can write. Throws to refuse. */
  readonly decide: (group: DecisionGroup) => Decided;
  /** After its records are stored; `undefined` when there was nothing to decide. */
  readonly conclude: (appended: Appended | undefined) => Result;
}

/** What a decision can build on. */
export interface DecisionGroup {
  /** The session with everything that any process has written. */
  readonly view: SessionView;
  /** Lines that were not there when the decision was prepared, by memory. */
  readonly raced: ReadonlyMap<string | undefined, LogLine>;
  /** Memories that this group adds. */
  readonly added: Map<string, MemoryEntry>;
  /** Memories that this group deletes. */
  readonly deleted: Set<string>;
  /** Importances that this group changes, after what it adds. */
  readonly importances: Map<string, number>;
}

/** Whether a memory lives, with what the group has decided so far. */
export function isThere({ view, added, deleted }: DecisionGroup, id: string): boolean {
  return !deleted.has(id) && (added.has(id) || view.placeOf(id) !== undefined);
}

/** A memory as another process has written it since the decision was prepared. */
export function racedMemory(
  { view, raced }: DecisionGroup,
  id: string,
  sessionId: string,
): MemoryEntry | undefined {
  const line = view.placeOf(id) === undefined ? undefined : raced.get(id);
  return line === undefined || line.check() === 'damaged' ? undefined : parseMemoryText(line.text, sessionId);
}

interface Waiting {
  readonly session: SessionRef;
  readonly decision: Decision<unknown>;
  readonly resolve: (result: never) => void;
  readonly reject: (error: unknown) => void;
}

class Queue {
  waiting: Waiting[] = [];
  waitingCharacters = 0;
  group: readonly Waiting[] = [];
  /** Whether the group is with the store, which counts it as one record. */
  isInStore = false;
}

export class ConditionalWrites {
  readonly #context: LayerContext;
  readonly #sessions: Sessions;
  readonly #queues = new Map<string, Queue>();

  constructor(context: LayerContext, sessions: Sessions) {
    this.#context = context;
    this.#sessions = sessions;
  }

  /** @throws IOError WRITE_BUFFER_FULL, and whatever the decision refuses with */
  run<Result>(session: SessionRef, decision: Decision<Result>): Promise<Result> {
    const { sessionId } = session;
    const present = this.#queues.get(sessionId);
    const queue = present ?? new Queue();
    const characters = queue.waitingCharacters + decision.characters;
    if (queue.waiting.length >= MAX_WAITING || characters > MAX_WAITING_CHARACTERS) {
      const text =
        `Session ${sessionId} has ${queue.waiting.length} writes of ${queue.waitingCharacters} characters waiting ` +
        'already.';
      return Promise.reject(new IOError('WRITE_BUFFER_FULL', text));
    }
    return new Promise((resolve, reject) => {
      queue.waiting.push({ session, decision, resolve, reject });
      queue.waitingCharacters = characters;
      if (present !== undefined) return;
      this.#queues.set(sessionId, queue);
      void this.#work(sessionId, queue);
    });
  }

  /** Records that cannot be stored at the moment, because the store fails. */
  pendingWrites(sessionId: string): number {
    const inStore = this.#context.store.folder?.pendingWrites(addressOf(sessionId)) ?? 0;
    const queue = this.#queues.get(sessionId);
    if (inStore === 0 || queue === undefined) return inStore;
    const counted = queue.isInStore ? 1 : 0;
    return [...queue.group, ...queue.waiting].reduce(
      (sum, { decision }) => sum + decision.records,
      inStore - counted,
    );
  }

  async #work(sessionId: string, queue: Queue): Promise<void> {
    while (queue.waiting.length > 0) {
      queue.group = takeGroup(queue.waiting);
      queue.waitingCharacters -= charactersOf(queue.group);
      await this.#settle(sessionId, queue, queue.group);
    }
    this.#queues.delete(sessionId);
  }

  /** Gives every member its answer. Never throws. */
  async #settle(sessionId: string, queue: Queue, group: readonly Waiting[]): Promise<void> {
    try {
      await this.#decide(sessionId, queue, group);
    } catch (error) {
      // Together they are too large: each shall hear for itself whether it fits.
      if (error instanceof SizeLimitError && group.length > 1) {
        for (const member of group) await this.#settle(sessionId, queue, [member]);
      } else {
        for (const { reject } of group) reject(error);
      }
    }
  }

  async #decide(sessionId: string, queue: Queue, group: readonly Waiting[]): Promise<void> {
    const view = await this.#sessions.current(sessionId);
    // From here on, whatever others write is looked at again under the lock, also what the view learns of by
    // the way while this prepares.
    const { position, incarnation } = view;
    const prepared: Waiting[] = [];
    for (const member of group) if (await isPrepared(member, view)) prepared.push(member);
    if (prepared.length === 0) return;

    const refused = new Set<Waiting>();
    const limits = prepared.flatMap(({ decision }) => decision.maxBytes ?? []);
    const address = addressOf({ sessionId, incarnation }, view.session.user_id);
    const maxBytes = limits.length === 0 ? undefined : Math.min(...limits);
    queue.isInStore = true;
    try {
      const appended = await this.#context.store.append(
        address,
        (slice) => {
          const raced = new Map(slice.lines.map((line) => [line.memoryId, line]));
          this.#sessions.applySlice(sessionId, view, slice);
          const context: DecisionGroup = {
            view,
            raced,
            added: new Map(),
            deleted: new Set(),
            importances: new Map(),
          };
          const bodies: string[] = [];
          const tombstones: string[] = [];
          for (const member of prepared) {
            // When this is asked again, those who were refused have had their answer.
            if (refused.has(member)) continue;
            try {
              const own = member.decision.decide(context);
              for (const body of own.bodies) bodies.push(body);
              for (const line of own.tombstones) tombstones.push(line);
            } catch (error) {
              refused.add(member);
              member.reject(error);
            }
          }
          return { bodies, tombstones };
        },
        { after: position, maxBytes },
      );
      for (const { decision, resolve } of prepared.filter((member) => !refused.has(member)))
        resolve(decision.conclude(appended) as never);
    } finally {
      queue.isInStore = false;
    }
  }
}

function charactersOf(members: readonly Waiting[]): number {
  return members.reduce((sum, { decision }) => sum + decision.characters, 0);
}

/** The longest run from the front that one write can hold, and at least one. */
function takeGroup(waiting: Waiting[]): Waiting[] {
  let characters = 0;
  const end = waiting.findIndex(({ decision }, i) => {
    characters += decision.characters;
    return i > 0 && characters > MAX_GROUP_CHARACTERS;
  });
  return waiting.splice(0, end < 0 ? waiting.length : end);
}

/** Whether a member still wants to be decided; otherwise it has its answer. */
async function isPrepared(
  { session, decision, resolve, reject }: Waiting,
  view: SessionView,
): Promise<boolean> {
  try {
    requireMeant(session, view.incarnation);
    if ((await decision.prepare?.(view)) !== false) return true;
    resolve(decision.conclude(undefined) as never);
  } catch (error) {
    reject(error);
  }
  return false;
}
