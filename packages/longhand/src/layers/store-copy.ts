import { IOError, ValidationError } from '../core/errors.ts';
import type { LogLine } from '../core/line.ts';
import { parseJson } from '../core/parse-json.ts';
import type { Provenance, SessionRecord } from '../core/records.ts';
import {
  describeLog,
  isOfSession,
  type LogAddress,
  type LogPosition,
  type LogStore,
  type OpenBlob,
  UNCHANGED,
} from '../core/store.ts';
import { placeOf } from './unfinished-lines.ts';
import { damagedLines } from './unreadable-lines.ts';
import { piecesOf } from './value-pieces.ts';
import { type StoreScope, scopesOf } from './verification.ts';

/**
 * One store into another, log by log, through the port that all stores have. Records keep their order and their text;
 * sequence numbers and checksums are the new store's. What is made from the logs is not copied: the new store makes its
 * own. A copy that was interrupted goes on when it is asked for again: what is there already is compared, not written.
 */

/** A layer, as far as it is copied. */
export interface CopiedLayer {
  /** Copies what it keeps in one scope. The layers before it in the list have copied theirs. */
  copy?(scope: StoreScope, copy: StoreCopy): Promise<void>;
}

/** The new store, or that of each account, where a store serves one. */
export type CopyTarget = LogStore | ((accountId: string) => LogStore);

export interface CopyReport {
  readonly accounts: readonly string[];
  readonly sessions: number;
  readonly agents: number;
  readonly notes: number;
  readonly records: number;
  readonly details: number;
  /** Of the records, those that an earlier try had copied. */
  readonly already_there: number;
  /** Damaged lines that stayed behind. */
  readonly damaged_lines: number;
  /** Logs that were written to while they were copied: what came late is missing in the new store. */
  readonly changed: readonly string[];
}

interface CopyNeeds {
  readonly store: LogStore;
  readonly layers: readonly CopiedLayer[];
  /** The account of what names none. */
  readonly account: string;
  /** What a session's first record would say, when its log does not begin with one. */
  readonly openingOf: (sessionId: string) => Promise<SessionRecord | undefined>;
}

const CLOSING = /,"seq":\d+(?:,"checksum":"sha256:[0-9a-f]{64}")?\}$/;
const CONFIG = 'config.json';
const OPENING_BYTES = 2_048;
const LOGS_AT_ONCE = 500;
const SCOPES_AT_ONCE = 8;
const CHARACTERS_AT_ONCE = 4_000_000;

/** @throws ValidationError SESSION_EXISTS before anything is written, when the new store has something else of one name */
export async function copyStore(
  needs: CopyNeeds,
  target: CopyTarget,
  onProgress: (done: number, total: number) => void = () => undefined,
): Promise<CopyReport> {
  const scopes = await scopesOf(needs.store);
  const copy = new StoreCopy(needs, target);
  await copy.begin(scopes);
  for (const isRehearsal of [true, false]) {
    copy.isRehearsal = isRehearsal;
    if (!isRehearsal) await copy.config(scopes);
    let done = 0;
    await forEach(isRehearsal ? scopes.filter((scope) => copy.isKnown(scope)) : scopes, async (scope) => {
      for (const layer of needs.layers) await layer.copy?.(scope, copy);
      if (!isRehearsal) onProgress(++done, scopes.length);
    });
    await copy.ledgers();
  }
  const counted = (kind: string): number => scopes.filter((scope) => scope.kind === kind).length;
  return { sessions: counted('session'), agents: counted('agent'), ...(await copy.report()) };
}

/** Some at once. After a failure no other is begun. */
async function forEach(
  scopes: readonly StoreScope[],
  work: (scope: StoreScope) => Promise<void>,
): Promise<void> {
  const left = scopes.values();
  const failures: unknown[] = [];
  const worker = async (): Promise<void> => {
    for (const scope of left) {
      if (failures.length > 0) return;
      await work(scope).catch((error: unknown) => failures.push(error));
    }
  };
  await Promise.all(Array.from({ length: SCOPES_AT_ONCE }, worker));
  if (failures.length > 0) throw failures[0];
}

interface HowToCopy {
  /** Takes records to the accounts that they belong to alone. */
  readonly whose?: (fields: unknown) => Provenance | undefined;
  /** What is written for a line without a checksum, which gets one by it; nothing when it is no record. */
  readonly ofPerson?: (line: LogLine) => string | undefined | Promise<string | undefined>;
}

interface Target {
  readonly store: LogStore;
  /** What was there before. */
  readonly names: ReadonlySet<string>;
}

interface Origin {
  readonly userId: string | undefined;
  readonly accountId: string;
  /** The record that the log should begin with. */
  readonly opening?: string;
}

