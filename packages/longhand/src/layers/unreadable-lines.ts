import type { LogLine } from '../core/line.ts';
import type { Damage } from '../core/log-decoder.ts';

/**
 * What becomes of lines that cannot be read when something is forgotten in a followed log.
 *
 * Such a line is kept, in the log or aside: a person may mend it. But forgetting wins wherever the line could hold
 * what is meant. A log in which something is found is rewritten without any of them, and a time takes them all:
 * when they were written is unknown. A log in which nothing is found loses
 *
 * - the lines that name what is meant, at any place of them;
 * - when something was found beside it, the lines that do not stand for themselves: torn pieces, which were never
 *   acknowledged and whose text a retry may have stored, and lines that name nothing.
 *
 * The logs of sessions have the same rule, in finer terms (memories/damaged-lines.ts).
 */
export type Unreadable =
  | 'none'
  | 'all'
  | {
      /** Ids, keys and names of what is to be forgotten. */
      readonly names: ReadonlySet<string>;
      /** Whether lines that do not stand for themselves go too. */
      readonly takesTorn: boolean;
    };

/** Whether a line that cannot be read may hold what is meant. */
export function mayBeMeant(line: LogLine, unreadable: Unreadable): boolean {
  if (typeof unreadable === 'string') return unreadable === 'all';
  return namesAny(line, unreadable.names) || (unreadable.takesTorn && !standsForItself(line));
}

/** Whether a name stands in the line as a JSON text of its own. */
export function namesAny({ text }: LogLine, names: ReadonlySet<string>): boolean {
  for (const name of names) if (text.includes(JSON.stringify(name))) return true;
  return false;
}

/** The lines that damage takes away; a number out of order does not. */
export function damagedLines(damage: readonly Damage[]): readonly LogLine[] {
  return damage.filter(({ kind }) => kind !== 'sequence').map(({ line }) => line);
}

const OWN_NAME = /"(?:id|memory_key)":"[^"\\]+"/;

/** It was once written whole, or by a person, and says what it is about. */
function standsForItself(line: LogLine): boolean {
  if (!line.closesWithChecksum) return line.check() === 'unverified';
  return OWN_NAME.test(line.text);
}
