import { IOError, NotFoundError } from '../../core/errors.ts';
import type { JsonObject, Provenance, TrustTier } from '../../core/records.ts';
import type { LogAddress } from '../../core/store.ts';
import { FollowedLog } from '../followed-log.ts';
import type { LayerContext } from '../layer-context.ts';
import { conflict, refuseFaulty } from './notes-errors.ts';
import {
  isWritten,
  lastVersion,
  type NewVersion,
  type NotesOwner,
  type NotesState,
  notesFold,
  versionRecord,
  writtenRecord,
} from './notes-log.ts';

/**
 * The log of the versions of notes, and the text beside it that people edit by hand.
 *
 * A change is a version in the log first (decided under the lock, so that no two have the same base), then the
 * document (exchanged only for the text that the change was made from), then a `written` record. A process that looks
 * at the notes settles them first:
 *
 *   document = last version                      fine; if `written` is missing, it is added
 *   document = the version before, not written   left behind by a crash, or a writer is at work: it is written
 *   anything else                                a person's edit: it becomes a version of its own
 *
 * The log is always read before the document. A document can then be newer than what was read of the log, and
 * taking it for an edit fails its check under the lock; it can never be older and pass for one.
 *
 * A person who saves between version and document wins the document: both texts are versions, and the writer
 * gets a conflict. A text that comes back word for word (A, B, A) can make a very slow writer exchange the
 * wrong A; it notices when it notes `written`, and corrects the document.
 */
export interface Settled {
  /** 0 when there are no notes yet. */
  readonly version: number;
  readonly text: string;
  readonly trust: TrustTier;
  readonly updatedAt: string | null;
}

/** What was found, for those who go on from there. */
export interface Base extends Settled {
  readonly document: string | undefined;
  readonly highestVersion: number;
  /** A person's edit became a version in this look. */
  readonly hasAdopted: boolean;
}

/** A version that goes on from a base. */
type NextVersion = Omit<NewVersion, 'version'>;

export const DOCUMENT = 'notes.md';
const BY_HAND: Provenance = { author: 'user', trust: 'owner' };
/** Others who are faster this many times are a reason to ask the caller. */
export const MAX_TRIES = 10;

export class NotesPair {
  readonly address: LogAddress;
  readonly #context: LayerContext;
  readonly #owner: NotesOwner;
  #log: FollowedLog<NotesState>;

  constructor(context: LayerContext, owner: NotesOwner) {
    this.#context = context;
    this.#owner = owner;
    this.address = { kind: 'notes', id: owner.agentId, userId: owner.userId };
    this.#log = new FollowedLog(context, this.address, notesFold);
  }

  get log(): FollowedLog<NotesState> {
    return this.#log;
  }

  /** @throws ValidationError INVALID_TEXT, CONTENT_TOO_LARGE, ConcurrencyError NOTES_CONFLICT */
  async settle(): Promise<Base> {
    let hasAdopted = false;
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const state = await this.#log.current();
      const document = await this.readDocument();
      const base = describe(state, document, hasAdopted);
      const held = document ?? '';
      if (held === state.text) {
        if (!isWritten(state)) await orLater(() => this.#noteWritten(base.version, undefined, held));
        return base;
      }
      if (!isWritten(state) && (document === undefined || held === (state.previousText ?? ''))) {
        if (await this.bringOut(base, base.version, state.text)) continue;
        return base;
      }
      refuseFaulty(held, state.text);
      const trust = state.text.trim() === '' ? BY_HAND.trust : base.trust;
      const edit = { text: held, operation: 'edited by hand', author: BY_HAND, trust };
      if ((await this.addVersion(base, edit, 'is in the document')) !== undefined) hasAdopted = true;
    }
    throw conflict(undefined);
  }

  /** As the log says, without a look at the document. */
  async lastVersion(): Promise<Settled> {
    return describe(await this.#log.current(), undefined, false);
  }

  /** Its number; `undefined` when there is a newer version than the base by now. */
  async addVersion(
    base: Base,
    next: NextVersion,
    document: 'is in the document' | 'comes out next',
  ): Promise<number | undefined> {
    const version = base.highestVersion + 1;
    let isNext = false;
    await this.#log.change((state) => {
      isNext = state.highestVersion === base.highestVersion;
      if (!isNext) return [];
      const record = versionRecord(this.#owner, this.#timestamp(), { version, ...next });
      return document === 'comes out next' ? [record] : [record, this.#written(version)];
    });
    return isNext ? version : undefined;
  }

  /** Puts the text of a version into the document, unless that has changed since the base was found. */
  bringOut({ document }: Base, version: number, text: string): Promise<boolean> {
    return orLater(async () => {
      if (await this.exchange(document, text)) await this.#noteWritten(version, document, text);
    });
  }

  readDocument(): Promise<string | undefined> {
    return this.#context.store.readDocument(this.address, DOCUMENT);
  }

  /** False when the document holds something else. */
  exchange(expected: string | undefined, text: string): Promise<boolean> {
    // A log that another process has removed: there is nothing to exchange, and the next look shows it.
    const options = { expected: expected ?? null };
    return orElse(() => this.#context.store.writeDocument(this.address, DOCUMENT, text, options), false);
  }

  /** Whether there was a document, and whether there was a log. */
  async remove(): Promise<{ readonly hadDocument: boolean; readonly hadLog: boolean }> {
    const { store } = this.#context;
    // A document that a person made has no log yet, and is removed with one.
    if ((await this.readDocument()) !== undefined) await this.#log.change(() => []);
    const hadDocument = await orElse(() => store.writeDocument(this.address, DOCUMENT, undefined), false);
    const hadLog = await store.remove(this.address);
    this.#log = new FollowedLog(this.#context, this.address, notesFold);
    return { hadDocument, hadLog };
  }

  /** @param replaced what the document held before */
  async #noteWritten(version: number, replaced: string | undefined, text: string): Promise<void> {
    const note = ({ written }: NotesState): readonly JsonObject[] =>
      written.has(version) ? [] : [this.#written(version)];
    const state = await orElse(() => this.#log.change(note, { create: false }), undefined);
    if (state === undefined || state.highestVersion <= version) return;
    // What looked like the text before was the same text in a later version.
    if (state.text === replaced) await this.exchange(text, replaced);
  }

  #written(version: number): JsonObject {
    return writtenRecord(this.#owner, this.#timestamp(), version);
  }

  #timestamp(): string {
    return new Date(this.#context.clock.now()).toISOString();
  }
}

function describe(state: NotesState, document: string | undefined, hasAdopted: boolean): Base {
  const last = lastVersion(state);
  return {
    version: last?.version ?? 0,
    text: state.text,
    trust: last?.trust ?? 'owner',
    updatedAt: last?.timestamp ?? null,
    document,
    highestVersion: state.highestVersion,
    hasAdopted,
  };
}

/** Another process may remove a log at any time. */
export async function orElse<Result, Other>(
  work: () => Promise<Result>,
  whenMissing: Other,
): Promise<Result | Other> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof NotFoundError && error.code === 'SESSION_NOT_FOUND') return whenMissing;
    throw error;
  }
}

/** A change is made once its version is in the log: a disk that does not take the rest is no failure of it, but false. */
export async function orLater(work: () => Promise<void>): Promise<boolean> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof IOError) || error.code === 'STORE_CLOSED') throw error;
    return false;
  }
  return true;
}
