import { NotFoundError, ValidationError } from '../../core/errors.ts';
import { parseName } from '../../core/ids.ts';
import { type Provenance, TRUST_TIERS, type TrustTier } from '../../core/records.ts';
import type { LayerContext } from '../layer-context.ts';
import { LeastRecentlyUsed } from '../least-recently-used.ts';
import { unifiedDiff } from './note-diff.ts';
import { readOutline, withoutMatches } from './note-headers.ts';
import { applyChange, type NotesChange, parseNotesChange, touchedBy } from './notes-change.ts';
import { NotesDocument } from './notes-document.ts';
import type { NotesVersion } from './notes-log.ts';
import type { Settled } from './notes-pair.ts';
import { NotesWatch } from './notes-watch.ts';

/**
 * Notes: one Markdown document for each user and agent, which the agent keeps by section and a person may edit
 * by hand. Every change is a version that can be looked at, compared and restored.
 */
export interface Notes {
  readonly text: string;
  /** Counts up with every change; 0 when there are no notes yet. */
  readonly version: number;
  /** ISO 8601, UTC; `null` when there are no notes yet. */
  readonly updated_at: string | null;
  /** How far the text may be trusted: as far as the least trusted of those who wrote it. */
  readonly trust: TrustTier;
}

interface NotesWriteOptions {
  /** Refuse the change when the notes are at another version: what the caller has not read stays. */
  readonly expectedVersion?: number;
  /** Who makes the change. The agent when left out. */
  readonly author?: Provenance;
}

/** A section that was found, up to the next header. */
interface FoundSection {
  readonly title: string;
  /** With its header. */
  readonly text: string;
  /** How much of what was asked for it holds, 0 to 1. */
  readonly match: number;
}

/** All there is about one document, for an export. */
interface ExportedNotes extends Notes {
  readonly agent_id: string;
  readonly versions: readonly (Omit<NotesVersion, CountedLines> & { readonly text: string })[];
}

/** Counted from the texts that are kept, so that a copy of the notes counts them for itself. */
type CountedLines = 'lines_added' | 'lines_removed';

type NotesListener = (notes: Notes) => void;

interface Open {
  readonly document: NotesDocument;
  readonly watch: NotesWatch<Notes>;
}

/** Documents whose state is kept in memory; each holds its text and the list of its versions. */
const MAX_OPEN_DOCUMENTS = 64;

export class NotesLayer {
  readonly #context: LayerContext;
  readonly #open = new LeastRecentlyUsed<Open>(MAX_OPEN_DOCUMENTS);
  /** Those with listeners stay. */
  readonly #watched = new Map<string, Open>();
  /** What is wrong with documents, as last reported. */
  readonly #faulty = new LeastRecentlyUsed<string>(MAX_OPEN_DOCUMENTS);

  constructor(context: LayerContext) {
    this.#context = context;
  }

