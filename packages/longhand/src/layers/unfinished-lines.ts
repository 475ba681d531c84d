import {
  describeLog,
  type LogAddress,
  type LogPosition,
  type LogSlice,
  type LogStore,
  UNCHANGED,
} from '../core/store.ts';

/**
 * Bytes after the last whole line of a log are a write under way, one whose process was killed, or a line that lost
 * its end. The first is over in a moment, so a check looks twice. The other two cannot be told apart: the next writer
 * closes such a line, and it is ordinary damage from then on.
 */

export interface UnfinishedLine {
  /** For people: a path within the store. */
  readonly place: string;
  /** Where in it the line begins, in bytes. */
  readonly offset: number;
  readonly bytes: number;
}

/** A line is written with one call to the system, which takes no tenth of this. */
const SECOND_LOOK_MS = 250;

export class UnfinishedLines {
  readonly #store: LogStore;
  readonly #seen: { readonly address: LogAddress; readonly position: LogPosition; readonly bytes: number }[] =
    [];

  constructor(store: LogStore) {
    this.#store = store;
  }

  note(address: LogAddress, { position, unfinishedBytes: bytes }: LogSlice): void {
    if (bytes > 0) this.#seen.push({ address, position, bytes });
  }

  /** Those that are as they were when they were noted. Waits a moment when there are any. */
  async still(): Promise<readonly UnfinishedLine[]> {
    if (this.#seen.length === 0) return [];
    await new Promise((resolve) => setTimeout(resolve, SECOND_LOOK_MS));
    const still: UnfinishedLine[] = [];
    for (const { address, position, bytes } of this.#seen) {
      const [now] = await this.#store.read([{ log: address, after: position }]);
      // Gone since, or without anything behind the last line.
      if (now === undefined || now === UNCHANGED) continue;
      const hasGrown = now.reset || now.lines.length + now.damage.length > 0;
      if (hasGrown || now.unfinishedBytes !== bytes) continue;
      still.push({ place: placeOf(this.#store, address), offset: position.at, bytes });
    }
    return still;
  }
}

/** For people: where a log lies. */
export function placeOf(store: LogStore, log: LogAddress): string {
  return store.folder?.placeOf(log) ?? describeLog(log);
}
