import type { LogLine } from '../core/line.ts';
import type { Message } from '../core/messages.ts';
import { linesHolding, linesSetAside } from '../core/read-log.ts';
import type { Provenance } from '../core/records.ts';
import { capturedArgumentsKey, capturedMessageKey } from '../layers/details/index.ts';
import type { UnreadablePart } from '../layers/followed-log.ts';
import type { Piece, SessionPieces } from '../layers/layer.ts';
import { damagedId } from '../layers/memories/damaged-lines.ts';
import { addressOf } from '../layers/memories/sessions.ts';
import { FORGOTTEN } from '../layers/memories/stored-record.ts';
import { damagedLines, namesAny, type Unreadable } from '../layers/unreadable-lines.ts';
import type { Choice, ChosenMessage, LayerPiece } from './choice.ts';
import type { PrivacyLayers } from './privacy-layers.ts';

/**
 * What a plan needs to know of a session, and no text of it: all sessions of a user are looked at together, and their
 * texts would not fit. Memories and details come first; then, for the messages that any of them was taken from,
 * whether the session knows them.
 */
export interface SessionOutline {
  readonly sessionId: string;
  /** Which incarnation of the session it is about. */
  readonly incarnation: string;
  /** `undefined` when it cannot be determined. */
  readonly owner: string | undefined;
  /** `scope`: the request names it. `whole`: it goes as a whole. `reach`: it may hold what was made from what goes. */
  readonly role: 'scope' | 'whole' | 'reach';
  readonly choice: Choice;
  readonly pieces: readonly OutlinedPiece[];
  /** Memories that cannot be read any more, in the log or set aside. */
  readonly unreadIds: readonly string[];
  /** Memories of which an earlier text is meant that still stands in the log, whatever they say now. */
  readonly outdated: readonly string[];
  /** Its log was rewritten, and what is made from it was not: that process was killed, or the disk was full. */
  readonly isUnfinished: boolean;
  /** Lines of the session's log that cannot be read, in it or set aside. */
  readonly damaged: readonly LogLine[];
  /** Whether there are bytes after its last whole line: most likely of a write that a crash cut off. */
  readonly isTorn: boolean;
  readonly torn: readonly LogLine[];
  /** The agents that take part, and all that any record of the session names. */
  readonly agents: readonly string[];
  readonly agentsEver: ReadonlySet<string>;
}

/** A piece of a layer, a line that may have been a memory (`damaged`), or what an agent noted for itself (`private`). */
export interface OutlinedPiece {
  /** The layer's name. */
  readonly kind: string;
  /** That it is kept in; of what an agent noted, that it was taken from. */
  readonly sessionId: string;
  /** That it was taken from: another one when that had no room for it. */
  readonly originId: string;
  /** Whose journal or core it is in. */
  readonly agentId?: string;
  readonly id: string;
  /** The message that it was taken from. */
  readonly messageId: string | undefined;
  /** By the request itself. */
  readonly isChosen: boolean;
  /** Whether it takes that message with it. */
  readonly takesSource: boolean;
}

/** The messages of a session that matter to a plan. */
export interface OutlinedMessages {
  /** Chosen by the request itself. */
  readonly chosen: ReadonlySet<string>;
  /** Of those that something was taken from: the ones that this session has, or once had. */
  readonly known: ReadonlySet<string>;
  /** The answers to a message: those that note it as what they come from. */
  readonly answers: ReadonlyMap<string, readonly string[]>;
  /** Keys of the copies of chosen ones that stand in the window and have no id. */
  readonly unnamed: readonly string[];
}

/**
 * @param ofOrigin what is meant of a session whose pieces may be kept in this one, because it was full
 * @throws NotFoundError SESSION_NOT_FOUND
 */
