import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type ChangeMark,
  isMeant,
  isOfSession,
  type LogAddress,
  logKey,
  type NotesAddress,
  type ReadAnswer,
  UNCHANGED,
  type WantedLog,
} from '../../core/store.ts';
import type { Calls } from './calls.ts';
import type { Row } from './client.ts';
import { type Head, isAt, toHead } from './log-lines.ts';

const MOST_LOGS = 20_000;
const MOST_USERS = 10_000;

/** What is known of a log as of a change number of its owner; without a head, there was none. */
interface KnownLog {
  readonly owner: string;
  readonly change: number;
  readonly head: Head | undefined;
}

/** The logs of a user that have changed from a change number on, in the order of their changes, as of a later number. */
interface Followed {
  readonly generation: string;
  readonly from: number;
  readonly change: number;
  readonly logs: readonly Row[];
}

interface KnownUser {
  /** The change number of the last write of this process. */
  written: number;
  /** The agents whose notes on the user are read: a look asks for them at once. */
  readonly notesOf: Set<string>;
  followed?: Followed;
}

/** What was asked at the beginning of a look. */
interface Look {
  /** Change numbers of owners, by their keys. */
  readonly changes: ReadonlyMap<string, number>;
  /** Texts of notes, by their logs, unless this process has written some since; `undefined` where there are none. */
  readonly notes: ReadonlyMap<string, string | undefined>;
  readonly notesWritten: number;
  /** Of users whom this process did not know, unless something was removed since: their logs, and who has no index. */
  readonly first: ReadonlyMap<string, Followed>;
  readonly withoutIndex: Set<string>;
  readonly epoch: number;
  /** Nothing is answered from it any more, neither for work that it has left behind in the background. */
  isOver: boolean;
}

/**
 * What this process knows of heads, and what it may answer from that: inside a look, which has asked for the change numbers
 * of owners at its beginning, what was read at the same number or a later one is still true. Outside of a look nothing is
 * answered from here.
 */
export class Mirror {
  readonly #calls: Calls;
  readonly #looks = new AsyncLocalStorage<Look>();
  readonly #logs = new Map<string, KnownLog>();
  readonly #users = new Map<string, KnownUser>();
  readonly #onWrite: (userId: string) => void;
  /** Rises when all is forgotten: what was read before that and arrives after it is not kept. */
  epoch = 0;
  #notesWritten = 0;

  /** @param onWrite gets the users for whom this process has written or removed something */
  constructor(calls: Calls, onWrite: (userId: string) => void = () => undefined) {
    this.#calls = calls;
    this.#onWrite = onWrite;
  }

