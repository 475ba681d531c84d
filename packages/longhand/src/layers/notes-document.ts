import { NotFoundError, ValidationError } from '../core/errors.ts';
import type { JsonObject, Provenance, TrustTier } from '../core/records.ts';
import { describeLog, type LogAddress } from '../core/store.ts';
import { FollowedLog } from './followed-log.ts';
import { conflict, refuseFaulty, supersededByHand, tooLarge } from './notes-errors.ts';
import {
  isWritten,
  lastVersion,
  type NewVersion,
  type NotesOwner,
  type NotesState,
  type NotesVersion,
  notesFold,
  textsFold,
  versionRecord,
  writtenRecord,
} from './notes-log.ts';
import type { Workshop } from './workshop.ts';

/**
 * One document of notes: the log of its versions, and the text beside it that people edit by hand.
 *
 * A change is a version in the log first (decided under the lock, so that no two have the same base), then the
 * document (exchanged only for the text that the change was made from), then a `written` record. Whoever looks
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
 * hears of a conflict. A text that comes back word for word (A, B, A) can make a very slow writer exchange the
 * wrong A; it finds out when it notes `written`, and puts the document right.
 */
export interface Settled {
  /** 0 when there are no notes yet. */
  readonly version: number;
  readonly text: string;
  readonly trust: TrustTier;
  readonly updatedAt: string | null;
}

/** What was found, for those who go on from there. */
interface Base extends Settled {
  readonly document: string | undefined;
  readonly highestVersion: number;
}

export interface Edit {
  readonly operation: string;
  readonly author: Provenance;
  readonly expectedVersion?: number | undefined;
  /** The new text. */
  apply(text: string): string;
  /** What it replaces: the edit is refused when others change that while it is under way. */
  touches(text: string): string;
  /** How far the new text may be trusted. */
  trustOf(base: Settled): TrustTier;
}

type Look = (settled: Settled, isOurs: boolean) => void;

const DOCUMENT = 'notes.md';
const BY_HAND: Provenance = { author: 'user', trust: 'owner' };
const FORGETTING: Provenance = { author: 'system', trust: 'owner' };
/** Others who are faster this many times are a reason to ask the caller. */
const MAX_TRIES = 10;
/** Old versions leave the log in lots of this share of those that are kept: each costs a rewrite of the log. */
const TRIM_SHARE = 0.25;
const MIN_TRIM = 10;
const BYTES_PER_KILOBYTE = 1_024;

export class NotesDocument {
  readonly address: LogAddress;
  readonly #workshop: Workshop;
  readonly #owner: NotesOwner;
  readonly #onLook: Look;
  #log: FollowedLog<NotesState>;
  #turn: Promise<unknown> = Promise.resolve();

  /** @param onLook told of the notes after every look, and whether what is new there was made here */
  constructor(workshop: Workshop, owner: NotesOwner, onLook: Look) {
    this.#workshop = workshop;
    this.#owner = owner;
    this.#onLook = onLook;
    this.address = { kind: 'notes', id: owner.agentId, userId: owner.userId };
    this.#log = new FollowedLog(workshop.store, this.address, notesFold);
  }

  read(): Promise<Settled> {
    return this.#inTurn(() => this.#settle());
  }

  /** Oldest first. */
  versions(): Promise<readonly NotesVersion[]> {
    return this.#inTurn(async () => {
      await this.#settle();
      return [...(await this.#log.current()).versions];
    });
  }