export class StoreCopy {
  isRehearsal = true;
  readonly counts = { notes: 0, records: 0, details: 0, already_there: 0, damaged_lines: 0 };
  readonly #needs: CopyNeeds;
  readonly #storeOf: (accountId: string) => LogStore;
  readonly #targets = new Map<string, Target>();
  readonly #origins = new Map<string, Origin>();
  readonly #accountsOfUsers = new Map<string, Set<string>>();
  /** What was read, and up to where. */
  readonly #read: { readonly log: LogAddress; readonly after: LogPosition }[] = [];

  constructor(needs: CopyNeeds, target: CopyTarget) {
    this.#needs = needs;
    this.#storeOf = typeof target === 'function' ? target : () => target;
  }

  /** Learns whose the sessions are, and what the new store holds. */
  async begin(scopes: readonly StoreScope[]): Promise<void> {
    const ids = scopes.flatMap(({ kind, id }) => (kind === 'session' ? [id] : []));
    for (let at = 0; at < ids.length; at += LOGS_AT_ONCE) {
      const some = ids.slice(at, at + LOGS_AT_ONCE);
      const wanted = some.map(
        (id) => ({ log: { kind: 'session', id }, maxBytes: OPENING_BYTES, check: 'light' }) as const,
      );
      const answers = await this.#needs.store.read(wanted);
      for (const [i, answer] of answers.entries()) {
        const first = answer === undefined || answer === UNCHANGED ? undefined : answer.lines[0];
        this.#note(some[i]!, await this.#originOf(some[i]!, first?.text));
      }
    }
    const accounts = new Set([...this.#origins.values()].map(({ accountId }) => accountId));
    if (accounts.size === 0) accounts.add(this.#needs.account);
    const known = new Map<LogStore, Target>();
    for (const accountId of [...accounts].sort()) {
      const store = this.#storeOf(accountId);
      const target = known.get(store) ?? { store, names: new Set((await scopesOf(store)).map(nameOf)) };
      known.set(store, target);
      this.#targets.set(accountId, target);
    }
  }

  /** Whether the new store has something of this name. */
  isKnown(scope: StoreScope): boolean {
    return this.#of().some(({ names }) => names.has(nameOf(scope)));
  }

  /** Copies a log, or what is missing of it. */
  async log(log: LogAddress, { whose, ofPerson = bodyOf }: HowToCopy = {}): Promise<boolean> {
    const origin = isOfSession(log) ? this.#origins.get(log.id) : undefined;
    const address = isOfSession(log) ? { ...log, userId: origin?.userId } : log;
    const [slice] = await this.#needs.store.read([{ log: address, check: 'full' }]);
    if (slice === undefined || slice === UNCHANGED) return false;
    const bodies = log.kind === 'session' && origin?.opening !== undefined ? [origin.opening] : [];
    let damaged = damagedLines(slice.damage).length;
    for (const line of slice.lines) {
      const body = line.hasChecksumField ? bodyOf(line) : await ofPerson(line);
      if (body === undefined) damaged++;
      else bodies.push(body);
    }
    for (const target of this.#targetsOf(log, origin?.accountId)) {
      const isMeant = (body: string): boolean =>
        whose === undefined || this.#goesTo(target, whose(parseJson(body)));
      await this.#write(target, address, bodies.filter(isMeant));
    }
    if (this.isRehearsal) return true;
    this.counts.damaged_lines += damaged;
    this.#read.push({ log: address, after: slice.position });
    return true;
  }

  /** Copies a document beside a log, or one at the root that belongs to a user. */
  async document(log: LogAddress | undefined, name: string, userId: string): Promise<void> {
    const text = await this.#needs.store.readDocument(log, name);
    if (text === undefined) return;
    for (const { store, names } of this.#ofUser(userId)) {
      const present =
        names.has(nameOf({ kind: 'user', id: userId })) && (await store.readDocument(log, name));
      if (typeof present === 'string' && present !== text) throw taken(`${name} of ${userId}`);
      if (!this.isRehearsal) await store.writeDocument(log, name, text, { expected: null });
    }
  }

  /** Copies the large values beside the log of a session. */
  async values(id: string): Promise<void> {
    if (this.isRehearsal) return;
    for (const { store, names } of this.#targetsOf(
      { kind: 'details', id },
      this.#origins.get(id)?.accountId,
    )) {
      const isKnown = names.has(nameOf({ kind: 'session', id }));
      const there = new Set(isKnown ? await store.list('blob', id) : []);
      for (const name of await this.#needs.store.list('blob', id)) {
        this.counts.details++;
        const blob = there.has(name)
          ? undefined
          : await this.#needs.store.openBlob({ kind: 'session', id }, name);
        if (blob !== undefined) await copyBlob(blob, store, id, name);
      }
    }
  }

  /** The store's own settings, unless the new store has served others than these before. */
  async config(scopes: readonly StoreScope[]): Promise<void> {
    const text = await this.#needs.store.readDocument(undefined, CONFIG);
    const own = new Set(scopes.map(nameOf));
    for (const { store, names } of this.#of())
      if (text !== undefined && [...names].every((name) => own.has(name)))
        await store.writeDocument(undefined, CONFIG, text);
  }

  /** What the accounts have forgotten. */
  async ledgers(): Promise<void> {
    for (const id of new Set([...this.#targets.keys(), this.#needs.account]))
      await this.log({ kind: 'ledger', id });
  }

  async report(): Promise<Omit<CopyReport, 'sessions' | 'agents'>> {
    const changed: string[] = [];
    for (let at = 0; at < this.#read.length; at += LOGS_AT_ONCE) {
      const some = this.#read.slice(at, at + LOGS_AT_ONCE);
      const answers = await this.#needs.store.read(some);
      for (const [i, answer] of answers.entries()) {
        const isSame =
          answer === UNCHANGED ||
          (answer !== undefined && !answer.reset && answer.lines.length + answer.damage.length === 0);
        if (!isSame) changed.push(placeOf(this.#needs.store, some[i]!.log));
      }
    }
    return { accounts: [...this.#targets.keys()], ...this.counts, changed };
  }

  async #originOf(id: string, first: string | undefined): Promise<Origin> {
    const fields = (first === undefined ? undefined : parseJson(first)) as Partial<SessionRecord> | undefined;
    const isTold = typeof fields?.user_id === 'string';
    const told = isTold ? fields : await this.#needs.openingOf(id);
    const { user_id: userId, account_id: accountId = this.#needs.account } = told ?? {};
    return { userId, accountId, ...(isTold || told === undefined ? {} : { opening: JSON.stringify(told) }) };
  }

  #note(sessionId: string, origin: Origin): void {
    this.#origins.set(sessionId, origin);
    if (origin.userId === undefined) return;
    const accounts = this.#accountsOfUsers.get(origin.userId) ?? new Set();
    this.#accountsOfUsers.set(origin.userId, accounts.add(origin.accountId));
  }

  #of(accounts: Iterable<string> = this.#targets.keys()): Target[] {
    return [...new Set(Array.from(accounts, (account) => this.#targets.get(account)!))];
  }

  /** A user without sessions is every account's that there is. */
  #ofUser(userId: string): Target[] {
    return this.#of(this.#accountsOfUsers.get(userId));
  }

  #targetsOf(log: LogAddress, accountId: string | undefined): Target[] {
    if (log.kind === 'notes') return this.#ofUser(log.userId);
    const account = log.kind === 'ledger' ? log.id : accountId;
    const target = account === undefined ? undefined : this.#targets.get(account);
    return target === undefined ? this.#of() : [target];
  }

  /** Whether a record of an agent belongs to an account: that of its session, or one of its user's. */
  #goesTo(target: Target, { session_id = '', user_id = '' }: Partial<Provenance> = {}): boolean {
    const origin = this.#origins.get(session_id);
    const accounts = origin === undefined ? this.#accountsOfUsers.get(user_id) : [origin.accountId];
    return accounts === undefined || [...accounts].some((account) => this.#targets.get(account) === target);
  }

  async #write({ store, names }: Target, log: LogAddress, bodies: readonly string[]): Promise<void> {
    const mayBeThere = log.kind === 'ledger' || names.has(nameOf(scopeOf(log)));
    const [there] = mayBeThere ? await store.read([{ log, check: 'full' }]) : [];
    const present = there === undefined || there === UNCHANGED ? [] : there.lines.map(bodyOf);
    if (present.some((body, at) => body !== bodies[at])) throw taken(describeLog(log));
    if (this.isRehearsal) return;
    this.counts.records += bodies.length;
    this.counts.already_there += present.length;
    for (let at = present.length; at < bodies.length; ) {
      let [end, characters] = [at, 0];
      while (end < bodies.length && characters < CHARACTERS_AT_ONCE) characters += bodies[end++]!.length;
      await store.append(log, bodies.slice(at, end), at === 0 ? { create: 'new' } : {});
      at = end;
    }
  }
}

function bodyOf({ text }: LogLine): string {
  return text.trim().replace(CLOSING, '}');
}

/** Whose part of the store a log is. */
function scopeOf(log: LogAddress): StoreScope {
  if (log.kind === 'notes') return { kind: 'user', id: log.userId };
  return { kind: isOfSession(log) ? 'session' : 'agent', id: log.id };
}

function nameOf({ kind, id }: StoreScope): string {
  return `${kind}/${id}`;
}

function taken(name: string): ValidationError {
  return new ValidationError(
    'SESSION_EXISTS',
    `The new store holds ${name} already, and it is not what the old store holds. Nothing was copied. Name an empty store.`,
  );
}

async function copyBlob(blob: OpenBlob, to: LogStore, sessionId: string, name: string): Promise<void> {
  try {
    const written = await to.writeBlob({ kind: 'session', id: sessionId }, name, piecesOf(blob));
    if (written !== blob.size)
      throw new IOError('IO_FAILED', `${name} of ${sessionId} was not copied whole.`);
  } finally {
    blob.close();
  }
}