  /** Inside a look that knows these users, it is a part of that one. */
  async look<Result>(userIds: readonly string[], work: () => Promise<Result>): Promise<Result> {
    const outer = this.#look();
    if (outer !== undefined && userIds.every((id) => outer.changes.has(userKey(id)))) return work();
    const [epoch, notesWritten] = [this.epoch, this.#notesWritten];
    const agents = [...this.#logs.values()].flatMap(({ owner }) =>
      owner.startsWith('agent/') ? owner.slice('agent/'.length) : [],
    );
    const newUsers = userIds.filter((id) => !this.#users.has(id));
    const asked = userIds.flatMap((userId) =>
      [...this.#user(userId).notesOf].map((id) => ({ kind: 'notes', id, userId }) as const),
    );
    const owners = [...userIds.map(userKey), ...agents.map(agentKey)];
    const changes = new Map([...(outer?.changes ?? []), ...owners.map((key) => [key, 0] as const)]);
    const notes = new Map<string, string | undefined>(asked.map((log) => [logKey(log), undefined]));
    const first = new Map<string, Followed & { readonly logs: Row[] }>();
    const withoutIndex = new Set<string>();
    for (const { kind, id, change, text, head } of await this.#calls.rows('look', [
      userIds,
      agents,
      asked.map((log) => log.userId),
      asked.map((log) => log.id),
      newUsers,
    ])) {
      if (kind === 'notes') notes.set(logKey(asked[Number(change) - 1]!), text);
      else if (kind === 'no index') withoutIndex.add(id);
      else if (kind === 'head') {
        this.noteRead({ kind: text, id }, Number(head.change), head.user, toHead(head), epoch);
        first.get(head.user)?.logs.push({ session_id: id, change });
      } else changes.set(kind === 'agent' ? agentKey(id) : userKey(id), Number(change));
      if (kind === 'user' && text !== null)
        first.set(id, { generation: text, from: 0, change: Number(change), logs: [] });
    }
    const look = { changes, notes, notesWritten, first, withoutIndex, epoch, isOver: false };
    try {
      return await this.#looks.run(look, work);
    } finally {
      look.isOver = true;
    }
  }

  /** The text of notes, when it is known inside a look. */
  notes(log: NotesAddress): { readonly text: string | undefined } | undefined {
    this.#user(log.userId).notesOf.add(log.id);
    const look = this.#look();
    const isKnown = look?.notesWritten === this.#notesWritten && look.notes.has(logKey(log));
    return isKnown ? { text: look.notes.get(logKey(log)) } : undefined;
  }

  /** The answer, when it can be given without asking: inside a look, of a log without news, or one that is not there. */
  answer(wanted: WantedLog): { readonly answer: ReadAnswer } | undefined {
    const { log, after, places, holding, aside } = wanted;
    const known = this.#known(log);
    if (known === undefined || places !== undefined || holding !== undefined || aside) return undefined;
    if (known.head === undefined) return { answer: undefined };
    if (!isMeant(log, known.head.incarnation) || !isAt(known.head, after)) return undefined;
    return { answer: UNCHANGED };
  }

  /** The head of a log, when it is known inside a look. */
  head(log: LogAddress): Head | undefined {
    return this.#known(log)?.head;
  }

  /** What `follow` asks the database, when it is known inside a look. */
  changes(userId: string, since: ChangeMark | undefined): readonly Row[] | undefined {
    const [look, user] = [this.#look(), this.#users.get(userId)];
    const change = look?.changes.get(userKey(userId));
    if (change === undefined) return undefined;
    for (const known of [user?.followed, look?.epoch === this.epoch ? look.first.get(userId) : undefined]) {
      if (known === undefined || known.change < Math.max(change, user?.written ?? 0)) continue;
      const from = since?.generation === known.generation ? since.offset : 0;
      if (from >= known.from) return [known, ...known.logs.filter((log) => Number(log.change) >= from)];
    }
    return undefined;
  }

  /** Whether a user had no index when the look began; told once, since there may be one by the next time. */
  hadNoIndex(userId: string): boolean {
    return this.#look()?.withoutIndex.delete(userId) ?? false;
  }

  noteRead(log: LogAddress, change: number, userId: string, head: Head | undefined, epoch: number): void {
    if (epoch !== this.epoch) return;
    // Of a log that is not there, whose it would be is known when the address tells, or from the session beside it.
    if (head === undefined && !('userId' in log && log.userId !== undefined) && log.kind !== 'agent') {
      const session = isOfSession(log) ? this.#known({ kind: 'session', id: log.id }) : undefined;
      if (session?.head === undefined || log.kind === 'session') return;
      change = this.#look()!.changes.get(session.owner)!;
      userId = session.head.userId;
    }
    // An address that insists on an incarnation says nothing of the log itself.
    if (head === undefined && 'incarnation' in log && log.incarnation !== undefined) return;
    const owner = log.kind === 'agent' ? agentKey(log.id) : userKey(userId);
    const key = logKey(log);
    if ((this.#logs.get(key)?.change ?? 0) > change) return;
    put(this.#logs, key, { owner, change, head }, MOST_LOGS);
  }

  noteWrite(log: LogAddress, head: Head): void {
    if (head.change === 0) this.forget();
    this.noteRead(log, head.change, head.userId, head, this.epoch);
    if (log.kind === 'agent' || log.kind === 'ledger') return;
    const user = this.#user(head.userId);
    user.written = Math.max(user.written, head.change);
    this.#onWrite(head.userId);
  }

  noteNotes({ userId }: NotesAddress): void {
    this.#notesWritten++;
    this.#onWrite(userId);
  }

  noteFollowed(userId: string, change: number, { generation, offset }: ChangeMark, last?: Row): void {
    this.#user(userId).followed = { generation, from: offset, change, logs: last ? [last] : [] };
  }

  /** After a removal, or a write of which the head is not known. @param userId whose it was, where that is known */
  forget(userId?: string): void {
    if (userId !== undefined) this.#onWrite(userId);
    this.epoch++;
    this.#logs.clear();
    this.#users.clear();
  }

  /** Something that the look knows of is gone: the rest of its work asks the database. */
  endLook(): void {
    const look = this.#look();
    if (look !== undefined) look.isOver = true;
  }

  #look(): Look | undefined {
    const look = this.#looks.getStore();
    return look?.isOver ? undefined : look;
  }

  #user(userId: string): KnownUser {
    const user = this.#users.get(userId) ?? { written: 0, notesOf: new Set() };
    put(this.#users, userId, user, MOST_USERS);
    return user;
  }

  #known(log: LogAddress): KnownLog | undefined {
    const look = this.#look();
    const known = look && this.#logs.get(logKey(log));
    const change = known && look.changes.get(known.owner);
    return change !== undefined && known!.change >= change ? known : undefined;
  }
}

/** Those that were put first leave first. */
function put<Value>(map: Map<string, Value>, key: string, value: Value, most: number): void {
  map.delete(key);
  map.set(key, value);
  if (map.size > most) map.delete(map.keys().next().value!);
}

const userKey = (id: string): string => `user/${id}`;
const agentKey = (id: string): string => `agent/${id}`;