  /** The texts by their versions. */
  texts(): Promise<ReadonlyMap<number, string>> {
    return this.#inTurn(async () => {
      await this.#settle();
      return new FollowedLog(this.#workshop.store, this.address, textsFold).current();
    });
  }

  /** Makes a new version, unless the text stays as it is. @throws ConcurrencyError NOTES_CONFLICT */
  async edit(edit: Edit): Promise<Settled> {
    const start = await this.read();
    if (edit.expectedVersion !== undefined && edit.expectedVersion !== start.version)
      throw conflict(start.version);
    const touched = edit.touches(start.text);
    return this.#inTurn(async () => {
      for (let tries = 0; tries < MAX_TRIES; tries++) {
        const base = await this.#settle();
        const isMoved = base.version !== start.version;
        if (isMoved && (edit.expectedVersion !== undefined || edit.touches(base.text) !== touched))
          throw conflict(base.version);
        const text = edit.apply(base.text);
        if (text === base.text) return base;
        this.#checkSize(text, base.text);
        const { operation, author } = edit;
        const entry = {
          version: base.highestVersion + 1,
          text,
          operation,
          author,
          trust: edit.trustOf(base),
        };
        if (await this.#addVersion(base, entry, [])) return this.#bringOut(base, entry);
      }
      throw conflict(undefined);
    });
  }

  /**
   * Changes the text everywhere: in the document and in all versions. What goes is in no file afterwards.
   * @param redact gives the same text when there is nothing to take out, and when it is applied again
   * @returns how many versions held something to take out
   */
  redact(redact: (text: string) => string): Promise<number> {
    return this.#inTurn(async () => {
      for (let tries = 0; tries < MAX_TRIES; tries++) {
        const base = await this.#settleUnlessFaulty();
        // The document goes first: one that is left behind by a crash would bring the text back as an edit.
        if (!(await this.#redactDocument(redact))) continue;
        if (!(await this.#log.exists())) return 0;
        // A version of its own, so that a writer who started from the old text finds that it has moved.
        if (base !== undefined && redact(base.text) !== base.text) {
          const { highestVersion, trust } = base;
          const text = redact(base.text);
          const entry = {
            version: highestVersion + 1,
            text,
            operation: 'forgotten',
            author: FORGETTING,
            trust,
          };
          const written = writtenRecord(this.#owner, this.#timestamp(), entry.version);
          if (!(await this.#addVersion(base, entry, [written]))) continue;
        }
        const redacted = await this.#redactLog(redact);
        if (base !== undefined) await this.#settle();
        return redacted;
      }
      throw conflict(undefined);
    });
  }

  /** Removes the document and all versions. @returns how many versions there were */
  remove(): Promise<number> {
    const { store } = this.#workshop;
    return this.#inTurn(async () => {
      const count = (await this.#log.current()).versions.length;
      // A document that a person made has no log yet, and is removed with one.
      if ((await this.#readDocument()) !== undefined) await this.#log.change(() => []);
      const hadDocument = await orElse(() => store.removeDocument(this.address, DOCUMENT), false);
      const hadLog = await store.remove(this.address);
      this.#log = new FollowedLog(store, this.address, notesFold);
      if (hadDocument || hadLog)
        this.#onLook({ version: 0, text: '', trust: 'owner', updatedAt: null }, true);
      return Math.max(count, hadDocument ? 1 : 0);
    });
  }

  async #settle(): Promise<Base> {
    let isOurs = false;
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const state = await this.#log.current();
      const document = await this.#readDocument();
      const base = describe(state, document);
      const held = document ?? '';
      if (held === state.text) {
        if (!isWritten(state)) await this.#noteWritten(base.version, undefined, held);
        this.#onLook(base, isOurs);
        return base;
      }
      if (!isWritten(state) && (document === undefined || held === (state.previousText ?? ''))) {
        if (await this.#exchange(document, state.text)) {
          await this.#noteWritten(base.version, document, state.text);
        }
        continue;
      }
      refuseFaulty(held, state.text);
      const entry = {
        version: state.highestVersion + 1,
        text: held,
        operation: 'edited by hand',
        author: BY_HAND,
        trust: state.text.trim() === '' ? BY_HAND.trust : base.trust,
      };
      const written = writtenRecord(this.#owner, this.#timestamp(), entry.version);
      if (await this.#addVersion(base, entry, [written])) {
        isOurs = true;
        await this.#trim();
      }
    }
    throw conflict(undefined);
  }

  /** `undefined` when a person has saved what cannot be taken over. */
  async #settleUnlessFaulty(): Promise<Base | undefined> {
    try {
      return await this.#settle();
    } catch (error) {
      if (error instanceof ValidationError) return undefined;
      throw error;
    }
  }

  /** False when there is a newer version than the base by now. */
  async #addVersion(base: Base, entry: NewVersion, more: readonly JsonObject[]): Promise<boolean> {
    let isNext = false;
    await this.#log.change((state) => {
      isNext = state.highestVersion === base.highestVersion;
      return isNext ? [versionRecord(this.#owner, this.#timestamp(), entry), ...more] : [];
    });
    return isNext;
  }

  /** The version is in the log; now the document. */
  async #bringOut(base: Base, entry: NewVersion): Promise<Settled> {
    if (await this.#exchange(base.document, entry.text)) {
      await this.#noteWritten(entry.version, base.document, entry.text);
    }
    const settled = await this.#settle();
    const { written } = await this.#log.current();
    if (!written.has(entry.version)) throw supersededByHand(entry.version, settled.version);
    await this.#trim();
    this.#onLook(settled, true);
    return settled;
  }

  /** @param replaced what the document held before */
  async #noteWritten(version: number, replaced: string | undefined, text: string): Promise<void> {
    const note = ({ written }: NotesState): readonly JsonObject[] =>
      written.has(version) ? [] : [writtenRecord(this.#owner, this.#timestamp(), version)];
    const state = await orElse(() => this.#log.change(note, { create: false }), undefined);
    if (state === undefined || state.highestVersion <= version) return;
    // What looked like the text before was the same text in a later version.
    if (state.text === replaced) await this.#exchange(text, replaced);
  }

  /** Whether nothing is left of it; false when a person saved in that moment. */
  async #redactDocument(redact: (text: string) => string): Promise<boolean> {
    const document = await this.#readDocument();
    if (document === undefined || redact(document) === document) return true;
    return this.#exchange(document, redact(document));
  }

  async #redactLog(redact: (text: string) => string): Promise<number> {
    const texts = await new FollowedLog(this.#workshop.store, this.address, textsFold).current();
    const isTouched = (text: string): boolean => redact(text) !== text;
    const count = [...texts.values()].filter(isTouched).length;
    if (count === 0 && this.#log.damagedLines === 0) return 0;
    await this.#log.rewrite(
      ({ fields }) =>
        typeof fields.text === 'string' && isTouched(fields.text)
          ? { ...fields, text: redact(fields.text) }
          : 'keep',
      [],
      { forgetDamaged: true },
    );
    return count;
  }

  /** Takes out the oldest versions, when there are enough of them to be worth it. */
  async #trim(): Promise<void> {
    const keep = this.#workshop.config.notes.keep_versions + 1;
    const { versions } = await this.#log.current();
    if (versions.length < keep + Math.max(MIN_TRIM, keep * TRIM_SHARE)) return;
    const oldest = versions.at(-keep)!.version;
    try {
      await this.#log.rewrite(
        ({ fields: { version } }) => (typeof version === 'number' && version < oldest ? 'drop' : 'keep'),
        [],
        // What would be set aside here, no later redaction could find.
        { forgetDamaged: true },
      );
    } catch (error) {
      // The change that led here is safe; the next one tries again.
      this.reportFailure('trim', error);
    }
  }

  /** For failures that concern no caller. */
  reportFailure(operation: string, error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error);
    this.#workshop.emit({ kind: 'io-failed', log: describeLog(this.address), operation, reason });
  }

  /** A text that is too large already may become smaller. */
  #checkSize(text: string, before: string): void {
    const limit = this.#workshop.config.notes.max_kb * BYTES_PER_KILOBYTE;
    const bytes = Buffer.byteLength(text);
    if (bytes <= limit || bytes < Buffer.byteLength(before)) return;
    throw tooLarge(bytes, limit, 'Delete or shorten sections, or raise notes.max_kb.');
  }

  #readDocument(): Promise<string | undefined> {
    return this.#workshop.store.readDocument(this.address, DOCUMENT);
  }

  #exchange(expected: string | undefined, text: string): Promise<boolean> {
    // A log that somebody has removed by now: there is nothing to exchange, and the next look shows it.
    return orElse(() => this.#workshop.store.exchangeDocument(this.address, DOCUMENT, expected, text), false);
  }

  #timestamp(): string {
    return new Date(this.#workshop.clock.now()).toISOString();
  }

  /** One at a time: a look between version and document would see work that is under way. */
  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#turn.then(work, work);
    this.#turn = result.catch(() => undefined);
    return result;
  }
}

function describe(state: NotesState, document: string | undefined): Base {
  const last = lastVersion(state);
  return {
    version: last?.version ?? 0,
    text: state.text,
    trust: last?.trust ?? 'owner',
    updatedAt: last?.timestamp ?? null,
    document,
    highestVersion: state.highestVersion,
  };
}

async function orElse<Result, Other>(
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