export async function outlineSession(
  layers: PrivacyLayers,
  sessionId: string,
  role: SessionOutline['role'],
  choice: Choice,
  ofOrigin: (sessionId: string) => Choice | undefined = () => undefined,
): Promise<SessionOutline> {
  const chooserFor = ({ provenance }: Pick<Piece, 'provenance'>): Chooser => {
    const originId = provenance?.session_id ?? sessionId;
    const own = originId === sessionId ? choice : ofOrigin(originId);
    return { sessionId, originId, choice: own ?? choice, isOfMessages: own !== undefined };
  };
  const fold = await layers.maintenance.fold(sessionId);
  const aside = await linesSetAside(layers.context.store, addressOf(sessionId));
  const damaged = [...damagedLines(fold.damage), ...aside.map(({ line }) => line)];
  const isTorn = fold.unfinishedBytes > 0;
  const quoting = isTorn ? await linesHolding(layers.context.store, addressOf(sessionId), '"') : [];
  const torn = quoting.filter(({ offset }) => offset >= fold.endOffset);
  const kept: LayerPiece[] = [];
  for (const layer of layers.all)
    for (const piece of (await layer.pieces?.(sessionId, fold)) ?? [])
      kept.push({ ...piece, layer: layer.name });
  const isOutdated = ({ state }: Piece): boolean => state === 'outdated';
  const agentsEver = fold.records.flatMap(({ record }) =>
    'record' in record && record.record === 'session' ? (record.agents ?? []) : [],
  );
  return {
    sessionId,
    incarnation: fold.incarnation,
    owner: fold.session?.user_id || undefined,
    role,
    choice,
    pieces: [
      ...kept
        .filter((piece) => !isOutdated(piece))
        .flatMap((piece) => outlinePiece(piece, chooserFor(piece))),
      // The text is gone, and the reason that it was deleted for may say the same.
      ...fold.deletes
        .flatMap(({ record: { reason, ids } }) => (reason === FORGOTTEN ? [] : ids.filter(choice.isNamed)))
        .map((id) => ({ ...ONLY_DELETED, sessionId, originId: sessionId, id })),
      ...[...damaged, ...torn].filter(choice.damaged).flatMap((line) => damagedPieces(sessionId, line)),
    ],
    unreadIds: damaged.flatMap((line) => damagedId(line) ?? []),
    outdated: kept
      .filter((piece) => isOutdated(piece) && chooserFor(piece).choice.piece({ ...piece, ...BY_ITSELF }))
      .map(({ id }) => id),
    isUnfinished: await layers.maintenance.isBehind(sessionId, fold),
    damaged,
    isTorn,
    torn,
    agents: fold.session?.agents ?? [],
    agentsEver: new Set(agentsEver),
  };
}

/** How a piece is chosen. Its message is one of the session that it was taken from, and is named by no other request. */
interface Chooser extends Pick<OutlinedPiece, 'sessionId' | 'originId'> {
  readonly choice: Choice;
  readonly isOfMessages: boolean;
}

const ONLY_DELETED = {
  ...{ kind: 'memories', messageId: undefined, isChosen: true, takesSource: false },
} as const;

/** Whatever it was made from. */
const BY_ITSELF = { source: undefined, promptId: undefined };

/** One for the message that it says again, and one for the prompt that it came of, which says something else. */
function outlinePiece(
  piece: LayerPiece,
  { sessionId, originId, choice, isOfMessages }: Chooser,
): readonly OutlinedPiece[] {
  const { layer: kind, id, source, promptId } = piece;
  const outlined = {
    ...{ kind, sessionId, originId, id, messageId: source?.id },
    isChosen: choice.piece(isOfMessages ? piece : { ...piece, ...BY_ITSELF }),
    takesSource: piece.takesSource || choice.takesSources,
  };
  const isOfPrompt = promptId !== undefined;
  return isOfPrompt ? [outlined, { ...outlined, messageId: promptId, takesSource: false }] : [outlined];
}

/** The message that a damaged memory names, when that can still be read. */
function damagedPieces(sessionId: string, { text }: LogLine): readonly OutlinedPiece[] {
  const messageId = /"message_id":"([^"\\]+)"/.exec(text)?.[1];
  if (messageId === undefined) return [];
  const originId = /"provenance":\{[^{}]*"session_id":"([^"\\]+)"/.exec(text)?.[1] ?? sessionId;
  return [{ kind: 'damaged', sessionId, originId, id: '', messageId, isChosen: true, takesSource: true }];
}

