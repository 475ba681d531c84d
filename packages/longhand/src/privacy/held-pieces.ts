import { ifGone, ValidationError } from '../core/errors.ts';
import { memoryText } from '../core/memory-text.ts';
import { detailOf } from '../layers/details/index.ts';
import type { ForgetRequest, HeldPieces } from './forget-request.ts';
import type { PrivacyLayers } from './privacy-layers.ts';

/**
 * Everything of a user that holds a text as it stands, as whole words, whatever its case and its blanks: memories, messages,
 * details with their values, what agents keep in journal and core, and lines of notes. What is merely alike is for the user to
 * name. With a session, memories, messages and details of that session alone; with an agent, notes, journal and core of that
 * agent alone.
 * @throws ValidationError INVALID_OPTION for a text without a letter or a digit, which stands everywhere
 */
export async function heldPieces(
  { context: { store }, sessions, maintenance, transcripts, details, journal, notes }: PrivacyLayers,
  { user, session, agent: only, text = '', messages = true }: ForgetRequest,
): Promise<HeldPieces> {
  const wanted = typeof text === 'string' ? plainly(text) : '';
  if (wanted === '') throw new ValidationError('INVALID_OPTION', 'The text to forget must not be blank.');
  if (!/[\p{L}\p{N}]/u.test(wanted))
    throw new ValidationError('INVALID_OPTION', 'The text to forget must hold a letter or a digit.');
  const whole = asWholeWords(wanted);
  const holds = (one: string): boolean => whole.test(plainly(one));
  const ids = new Set<string>();
  /** Memories, each with the detail that it leads to. */
  const leading: [string, string][] = [];
  const userId = user ?? (await sessions.ownerIfReadable(session ?? ''));
  if (userId === undefined) return { ids, ofAgents: new Map(), noteLines: new Map() };
  for (const id of session === undefined ? await store.list('session', userId) : [session]) {
    const { entries } = (await maintenance.fold(id).catch(ifGone)) ?? { entries: [] };
    for (const { entry } of entries) {
      for (const key of detailOf(entry)) leading.push([entry.id, key]);
      if (holds(memoryText(entry.content))) ids.add(entry.id);
    }
    const said = messages ? await transcripts.messages(id).catch(ifGone) : [];
    for (const { id: messageId, content } of said ?? []) if (holds(content)) ids.add(messageId);
    for (const { memory_key, summary } of (await details.keptInSession(id).catch(ifGone)) ?? [])
      if (holds(summary) || (await streamHolds(details.stream(userId, memory_key), text, holds)))
        ids.add(memory_key);
  }
  // A long text that is a memory as well is kept twice: both go.
  for (const pair of leading) if (pair.some((id) => ids.has(id))) for (const id of pair) ids.add(id);
  const ofAgents = new Map<string, readonly string[]>();
  const noteLines = new Map<string, ReadonlySet<string>>();
  const isMeant = (agent: string): boolean => session === undefined && (only ?? agent) === agent;
  for (const agent of (await store.list('agent')).filter(isMeant)) {
    const saved = (await journal.export(agent, userId).catch(ifGone)) ?? [];
    const held = saved.filter((memory) => [memory, ...memory.history].some(({ content }) => holds(content)));
    if (held.length > 0)
      ofAgents.set(
        agent,
        held.map(({ id }) => id),
      );
  }
  for (const agent of (await notes.list(userId)).filter(isMeant)) {
    const lines = [...(await notes.linesNoted(userId, agent)).keys()].filter(holds);
    if (lines.length > 0) noteLines.set(agent, new Set(lines));
  }
  return { ids, ofAgents, noteLines };
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
