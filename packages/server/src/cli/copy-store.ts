import { IOError, type LogAddress, type LogPosition, type OpenBlob, ValidationError } from 'longhand';
import { LOCAL_DEFAULTS } from '../config/local-principal.ts';
import type { openFolder } from '../open-store.ts';

/**
 * One store into another, log by log, through the port that all stores have. Records keep their order and their
 * text; sequence numbers and checksums are the new store's. What is made from the logs (lists, metadata, the search
 * index) is not copied: the new store makes its own. The old store is left as it is.
 */

type Store = ReturnType<typeof openFolder>;
type NotesAddress = Extract<LogAddress, { kind: 'notes' }>;
type ReadAnswer = Awaited<ReturnType<Store['read']>>[number];

interface CopyReport {
  readonly sessions: number;
  readonly agents: number;
  readonly notes: number;
  readonly records: number;
  readonly details: number;
  /** Damaged lines that stayed behind. */
  readonly damaged_lines: number;
  /** Logs that were written to while they were copied: what came late is missing in the new store. */
  readonly changed: readonly string[];
}

const CLOSING = /,"seq":\d+(?:,"checksum":"sha256:[0-9a-f]{64}")?\}$/;
const CONFIG = 'config.json';
const NOTES_DOCUMENT = 'notes.md';
const STRETCH_BYTES = 262_144;

/** @throws ValidationError SESSION_EXISTS before anything is written, when both stores have something of one name */
export async function copyStore(
  from: Store,
  to: Store,
  onProgress: (done: number, total: number) => void = () => undefined,
): Promise<CopyReport> {
  const sessions = await from.list('session');
  const agents = await from.list('agent');
  const notes: NotesAddress[] = [];
  for (const userId of await from.list('user')) {
    for (const id of await from.list('notes', userId)) notes.push({ kind: 'notes', id, userId });
  }
  await refuseTaken(to, sessions, agents, notes);
  const copy = new Copy(from, to);
  const total = sessions.length + agents.length + notes.length;
  let done = 0;
  const step = (): void => onProgress(++done, total);
  const config = await from.readDocument(undefined, CONFIG);
  if (config !== undefined) await to.writeDocument(undefined, CONFIG, config);
  for (const id of sessions) {
    await copy.session(id);
    step();
  }
  for (const id of agents) {
    await copy.log({ kind: 'agent', id });
    step();
  }
  for (const address of notes) {
    await copy.notes(address);
    step();
  }
  for (const id of copy.accounts) await copy.log({ kind: 'ledger', id });
  return { sessions: sessions.length, agents: agents.length, notes: notes.length, ...(await copy.report()) };
}

async function refuseTaken(
  to: Store,
  sessions: readonly string[],
  agents: readonly string[],
  notes: readonly NotesAddress[],
): Promise<void> {
  const [theirSessions, theirAgents] = [new Set(await to.list('session')), new Set(await to.list('agent'))];
  const taken =
    sessions.find((id) => theirSessions.has(id)) ??
    agents.find((id) => theirAgents.has(id)) ??
    (await firstTaken(to, notes));
  if (taken === undefined) return;
  throw new ValidationError('SESSION_EXISTS', `The new store holds ${taken} already. Nothing was copied.`);
}

async function firstTaken(to: Store, notes: readonly NotesAddress[]): Promise<string | undefined> {
  for (const { id, userId } of notes)
    if ((await to.list('notes', userId)).includes(id)) return `notes of ${id}`;
  return undefined;
}

class Copy {
  readonly #from: Store;
  readonly #to: Store;
  /** What was read, and up to where. */
  readonly #read: { readonly log: LogAddress; readonly after: LogPosition }[] = [];
  readonly accounts = new Set([LOCAL_DEFAULTS.account_id]);
  #records = 0;
  #details = 0;
  #damaged = 0;

  constructor(from: Store, to: Store) {
    this.#from = from;
    this.#to = to;
  }

  async session(id: string): Promise<void> {
    const userId = await this.log({ kind: 'session', id });
    for (const name of await this.#from.list('blob', id)) await this.#blob(id, name);
    await this.log({ kind: 'transcript', id, userId });
    await this.log({ kind: 'details', id, userId });
  }

  async notes(address: LogAddress): Promise<void> {
    await this.log(address);
    const text = await this.#from.readDocument(address, NOTES_DOCUMENT);
    if (text !== undefined) await this.#to.writeDocument(address, NOTES_DOCUMENT, text, { expected: null });
  }

  /** The owner, when the log names one. */
  async log(log: LogAddress): Promise<string | undefined> {
    const [slice] = await this.#from.read([{ log, check: 'full' }]);
    if (slice === undefined || slice === 'unchanged') return undefined;
    const bodies = slice.lines.map(({ text }) => text.replace(CLOSING, '}'));
    const userId = this.#ownerOf(bodies[0]);
    const to = log.kind === 'session' ? { ...log, userId } : log;
    if (bodies.length > 0) await this.#to.append(to, bodies, { create: 'new' });
    this.#records += bodies.length;
    this.#damaged += slice.damage.length;
    this.#read.push({ log, after: slice.position });
    return userId;
  }

  async report(): Promise<Omit<CopyReport, 'sessions' | 'agents' | 'notes'>> {
    const answers = await this.#from.read(this.#read);
    const changed = this.#read
      .filter((_, at) => !isUnchanged(answers[at]))
      .map(({ log }) => this.#from.folder?.placeOf(log) ?? `${log.kind} ${log.id}`);
    return { records: this.#records, details: this.#details, damaged_lines: this.#damaged, changed };
  }

  #ownerOf(body: string | undefined): string | undefined {
    if (body === undefined) return undefined;
    const { user_id, account_id } = JSON.parse(body) as Readonly<Record<string, unknown>>;
    if (typeof account_id === 'string') this.accounts.add(account_id);
    return typeof user_id === 'string' ? user_id : undefined;
  }

  async #blob(sessionId: string, name: string): Promise<void> {
    const blob = await this.#from.openBlob({ kind: 'session', id: sessionId }, name);
    if (blob === undefined) return;
    try {
      const written = await this.#to.writeBlob({ kind: 'session', id: sessionId }, name, piecesOf(blob));
      if (written !== blob.size)
        throw new IOError('IO_FAILED', `${name} of ${sessionId} was not copied whole.`);
      this.#details++;
    } finally {
      blob.close();
    }
  }
}

function isUnchanged(answer: ReadAnswer): boolean {
  if (answer === undefined || answer === 'unchanged') return answer !== undefined;
  return !answer.reset && answer.lines.length + answer.damage.length === 0;
}

async function* piecesOf(blob: OpenBlob): AsyncGenerator<Uint8Array, void> {
  for (let offset = 0; offset < blob.size; offset += STRETCH_BYTES)
    yield await blob.read(offset, STRETCH_BYTES);
}
