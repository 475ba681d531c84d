import type { Emit } from './core/events.ts';
import { WordVectors } from './recall/vectors/index.ts';

/** Gives the bytes of a table of word vectors; `undefined` when there is none. */
export type ReadTable = () => Promise<Uint8Array | undefined>;

/** The table never changes, and all managers of a process share it. */
let installed: Promise<WordVectors | undefined> | undefined;

/**
 * The table of the package `longhand-vectors`; `undefined` when it is not installed. One that cannot be used is reported by an event, and
 * words alone answer.
 * @param read another table, for tests
 */
export async function loadWordTable(emit: Emit, read?: ReadTable): Promise<WordVectors | undefined> {
  try {
    if (read !== undefined) return await open(read);
    installed ??= open(readInstalled);
    return await installed;
  } catch (error) {
    emit({ kind: 'vectors-unusable', reason: (error as Error).message });
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
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ERR_MODULE_NOT_FOUND' && message.includes('longhand-vectors')) return undefined;
    throw error;
  }
}
