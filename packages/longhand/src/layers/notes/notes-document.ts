import { ValidationError } from '../../core/errors.ts';
import type { Provenance, TrustTier } from '../../core/records.ts';
import { describeLog } from '../../core/store.ts';
import { FollowedLog } from '../followed-log.ts';
import type { LayerContext } from '../layer-context.ts';
import { Turns } from '../turns.ts';
import { linesNotedIn, withText, withTimes } from './line-times.ts';
import { conflict, supersededByHand, tooLarge } from './notes-errors.ts';
import { type NotesOwner, type NotesVersion, textsFold, timedFold } from './notes-log.ts';
import { type Base, MAX_TRIES, NotesPair, orElse, orLater, type Settled } from './notes-pair.ts';

/**
 * One document of notes, and what can be done to it. How its log and its text are kept together is described in
 * `notes-pair.ts`.
 */
interface Edit {
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

const FORGETTING: Provenance = { author: 'system', trust: 'owner' };
/** Old versions leave the log in lots of this share of those that are kept: each costs a rewrite of the log. */
const TRIM_SHARE = 0.25;
const MIN_TRIM = 10;
const BYTES_PER_KILOBYTE = 1_024;

export class NotesDocument {
  readonly #context: LayerContext;
  readonly #pair: NotesPair;
  readonly #onLook: Look;
  /** One at a time: a look between version and document would see work that is under way. */
  readonly #turns = new Turns();

  /** @param onLook called with the notes after every look, and whether what is new there was made here */
  constructor(context: LayerContext, owner: NotesOwner, onLook: Look) {
    this.#context = context;
    this.#pair = new NotesPair(context, owner);
    this.#onLook = onLook;
  }

  read(): Promise<Settled> {
    return this.#turns.run(() => this.#settle());
  }

  /** The last version, whatever a person has saved since. */
  lastGood(): Promise<Settled> {
    return this.#turns.run(() => this.#pair.lastVersion());
  }

  /** Oldest first. */
  versions(): Promise<readonly NotesVersion[]> {
    return this.#turns.run(async () => {
      await this.#settle();
      return [...(await this.#pair.log.current()).versions];
    });
  }

