import { ConcurrencyError } from '../../core/errors.ts';
import { failureOf, fieldsOf } from '../failures.ts';
import type { LayerContext } from '../layer-context.ts';
import { PROJECTION_VERSION, renderMaps } from './projections.ts';
import type { FoldedEntry } from './session-fold.ts';

/**
 * Which session holds what, at a glance: `indices/global_index.json` lists the sessions of the whole store,
 * `indices/topic_index.json` the tags with the sessions that use them. For people and scripts; Longhand finds
 * nothing by them.
 *
 * A session's part is replaced whenever its `index.json` is written, and taken out when the session is removed.
 * Each time a file is read, changed in that one part and exchanged for a new one as a whole: readers see a whole file
 * always, and of two processes that do this in the same instant, the second one reads again what the first has
 * written. The first writing of a process also leaves out sessions that are gone. A file that is missing, or cannot be
 * understood, begins again with the sessions written up from then on.
 *
 * A failure here fails nothing else: an event reports it, and what could not be written goes with the next. By then any
 * process may have forgotten something. So a part is checked after the file that it goes into was read: if it is of an
 * older log, the session is left out. Forgetting writes its own part after rewriting the log, and so an exchange for
 * what was read before that fails.
 */
export const GLOBAL_INDEX_DOCUMENT = 'indices/global_index.json';
export const TOPIC_INDEX_DOCUMENT = 'indices/topic_index.json';

/** Each time that another was faster, it has brought in its part: so many of them at once are not to be expected. */
const MAX_EXCHANGES = 100;

/** A session's part of both files. */
interface SessionSnapshot {
  readonly userId: string;
  readonly entries: readonly FoldedEntry[];
  readonly sizeBytes: number;
  /** Whether the session is still the one that this was read from, and nothing has been taken out of its log. */
  readonly isCurrent: () => Promise<boolean>;
}

interface Part extends Pick<SessionSnapshot, 'isCurrent'> {
  readonly summary: Summary;
  /** Memories by tag. */
  readonly topics: ReadonlyMap<string, number>;
}

interface Summary {
  readonly user_id: string;
  readonly entries: number;
  readonly last_updated: string;
  readonly size_bytes: number;
}

/** Maps, not objects: a tag may be called `__proto__`. */
type Sessions = Map<string, unknown>;
type Topics = Map<string, Map<string, unknown>>;

export class Snapshots {
  readonly #context: LayerContext;
  /** What is to be written next, by session; `undefined` takes the session out. */
  readonly #waiting = new Map<string, Part | undefined>();
  #writing: Promise<void> = Promise.resolve();
  #hasSweptOnce = false;

  constructor(context: LayerContext) {
    this.#context = context;
  }

  put(sessionId: string, { userId, entries, sizeBytes, isCurrent }: SessionSnapshot): Promise<void> {
    const summary = {
      user_id: userId,
      entries: entries.length,
      last_updated: this.#now(),
      size_bytes: sizeBytes,
    };
    this.#waiting.set(sessionId, { summary, topics: countTags(entries), isCurrent });
    return this.#write();
  }

  remove(sessionId: string): Promise<void> {
    this.#waiting.set(sessionId, undefined);
    return this.#write();
  }

