import type { LogLine } from '../core/line.ts';
import type { UnreadablePart } from '../layers/followed-log.ts';
import type { SessionPieces } from '../layers/layer.ts';
import { damagedId } from '../layers/memories/damaged-lines.ts';
import { namesAny, type Unreadable } from '../layers/unreadable-lines.ts';
import type { PrivacyLayers } from './privacy-layers.ts';
import type { SessionOutline } from './session-outline.ts';

/**
 * Lines that cannot be read and go with a request. Nobody can tell what they said, so they are counted by themselves:
 * whoever asks what would go hears of everything that does.
 */
export interface UnreadLines {
  /** Beside those of memories that are counted as such. */
  readonly count: number;
  /** Which of the names that the request is about stand in them. */
  readonly names: readonly string[];
}

/** What goes of a session's logs when anything in it does, and whether it is a reason by itself. */
export async function unreadLinesOf(
  layers: PrivacyLayers,
  outline: SessionOutline,
  unreadable: Unreadable,
  pieces: SessionPieces,
): Promise<UnreadLines & { readonly isThere: boolean }> {
  const { sessionId, damaged, torn, isTorn } = outline;
  const beside: UnreadablePart[] = [];
  for (const { name, unreadable: unreadableOf } of layers.all) {
    // Where something is found, all of it goes.
    const part = pieces[name]!.length > 0 ? 'all' : unreadable;
    if (unreadableOf !== undefined) beside.push(await unreadableOf(sessionId, part));
  }
  const memories = new Set(pieces.memories);
  const uncounted = damaged.filter((line) => !memories.has(damagedId(line) ?? ''));
  const own = { lines: uncounted, isThere: isTorn };
  const lines = [...damaged, ...torn, ...beside.flatMap((each) => each.lines)];
  return {
    count: countLines(own) + (isTorn && uncounted.length > 0 ? 1 : 0) + countLines(...beside),
    names: namesIn(lines, unreadable),
    isThere: hasUnreadMemory(outline, unreadable) || beside.some(({ isThere }) => isThere),
  };
}

/** Of logs that are followed: bytes behind the last whole line need not be one. */
export function countLines(...parts: readonly UnreadablePart[]): number {
  // A copy that was set aside may be of a line that is still there.
  const counts = parts.map(({ lines, isThere }) => {
    const texts = new Set(lines.map(({ text }) => text));
    return isThere ? Math.max(1, texts.size) : texts.size;
  });
  return counts.reduce((sum, count) => sum + count, 0);
}

export function namesIn(lines: readonly LogLine[], unreadable: Unreadable): readonly string[] {
  if (typeof unreadable === 'string') return [];
  return [...unreadable.names].filter((name) => lines.some((line) => namesAny(line, new Set([name]))));
}

/** The session's own log. Where something was found, it is written anew without anything that cannot be read. */
function hasUnreadMemory({ damaged, isTorn, torn }: SessionOutline, unreadable: Unreadable): boolean {
  if (typeof unreadable === 'string') return unreadable === 'all' && (damaged.length > 0 || isTorn);
  return [...damaged, ...torn].some((line) => namesAny(line, unreadable.names));
}