  /** The texts by their versions. */
  texts(): Promise<ReadonlyMap<number, string>> {
    return this.#turns.run(async () => {
      await this.#settle();
      return this.#texts();
    });
  }

  /** When each line was first noted, in milliseconds; blank ones are left out. */
  linesNoted(): Promise<ReadonlyMap<string, number>> {
    return this.#turns.run(async () => {
      await this.#settleUnlessFaulty();
      return this.#linesNoted();
    });
  }

  async #linesNoted(): Promise<ReadonlyMap<string, number>> {
    return linesNotedIn(await new FollowedLog(this.#context, this.#pair.address, timedFold).current());
  }

  /** Makes a new version, unless the text stays as it is. @throws ConcurrencyError NOTES_CONFLICT */
  async edit(edit: Edit): Promise<Settled> {
    const { operation, author, expectedVersion } = edit;
    const start = await this.read();
    if (expectedVersion !== undefined && expectedVersion !== start.version) throw conflict(start.version);
    const touched = edit.touches(start.text);
    return this.#turns.run(async () => {
      for (let tries = 0; tries < MAX_TRIES; tries++) {
        const base = await this.#settle();
        const isMoved = base.version !== start.version;
        if (isMoved && (expectedVersion !== undefined || edit.touches(base.text) !== touched))
          throw conflict(base.version);
        const text = edit.apply(base.text);
        if (text === base.text) return base;
        this.#checkSize(text, base.text);
        const next = { text, operation, author, trust: edit.trustOf(base) };
        const version = await this.#pair.addVersion(base, next, 'comes out next');
        if (version !== undefined) return this.#bringOut(base, version, text);
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
    return this.#turns.run(async () => {
      for (let tries = 0; tries < MAX_TRIES; tries++) {
        const base = await this.#settleUnlessFaulty();
        // The document goes first: one that is left behind by a crash would bring the text back as an edit.
        if (!(await this.#redactDocument(redact))) continue;
        if (!(await this.#pair.log.exists())) return 0;
        // A version of its own, so that a writer who started from the old text finds that it has moved.
        if (base !== undefined && redact(base.text) !== base.text) {
          const { trust } = base;
          const next = { text: redact(base.text), operation: 'forgotten', author: FORGETTING, trust };
          if ((await this.#pair.addVersion(base, next, 'is in the document')) === undefined) continue;
        }
        const redacted = await this.#redactLog(redact);
        if (base !== undefined) await this.#settle();
        return redacted;
      }
      throw conflict(undefined);
    });
  }

  /** Whether its log holds what cannot be read. */
  isDamaged(): Promise<boolean> {
    return this.#turns.run(async () => (await this.#pair.log.unreadable('all')).isThere);
  }

  /** Removes the document and all versions. @returns how many versions there were */
  remove(): Promise<number> {
    return this.#turns.run(async () => {
      const count = (await this.#pair.log.current()).versions.length;
      const { hadDocument, hadLog } = await this.#pair.remove();
      if (hadDocument || hadLog)
        this.#onLook({ version: 0, text: '', trust: 'owner', updatedAt: null }, true);
      return Math.max(count, hadDocument ? 1 : 0);
    });
  }

  /** For failures that concern no caller. */
  reportFailure(operation: string, error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error);
    this.#context.emit({ kind: 'io-failed', log: describeLog(this.#pair.address), operation, reason });
  }

  async #settle(): Promise<Base> {
    const base = await this.#pair.settle();
    if (base.hasAdopted) await this.#trim();
    this.#onLook(base, base.hasAdopted);
    return base;
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

  /** The version is in the log; now the document. */
  async #bringOut(base: Base, version: number, text: string): Promise<Settled> {
    if (!(await this.#pair.bringOut(base, version, text))) return this.#pair.lastVersion();
    const settled = await this.#settle();
    const { written } = await this.#pair.log.current();
    if (!written.has(version)) throw supersededByHand(version, settled.version);
    await orLater(() => this.#trim());
    return settled;
  }

  /** Whether nothing is left of it; false when a person saved in that moment. */
  async #redactDocument(redact: (text: string) => string): Promise<boolean> {
    const document = await this.#pair.readDocument();
    if (document === undefined || redact(document) === document) return true;
    return this.#pair.exchange(document, redact(document));
  }

  async #redactLog(redact: (text: string) => string): Promise<number> {
    const { log } = this.#pair;
    const isTouched = (text: string): boolean => redact(text) !== text;
    const count = [...(await this.#texts()).values()].filter(isTouched).length;
    if (count === 0 && !(await log.unreadable('all')).isThere) return 0;
    const rewriting = log.rewrite(
      ({ fields }) =>
        typeof fields.text === 'string' && isTouched(fields.text)
          ? withText(fields, redact(fields.text))
          : 'keep',
      [],
      // What cannot be read may hold it too.
      { unreadable: 'all' },
    );
    await orElse(() => rewriting, undefined);
    return count;
  }

  /** Takes out the oldest versions, when there are enough of them to be worth it. */
  async #trim(): Promise<void> {
    const keep = this.#context.config.notes.keep_versions + 1;
    const { versions } = await this.#pair.log.current();
    if (versions.length < keep + Math.max(MIN_TRIM, keep * TRIM_SHARE)) return;
    const oldest = versions.at(-keep)!.version;
    try {
      const noted = await this.#linesNoted();
      await this.#pair.log.rewrite(
        ({ fields }) => {
          if (typeof fields.version !== 'number' || fields.version > oldest) return 'keep';
          if (fields.version < oldest) return 'drop';
          return fields.record === 'version' ? withTimes(fields, noted) : 'keep';
        },
        [],
        // What would be set aside here, no later redaction could find.
        { unreadable: 'all' },
      );
    } catch (error) {
      // The change that led here is safe; the next one tries again.
      this.reportFailure('trim', error);
    }
  }

  #texts(): Promise<ReadonlyMap<number, string>> {
    return new FollowedLog(this.#context, this.#pair.address, textsFold).current();
  }

  /** A text that is too large already may become smaller. */
  #checkSize(text: string, before: string): void {
    const limit = this.#context.config.notes.max_kb * BYTES_PER_KILOBYTE;
    const bytes = Buffer.byteLength(text);
    if (bytes <= limit || bytes < Buffer.byteLength(before)) return;
    throw tooLarge(bytes, limit, 'Delete or shorten sections, or raise notes.max_kb.');
  }
}