  /** One writing at a time; whatever waits when it begins goes with it. */
  #write(): Promise<void> {
    this.#writing = this.#writing.then(() => this.#writeWaiting());
    return this.#writing;
  }

  async #writeWaiting(): Promise<void> {
    const parts = new Map(this.#waiting);
    if (parts.size === 0) return;
    try {
      await this.#merge(parts);
      for (const [id, part] of parts) if (this.#waiting.get(id) === part) this.#waiting.delete(id);
    } catch (error) {
      this.#context.emit(failureOf('indices', 'write', error));
    }
  }

  async #merge(parts: ReadonlyMap<string, Part | undefined>): Promise<void> {
    const gone = await this.#gone();
    await this.#exchange(GLOBAL_INDEX_DOCUMENT, async (text) => {
      const fresh = await freshAmong(parts);
      const sessions = parseSessions(text);
      // Only what is there is taken out; what is put in gets a new date.
      let isChanged = fresh.size > 0;
      for (const id of [...gone, ...parts.keys()]) if (sessions.delete(id)) isChanged = true;
      for (const [id, { summary }] of fresh) sessions.set(id, summary);
      return isChanged ? this.#render('sessions', sessions) : undefined;
    });
    await this.#exchange(TOPIC_INDEX_DOCUMENT, async (text) => {
      const fresh = await freshAmong(parts);
      const topics = parseTopics(text);
      let isChanged = fresh.size > 0;
      for (const id of [...gone, ...parts.keys()]) if (takeOut(topics, id)) isChanged = true;
      for (const [id, part] of fresh) {
        for (const [topic, count] of part.topics)
          topics.set(topic, (topics.get(topic) ?? new Map<string, unknown>()).set(id, count));
      }
      const lines = [...topics].map(
        ([topic, counts]) => [topic, Object.fromEntries(sorted(counts))] as const,
      );
      return isChanged ? this.#render('topics', new Map(lines)) : undefined;
    });
  }

  /** @param change gives the new text, made from the one that is there; `undefined` leaves it */
  async #exchange(
    name: string,
    change: (text: string | undefined) => Promise<string | undefined>,
  ): Promise<void> {
    const { store } = this.#context;
    for (let tries = 0; tries < MAX_EXCHANGES; tries++) {
      const before = await store.readDocument(undefined, name);
      const after = await change(before);
      if (after === undefined) return;
      if (await store.writeDocument(undefined, name, after, { expected: before ?? null })) return;
    }
    throw new ConcurrencyError('LOCK_TIMEOUT', `Other processes keep writing ${name}. Try again.`);
  }

  /** Sessions that are listed and gone. Looked for once in a process: it costs a look at every session of the store. */
  async #gone(): Promise<readonly string[]> {
    if (this.#hasSweptOnce) return [];
    const { store } = this.#context;
    // Before the sessions: one that comes in between is there, and not listed yet.
    const listed = parseSessions(await store.readDocument(undefined, GLOBAL_INDEX_DOCUMENT));
    const present = new Set(await store.list('session'));
    this.#hasSweptOnce = true;
    return [...listed.keys()].filter((id) => !present.has(id));
  }

  #render(name: string, map: ReadonlyMap<string, unknown>): string {
    return renderMaps(this.#now(), { [name]: sorted(map) });
  }

  #now(): string {
    return new Date(this.#context.clock.now()).toISOString();
  }
}

/** Those to be put in, without what was read from a log that is another one by now. */
async function freshAmong(parts: ReadonlyMap<string, Part | undefined>): Promise<ReadonlyMap<string, Part>> {
  const fresh = new Map<string, Part>();
  for (const [id, part] of parts) if (part !== undefined && (await part.isCurrent())) fresh.set(id, part);
  return fresh;
}

/** Whether the session was there. */
function takeOut(topics: Topics, sessionId: string): boolean {
  let wasThere = false;
  for (const [topic, counts] of topics) {
    if (counts.delete(sessionId)) wasThere = true;
    if (counts.size === 0) topics.delete(topic);
  }
  return wasThere;
}

function countTags(entries: readonly FoldedEntry[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { entry } of entries) for (const tag of entry.tags) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  return counts;
}

function parseSessions(text: string | undefined): Sessions {
  return new Map(Object.entries(parseDocument(text, 'sessions')));
}

function parseTopics(text: string | undefined): Topics {
  const topics: Topics = new Map();
  for (const [topic, counts] of Object.entries(parseDocument(text, 'topics'))) {
    if (isObject(counts)) topics.set(topic, new Map(Object.entries(counts)));
  }
  return topics;
}

/** The map of a snapshot. Empty when there is none, or none that can be understood. */
function parseDocument(text: string | undefined, name: string): object {
  const { version, [name]: map } = fieldsOf(text);
  return version === PROJECTION_VERSION && isObject(map) ? map : {};
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function sorted<Value>(map: ReadonlyMap<string, Value>): [string, Value][] {
  return [...map].sort(([a], [b]) => (a < b ? -1 : 1));
}
