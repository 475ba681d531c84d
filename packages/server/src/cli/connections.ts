import { createHash } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { ClientFile, ClientPlaces } from '../config/client-files.ts';
import { makePrivateFolder } from '../private-folder.ts';
import { UsageError } from './command.ts';
import { applyEdit, JsonTextError, putAt, removeAt, reversed, type TextEdit, valueAt } from './json-edit.ts';

/**
 * The entries that `longhand connect` makes in the files of MCP clients, and a record of them. The record holds each
 * change as the text that went and the text that came, with hashes of the file before and after: as long as nothing else
 * has changed the file, undoing gives the bytes that were there. A file that its client has written since loses the entry alone.
 */
export interface PlannedChange {
  readonly client: ClientFile;
  /** `undefined`: the file is not there. */
  readonly before: string | undefined;
  /** `undefined`: the file goes. */
  readonly after: string | undefined;
  readonly edit: TextEdit;
  /** What cannot be undone byte for byte, in words. */
  readonly remark?: string;
}

export interface Entry {
  readonly command: string;
  readonly args: readonly string[];
}

interface RecordedChange extends TextEdit {
  readonly file: string;
  readonly entry: unknown;
  /** The entry that was there before. */
  readonly replaced?: unknown;
  /** Hash of the file; `null` when there was none. */
  readonly before: string | null;
  readonly after: string;
}

const ENTRY = ['mcpServers', 'longhand'] as const;

export class Connections {
  readonly #places: ClientPlaces;

  constructor(places: ClientPlaces) {
    this.#places = places;
  }

  /** What has to change; empty for a client that is connected like this already. @throws UsageError */
  plan(clients: readonly ClientFile[], command: Entry): readonly PlannedChange[] {
    return clients.flatMap((client) => {
      const before = contentOf(client);
      const entry = entryFor(client, command);
      return readable(client, () => {
        const present = valueAt(before ?? '', ENTRY);
        if (present !== undefined && isDeepStrictEqual(plainly(present), entry)) return [];
        const edit = putAt(before ?? '', ENTRY, entry);
        return [{ client, before, after: applyEdit(before ?? '', edit), edit }];
      });
    });
  }

  /** Notes a change before making it, so that it can be undone after a crash in between. @throws UsageError */
  make({ client, before, after, edit }: PlannedChange, command: Entry): void {
    const replaced = valueAt(before ?? '', ENTRY);
    const change: RecordedChange = {
      file: client.file,
      ...edit,
      entry: entryFor(client, command),
      ...(replaced === undefined ? {} : { replaced }),
      before: before === undefined ? null : hashOf(before),
      after: hashOf(after!),
    };
    this.#write([...this.#read(), change]);
    write(client, before, after);
  }

  /** What undoing all recorded changes of these clients does to their files. @throws UsageError */
  planUndo(clients: readonly ClientFile[]): readonly PlannedChange[] {
    return clients.flatMap((client) => {
      const before = contentOf(client);
      const changes = this.#read().filter(({ file }) => file === client.file);
      if (changes.length === 0) return [];
      return readable(client, () => {
        let after = before;
        let remark: string | undefined;
        for (const change of changes.reverse()) {
          const undone = undo(after, change);
          after = undone.text;
          remark ??= undone.remark;
        }
        const edit = { at: 0, removed: before ?? '', inserted: after ?? '' };
        return [{ client, before, after, edit, ...(remark === undefined ? {} : { remark }) }];
      });
    });
  }

  /** Undoes, and forgets that there was anything to undo. @throws UsageError */
  undo({ client, before, after }: PlannedChange): void {
    if (before !== after) write(client, before, after);
    this.#write(this.#read().filter(({ file }) => file !== client.file));
  }

  #read(): readonly RecordedChange[] {
    const text = textAt(this.#places.record);
    return text === undefined ? [] : (JSON.parse(text) as { changes: RecordedChange[] }).changes;
  }

  #write(changes: readonly RecordedChange[]): void {
    const { record } = this.#places;
    makePrivateFolder(dirname(record));
    if (changes.length === 0) rmSync(record, { force: true });
    else replaceFile(record, `${JSON.stringify({ changes }, null, 2)}\n`, 0o600);
  }
}

function undo(
  text: string | undefined,
  change: RecordedChange,
): { text: string | undefined; remark?: string } {
  if (text === undefined) return { text, remark: 'The file is gone.' };
  if (hashOf(text) === change.after) {
    const restored = applyEdit(text, reversed(change));
    return { text: change.before === null ? undefined : restored };
  }
  const present = valueAt(text, ENTRY);
  if (present === undefined) return { text, remark: 'The entry is not there any more.' };
  if (!isDeepStrictEqual(plainly(present), change.entry))
    return { text, remark: 'The entry was changed since it was made, and stays.' };
  const edit = change.replaced === undefined ? removeAt(text, ENTRY) : putAt(text, ENTRY, change.replaced);
  return {
    text: applyEdit(text, edit),
    remark: 'The file was changed since the entry was made: only the entry goes.',
  };
}

function entryFor({ namesTransport }: ClientFile, { command, args }: Entry): unknown {
  return { ...(namesTransport ? { type: 'stdio' } : {}), command, args: [...args] };
}

/** Without the missing prototypes of what was read. */
function plainly(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

function readable<Result>({ title, file }: ClientFile, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof JsonTextError)) throw error;
    throw new UsageError(
      `${file}, the file of ${title}, cannot be read as JSON (${error.message}). Nothing was changed: mend it, or name the other clients.`,
      { cause: error },
    );
  }
}

/** @throws UsageError for what is not UTF-8: it could not be given back as it was */
function contentOf({ title, file }: ClientFile): string | undefined {
  try {
    return textAt(file);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new UsageError(`${file}, the file of ${title}, is not UTF-8 text. Nothing was changed.`, {
      cause: error,
    });
  }
}

function textAt(file: string): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(readFileSync(file));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Clients write these files too: what they wrote in the meantime is not overwritten. */
function write(client: ClientFile, before: string | undefined, after: string | undefined): void {
  if (contentOf(client) !== before)
    throw new UsageError(`${client.file} was changed in the meantime. Run the command again.`);
  if (after === undefined) {
    rmSync(client.file);
    return;
  }
  mkdirSync(dirname(client.file), { recursive: true });
  // A file that is linked to from here stays where it is.
  const file = before === undefined ? client.file : realpathSync(client.file);
  replaceFile(file, after, before === undefined ? 0o600 : statSync(file).mode & 0o777);
}

/** Whole or not at all. */
function replaceFile(file: string, text: string, mode: number): void {
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    writeFileSync(temporary, text, { mode });
    const handle = openSync(temporary, 'r+');
    fsyncSync(handle);
    closeSync(handle);
    renameSync(temporary, file);
  } finally {
    rmSync(temporary, { force: true });
  }
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
