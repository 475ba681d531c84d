import type { Emit } from '../core/events.ts';
import { WordVectors } from '../recall/vectors/index.ts';

/** Gives the bytes of a table of word vectors; `undefined` when there is none. */
export type ReadTable = () => Promise<Uint8Array | undefined>;

/** The table never changes, and all managers of a process share it. */
let installed: Promise<WordVectors | undefined> | undefined;

/**
 * The table of the package `longhand-vectors`; `undefined` when the package is not installed. A package that is installed and cannot
 * be used is reported by an event, and words alone answer.
 * @param read another table, for tests
 */
export async function loadWordTable(emit: Emit, read?: ReadTable): Promise<WordVectors | undefined> {
  try {
    if (read !== undefined) return await open(read);
    installed ??= open(readInstalled);
    return await installed;
  } catch (error) {
    const reason = `longhand-vectors cannot be used: ${(error as Error).message}`;
    emit({ kind: 'vectors-unusable', reason });
    return undefined;
  }
}

async function open(read: ReadTable): Promise<WordVectors | undefined> {
  const bytes = await read();
  return bytes && new WordVectors(bytes);
}

async function readInstalled(): Promise<Uint8Array | undefined> {
  try {
    return (await import('longhand-vectors')).readTable();
  } catch (error) {
    // Of an installed package that lacks a file, or an import of its own, the message names something else as missing.
    const { code, message } = error as NodeJS.ErrnoException;
    const isMissing = message.startsWith("Cannot find package 'longhand-vectors'");
    if (code === 'ERR_MODULE_NOT_FOUND' && isMissing) return undefined;
    throw error;
  }
}