/** @param referenced the messages that any piece in any of the sessions was taken from */
export async function outlineMessages(
  layers: PrivacyLayers,
  { sessionId, role, choice, agents }: SessionOutline,
  referenced: ReadonlySet<string>,
): Promise<OutlinedMessages> {
  const state = await layers.transcripts.state(sessionId);
  const isLookedAt = role !== 'reach' || referenced.size > 0;
  const window = isLookedAt ? await layers.windows.read(sessionId) : [];
  const inWindow = new Set(window.flatMap(({ id }) => id ?? []));
  const lost = await namedUnread(layers, sessionId, referenced, state.lostIds);
  const isKnown = (id: string): boolean =>
    state.has(id) || state.isStray(id) || inWindow.has(id) || lost.has(id);
  const known = new Set([...referenced].filter(isKnown));
  const isReadThrough = role !== 'reach' || known.size > 0;
  const archived = isReadThrough ? await layers.transcripts.messages(sessionId, { withExpired: true }) : [];
  const answers = answersAmong([...archived, ...window]);
  if (role === 'reach') return { chosen: new Set(), known, answers, unnamed: [] };
  const isMeant = (message: ChosenMessage): boolean => choice.message(message, agents);
  const waiting = window
    .map((message) => ({ timestamp: '', ...message, id: message.id ?? '' }))
    .filter(isMeant);
  const chosen = [
    ...archived.filter(isMeant),
    ...waiting.filter(({ id }) => id !== ''),
    // Also one of which nothing is left but what was taken from it.
    ...[...state.hidden(), ...state.gone(referenced)].filter((hidden) => choice.hidden(hidden, agents)),
  ];
  const takesUnread = (id: string): boolean => choice.unreadable === 'all' || choice.isNamed(id);
  return {
    chosen: new Set([...chosen.map(({ id }) => id), ...[...lost].filter(takesUnread)]),
    known,
    answers,
    unnamed: waiting.filter(({ id }) => id === '').flatMap((message) => copyKeys(sessionId, message)),
  };
}

/**
 * Of these messages, the ones that a line of the transcript names which cannot be read, or named when it was there:
 * they were said here.
 */
async function namedUnread(
  { transcripts }: PrivacyLayers,
  sessionId: string,
  ids: ReadonlySet<string>,
  lostIds: ReadonlySet<string>,
): Promise<ReadonlySet<string>> {
  if (ids.size === 0) return ids;
  const unreadable = { names: ids, takesTorn: false };
  const { lines } = await transcripts.log(sessionId).unreadable(unreadable);
  return new Set([...namesIn(lines, unreadable), ...[...ids].filter((id) => lostIds.has(id))]);
}

function answersAmong(
  messages: readonly (Message & { readonly provenance?: Provenance })[],
): ReadonlyMap<string, readonly string[]> {
  const answers = new Map<string, string[]>();
  for (const { id, provenance } of messages) {
    const asked = provenance?.message_id;
    if (id === undefined || asked === undefined || asked === id) continue;
    answers.set(asked, [...(answers.get(asked) ?? []), id]);
  }
  return answers;
}

/** The keys of details that hold a message word for word. */
export function copyKeys(
  sessionId: string,
  { role, content, tool_calls = [] }: Omit<Message, 'id'>,
): readonly string[] {
  return [
    capturedMessageKey(sessionId, role, content),
    ...tool_calls.map((call) => capturedArgumentsKey(sessionId, JSON.stringify(call.arguments))),
  ];
}

/**
 * Lines that cannot be read and go with a request. What they said is unknown, so they are counted separately: a preview
 * lists everything that goes.
 */
export interface UnreadLines {
  /** Beside those of memories that are counted as such. */
  readonly count: number;
  /** Which of the names that the request is about stand in them. */
  readonly names: readonly string[];
}

/** What goes of a session's logs when anything in it does, and whether it alone is a reason to. */
export async function unreadLinesOf(
  layers: PrivacyLayers,
  outline: SessionOutline,
  unreadable: Unreadable,
  pieces: SessionPieces,
): Promise<UnreadLines & { readonly isThere: boolean }> {
  const { sessionId, damaged, torn, isTorn } = outline;
  const beside: UnreadablePart[] = [];
  for (const layer of layers.all) {
    // Where something is found, all of it goes.
    const part = await layer.unreadable?.(sessionId, pieces[layer.name]!.length > 0 ? 'all' : unreadable);
    if (part !== undefined) beside.push(part);
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

/** The session's own log. Where something was found, it is rewritten without anything that cannot be read. */
function hasUnreadMemory({ damaged, isTorn, torn }: SessionOutline, unreadable: Unreadable): boolean {
  if (typeof unreadable === 'string') return unreadable === 'all' && (damaged.length > 0 || isTorn);
  return [...damaged, ...torn].some((line) => namesAny(line, unreadable.names));
}