  /**
   * The notes as they are now, with what people have edited by hand.
   * @throws ValidationError INVALID_TEXT, CONTENT_TOO_LARGE when a person has saved what cannot be notes
   */
  async read(userId: string, agentId: string): Promise<Notes> {
    return toNotes(await this.#document(userId, agentId).read());
  }

  /**
   * The sections that a text asks for, best first, by words and by meaning. What stands before the first header has no title.
   * @throws ValidationError INVALID_QUERY, and as `read` does
   */
  async search(userId: string, agentId: string, text: string, limit?: number): Promise<FoundSection[]> {
    const { text: notes, updated_at: timestamp } = await this.read(userId, agentId);
    if (timestamp === null) return [];
    const starts = [{ title: '', start: 0 }, ...readOutline(notes).headers];
    const sections = starts.map(({ title, start }, at) => {
      return { title, text: notes.slice(start, starts[at + 1]?.start), timestamp };
    });
    // Loaded with the first search: most processes never search.
    const { searchTexts } = await import('../search/text-search.ts');
    return searchTexts(this.#context, text, sections, limit);
  }

  /**
   * As `read`, for a prompt, which must not fail because of what a person has saved: then the notes are the last good
   * version, `fault` is the code of what is wrong with the file, and an event reports it once.
   */
  async readForPrompt(
    userId: string,
    agentId: string,
  ): Promise<Notes & { readonly fault?: ValidationError['code'] }> {
    const key = keyOf(userId, agentId);
    const document = this.#document(userId, agentId);
    try {
      const notes = toNotes(await document.read());
      this.#faulty.delete(key);
      return notes;
    } catch (error) {
      if (!(error instanceof ValidationError)) throw error;
      const { code } = error;
      if (this.#faulty.get(key) !== code)
        this.#context.emit({ kind: 'notes-unreadable', user_id: userId, agent_id: agentId, code });
      this.#faulty.set(key, code);
      return { ...toNotes(await document.lastGood()), fault: code };
    }
  }

  /**
   * Changes the notes. Others who change the same part while the call is under way, or have changed anything
   * since `expectedVersion`, are not overwritten. A change that leaves the text as it is makes no version.
   * @throws ConcurrencyError NOTES_CONFLICT, NotFoundError SECTION_NOT_FOUND, ValidationError INVALID_OPTION,
   * INVALID_TEXT, INVALID_CONTENT, CONTENT_TOO_LARGE
   */
  async apply(
    userId: string,
    agentId: string,
    change: NotesChange,
    options: NotesWriteOptions = {},
  ): Promise<Notes> {
    const document = this.#document(userId, agentId);
    const checked = parseNotesChange(change);
    const { author, expectedVersion } = parseOptions(agentId, options);
    const replacesAll = checked.operation === 'overwrite' || checked.operation === 'delete_all_notes';
    return toNotes(
      await document.edit({
        operation: checked.operation,
        author,
        expectedVersion,
        apply: (text) => applyChange(text, checked),
        touches: (text) => touchedBy(text, checked),
        trustOf: (base) =>
          replacesAll || base.text.trim() === '' ? author.trust : lowest(base.trust, author.trust),
      }),
    );
  }

  /** Oldest first; as many as `notes.keep_versions` at least. */
  async versions(userId: string, agentId: string): Promise<readonly NotesVersion[]> {
    return this.#document(userId, agentId).versions();
  }

  /** @throws NotFoundError VERSION_NOT_FOUND */
  async readVersion(userId: string, agentId: string, version: number): Promise<string> {
    const texts = await this.#document(userId, agentId).texts();
    return textOf(texts, version);
  }

  /** Makes a new version with the text of an old one. @throws NotFoundError VERSION_NOT_FOUND, as `apply` */
  async restore(
    userId: string,
    agentId: string,
    version: number,
    options: NotesWriteOptions = {},
  ): Promise<Notes> {
    const document = this.#document(userId, agentId);
    const { author, expectedVersion } = parseOptions(agentId, options);
    const text = textOf(await document.texts(), version);
    const trust = (await document.versions()).find((one) => one.version === version)?.trust ?? author.trust;
    return toNotes(
      await document.edit({
        operation: `restored version ${version}`,
        author,
        expectedVersion,
        apply: () => text,
        touches: (current) => current,
        trustOf: () => trust,
      }),
    );
  }

  /** A unified diff; empty when the versions have the same text. @throws NotFoundError VERSION_NOT_FOUND */
  async diff(userId: string, agentId: string, from: number, to: number): Promise<string> {
    const texts = await this.#document(userId, agentId).texts();
    const names = { from: `version ${from}`, to: `version ${to}` };
    return unifiedDiff(textOf(texts, from), textOf(texts, to), names);
  }

  /**
   * Calls the listener with the notes after every change: those of this process at once, those of other
   * processes and of people within about a second. A change is one against what this process has read last: who
   * reads first and then watches misses nothing. Returns the function that ends it.
   */
  watch(userId: string, agentId: string, listener: NotesListener): () => void {
    const key = keyOf(userId, agentId);
    const open = this.#openDocument(userId, agentId);
    this.#watched.set(key, open);
    const end = open.watch.add(listener);
    return () => {
      end();
      if (open.watch.isIdle && this.#watched.get(key) === open) this.#watched.delete(key);
    };
  }

  /** The agents that keep notes on a user, sorted. */
  async list(userId: string): Promise<readonly string[]> {
    return this.#context.store.list('notes', parseName(userId, 'user id'));
  }

  /** The notes of one agent, with all versions. @throws ValidationError when a person has saved what no notes can be */
  async exportOf(userId: string, agentId: string): Promise<ExportedNotes> {
    const document = this.#document(userId, agentId);
    const notes = toNotes(await document.read());
    const texts = await document.texts();
    const versions = (await document.versions()).flatMap(
      ({ lines_added: _, lines_removed: __, ...version }) => {
        const text = texts.get(version.version);
        return text === undefined ? [] : [{ ...version, text }];
      },
    );
    return { agent_id: agentId, ...notes, versions };
  }

  /** Removes the notes and all their versions. @returns how many they were */
  async forget(userId: string, agentId: string): Promise<number> {
    return this.#document(userId, agentId).remove();
  }

  /**
   * Takes out of the notes and of all versions every line that matches, and every paragraph that still matches
   * when its lines are read as one. When the call ends, what went is in no file of the store.
   * @returns how many versions held something that matched
   */
  async forgetText(userId: string, agentId: string, matches: (text: string) => boolean): Promise<number> {
    return this.redact(userId, agentId, (text) => withoutMatches(text, matches));
  }

  /**
   * Changes the text of the notes and of all versions, for instance to black out a name.
   * @param redact must give the same text when there is nothing to do, and when it is applied again
   * @returns how many versions were changed
   */
  async redact(userId: string, agentId: string, redact: (text: string) => string): Promise<number> {
    return this.#document(userId, agentId).redact(redact);
  }

  /**
   * When each line of the notes and of all versions was first noted, in milliseconds; those of unknown age have 0,
   * and blank ones are left out.
   */
  async linesNoted(userId: string, agentId: string): Promise<ReadonlyMap<string, number>> {
    return this.#document(userId, agentId).linesNoted();
  }

  /** Whether the log of the versions holds what cannot be read; `redact` and `forgetText` take that out too. */
  isDamaged(userId: string, agentId: string): Promise<boolean> {
    return this.#document(userId, agentId).isDamaged();
  }

  /** Ends all watching. */
  close(): void {
    for (const { watch } of this.#watched.values()) watch.stop();
    this.#watched.clear();
  }

  #document(userId: string, agentId: string): NotesDocument {
    return this.#openDocument(userId, agentId).document;
  }

  #openDocument(userId: string, agentId: string): Open {
    const owner = { userId: parseName(userId, 'user id'), agentId: parseName(agentId, 'agent id') };
    const key = keyOf(userId, agentId);
    const present = this.#watched.get(key) ?? this.#open.get(key);
    if (present !== undefined) return present;

    let seenVersion: number | undefined;
    const document = new NotesDocument(this.#context, owner, (settled, isOurs) => {
      const isNews = settled.version !== seenVersion && (isOurs || seenVersion !== undefined);
      seenVersion = settled.version;
      if (!isNews) return;
      const { version } = settled;
      this.#context.emit({ kind: 'notes-changed', user_id: userId, agent_id: agentId, version });
      watch.announce(toNotes(settled));
    });
    const watch = new NotesWatch<Notes>(
      () => document.read(),
      (error) => document.reportFailure('watch', error),
    );
    const open = { document, watch };
    this.#open.set(key, open);
    return open;
  }
}

function keyOf(userId: string, agentId: string): string {
  return JSON.stringify([userId, agentId]);
}

function toNotes({ text, version, updatedAt, trust }: Settled): Notes {
  return { text, version, updated_at: updatedAt, trust };
}

function parseOptions(
  agentId: string,
  { expectedVersion, author }: NotesWriteOptions,
): { readonly author: Provenance; readonly expectedVersion: number | undefined } {
  if (expectedVersion !== undefined && !(Number.isInteger(expectedVersion) && expectedVersion >= 0)) {
    throw new ValidationError('INVALID_OPTION', 'expectedVersion must be a whole number of at least 0.');
  }
  return { author: author ?? { author: 'assistant', trust: 'agent', agent_id: agentId }, expectedVersion };
}

function lowest(one: TrustTier, other: TrustTier): TrustTier {
  return TRUST_TIERS.indexOf(one) > TRUST_TIERS.indexOf(other) ? one : other;
}

function textOf(texts: ReadonlyMap<number, string>, version: number): string {
  const text = texts.get(version);
  if (text !== undefined) return text;
  throw new NotFoundError('VERSION_NOT_FOUND', `There is no version ${version} of these notes.`, {
    details: { version },
  });
}
