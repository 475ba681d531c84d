import { ifGone, ValidationError } from '../core/errors.ts';
import { findMemoryRefs } from '../core/memory-ref.ts';
import { memoryText } from '../core/memory-text.ts';
import type { MemoryEntry } from '../core/records.ts';

/**
 * Everything of a user that holds a text as it stands, as whole words, whatever its case and its blanks: memories, messages,
 * details with their values, what agents keep in journal and core, and lines of notes. What is merely alike is for the user to
 * name.
 */
export interface HeldPieces {
  /** Ids of memories and messages, and keys of details. */
  readonly ids: ReadonlySet<string>;
  /** Journal and core memories that belong to the user, by agent. */
  readonly ofAgents: ReadonlyMap<string, readonly string[]>;
  /** The lines of notes that go, by agent. */
  readonly noteLines: ReadonlyMap<string, ReadonlySet<string>>;
}

export interface HeldScope {
  readonly userId: string | undefined;
  /** Memories, messages and details of this session alone. */
  readonly sessionId?: string | undefined;
  /** Notes, journal and core of this agent alone. */
  readonly agentId?: string | undefined;
}

interface HeldNeeds {
  readonly sessionIds: (userId: string) => Promise<readonly string[]>;
  readonly agentIds: () => Promise<readonly string[]>;
  readonly ownerOf: (sessionId: string) => Promise<string | undefined>;
  readonly maintenance: {
    fold(sessionId: string): Promise<{ readonly entries: readonly { readonly entry: MemoryEntry }[] }>;
  };
  readonly details: {
    keptInSession(
      sessionId: string,
    ): Promise<readonly { readonly memory_key: string; readonly summary: string }[]>;
    stream(userId: string, key: string): AsyncIterable<Uint8Array>;
  };
  readonly transcripts: {
    messages(sessionId: string): Promise<readonly (Text & { readonly id: string })[]>;
  };
  readonly journal: {
    export(
      agentId: string,
      ofUser: string,
    ): Promise<readonly (Text & { readonly id: string; readonly history: readonly Text[] })[]>;
  };
  readonly notes: {
    list(userId: string): Promise<readonly string[]>;
    linesNoted(userId: string, agentId: string): Promise<ReadonlyMap<string, number>>;
  };
}

interface Text {
  readonly content: string;
}

/** @throws ValidationError INVALID_OPTION for a text without a letter or a digit, which stands everywhere */
export async function heldPieces(needs: HeldNeeds, scope: HeldScope, text: string): Promise<HeldPieces> {
  const wanted = typeof text === 'string' ? plainly(text) : '';
  if (wanted === '') throw new ValidationError('INVALID_OPTION', 'The text to forget must not be blank.');
  if (!/[\p{L}\p{N}]/u.test(wanted))
    throw new ValidationError('INVALID_OPTION', 'The text to forget must hold a letter or a digit.');
  const whole = asWholeWords(wanted);
  const holds = (one: string): boolean => whole.test(plainly(one));
  const ids = new Set<string>();
  /** Memories, each with the detail that it leads to. */
  const leading: [string, string][] = [];
  const { sessionId, agentId } = scope;
  const userId = scope.userId ?? (await needs.ownerOf(sessionId ?? ''));
  if (userId === undefined) return { ids, ofAgents: new Map(), noteLines: new Map() };
  for (const id of sessionId === undefined ? await needs.sessionIds(userId) : [sessionId]) {
    const { entries } = (await needs.maintenance.fold(id).catch(ifGone)) ?? { entries: [] };
    for (const { entry } of entries) {
      for (const key of detailOf(entry)) leading.push([entry.id, key]);
      if (holds(memoryText(entry.content))) ids.add(entry.id);
    }
    for (const { id: messageId, content } of (await needs.transcripts.messages(id).catch(ifGone)) ?? [])
      if (holds(content)) ids.add(messageId);
    for (const { memory_key, summary } of (await needs.details.keptInSession(id).catch(ifGone)) ?? [])
      if (holds(summary) || (await streamHolds(needs.details.stream(userId, memory_key), text, holds)))
        ids.add(memory_key);
  }
  // A long text that is a memory as well is kept twice: both go.
  for (const pair of leading) if (pair.some((id) => ids.has(id))) for (const id of pair) ids.add(id);
  const ofAgents = new Map<string, readonly string[]>();
  const noteLines = new Map<string, ReadonlySet<string>>();
  const isMeant = (agent: string): boolean => sessionId === undefined && (agentId ?? agent) === agent;
  for (const agent of (await needs.agentIds()).filter(isMeant)) {
    const saved = (await needs.journal.export(agent, userId).catch(ifGone)) ?? [];
    const held = saved.filter((memory) => [memory, ...memory.history].some(({ content }) => holds(content)));
    if (held.length > 0)
      ofAgents.set(
        agent,
        held.map(({ id }) => id),
      );
  }
  for (const agent of (await needs.notes.list(userId)).filter(isMeant)) {
    const lines = [...(await needs.notes.linesNoted(userId, agent)).keys()].filter(holds);
    if (lines.length > 0) noteLines.set(agent, new Set(lines));
  }
  return { ids, ofAgents, noteLines };
}

/** The key of the detail that a memory is nothing but the placeholder of. */
export function detailOf({ content }: Pick<MemoryEntry, 'content'>): readonly string[] {
  const text = memoryText(content);
  return findMemoryRefs(text).flatMap(({ key, start, end }) => (end - start === text.length ? [key] : []));
}

/** What is carried from one piece of a value to the next, so that a text is found where they meet. */
const CARRIED = 4;

async function streamHolds(
  chunks: AsyncIterable<Uint8Array>,
  text: string,
  holds: (one: string) => boolean,
): Promise<boolean> {
  const decoder = new TextDecoder();
  let piece = '';
  let isFirst = true;
  try {
    for await (const chunk of chunks) {
      const end = piece.slice(-CARRIED * text.length - 1);
      if (end.length < piece.length) isFirst = false;
      piece = end + decoder.decode(chunk, { stream: true });
      // A word may go on where a piece is cut: a letter keeps what touches the cut from being whole.
      if (holds(`${isFirst ? '' : 'x'}${piece}x`)) return true;
    }
  } catch (error) {
    ifGone(error);
  }
  return holds(`${isFirst ? '' : 'x'}${piece}`);
}

/** Scripts that are written without blanks between words, or with more than a word between two. */
const UNSPACED =
  '[\\p{scx=Han}\\p{scx=Hiragana}\\p{scx=Katakana}\\p{scx=Hangul}\\p{scx=Thai}\\p{scx=Lao}\\p{scx=Khmer}\\p{scx=Myanmar}]';
const WORD = `(?!${UNSPACED})[\\p{L}\\p{N}\\p{M}]`;

/** Finds a text where no word goes on before or behind it: "art" is not in "party". */
function asWholeWords(wanted: string): RegExp {
  const [first, last] = [new RegExp(`^${WORD}`, 'u'), new RegExp(`${WORD}$`, 'u')];
  const literal = wanted.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  const before = first.test(wanted) ? `(?<!${WORD})` : '';
  return new RegExp(`${before}${literal}${last.test(wanted) ? `(?!${WORD})` : ''}`, 'u');
}

function plainly(text: string): string {
  return text.normalize('NFC').toLowerCase().replaceAll(/\s+/g, ' ').trim();
}
