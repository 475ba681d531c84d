import type { LogLine } from '../../core/line.ts';

/**
 * One memory of a session that this process has not read yet.
 *
 * A process that starts, reads one memory and ends need not know where all the others stand. Whatever could
 * concern the memory names its id: its own line, a deletion, a changed importance, a memory that refers to it. So
 * the lines that hold the id are enough, when they leave no doubt: one whole line is the memory's own, and all
 * others are whole memories too. With anything else (a deletion, damage, a line that a person wrote, no line at
 * all) only a reading of the whole log can tell, and this gives `undefined`.
 */
export function onlyLineOf(id: string, lines: readonly LogLine[]): LogLine | undefined {
  let own: LogLine | undefined;
  for (const line of lines) {
    const memoryId = line.hasChecksumField ? line.memoryId : undefined;
    if (memoryId === undefined || line.check() !== 'verified') return undefined;
    if (memoryId !== id) continue;
    if (own !== undefined) return undefined;
    own = line;
  }
  return own;
}

/** How an id stands in a record. */
export function quoted(id: string): string {
  return `"${id}"`;
}
