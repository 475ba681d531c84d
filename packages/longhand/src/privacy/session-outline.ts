import type { LogLine } from '../core/line.ts';
import type { Message } from '../core/messages.ts';
import { linesHolding, linesSetAside } from '../core/read-log.ts';
import { isMemoryEntry, type MemoryEntry, type Provenance } from '../core/records.ts';
import {
  capturedArgumentsKey,
  capturedMessageKey,
  promptId,
  sourceMessageId,
} from '../layers/details/captured-message.ts';
import type { KeptDetail } from '../layers/details/detail-records.ts';
import { damagedId, damagedLines } from '../layers/memories/damaged-lines.ts';
import type { SessionFold } from '../layers/memories/session-fold.ts';
import { addressOf } from '../layers/memories/sessions.ts';
import { FORGOTTEN } from '../layers/memories/tombstones.ts';
import { type Choice, type ChosenMessage, NOTHING_CHOSEN } from './choice.ts';
import type { PrivacyLayers } from './privacy-layers.ts';
import { namesIn } from './unread-lines.ts';

/**
 * What a plan needs to know of a session, and no text of it: all sessions of a user are looked at together, and their
 * texts would not fit. Memories and details come first; then, for the messages that any of them was taken from,
 * whether the session knows them.
 */
export interface SessionOutline {
  readonly sessionId: string;
  /** Which incarnation of the session it is about. */
  readonly incarnation: string;
  /** `undefined` when nobody can tell. */
  readonly owner: string | undefined;
  /** `scope`: the request names it. `whole`: it goes as a whole. `reach`: it may hold what was made from what goes. */
  readonly role: 'scope' | 'whole' | 'reach';
  readonly choice: Choice;
  readonly pieces: readonly Piece[];
  readonly details: readonly KeptDetail[];
  /** Memories that nobody can read any more and that still stand in the log, or are set aside. */
  readonly remainders: readonly string[];
  /** Memories of which an earlier text is meant that still stands in the log, whatever they say now. */
  readonly outdated: readonly string[];
  /** Its log was written anew, and what is made from it was not: whoever did that was killed, or the disk was full. */
  readonly isUnfinished: boolean;
  /** Lines of the session's log that cannot be read, in it or set aside. */
  readonly damaged: readonly LogLine[];
  /** Whether there are bytes behind its last whole line: of a write that a crash cut off, as far as anybody can tell. */
  readonly isTorn: boolean;
  readonly torn: readonly LogLine[];
  /** The agents that take part, and all that any record of the session names. */
  readonly agents: readonly string[];
  readonly agentsEver: ReadonlySet<string>;
}

/** A memory or a detail, a line that may have been a memory, or what an agent noted for itself. */
export interface Piece {
  readonly kind: 'memory' | 'detail' | 'damaged' | 'private';
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
  const chooserFor = ({ provenance }: { readonly provenance?: Provenance }): Chooser => {
    const originId = provenance?.session_id ?? sessionId;
    if (originId === sessionId) return { sessionId, originId, choice, ofMessages: choice };
    const own = ofOrigin(originId);
    return { sessionId, originId, choice: own ?? choice, ofMessages: own ?? NOTHING_CHOSEN };
  };
  const fold = await layers.maintenance.fold(sessionId);
  const aside = await linesSetAside(layers.context.store, addressOf(sessionId));
  const damaged = [...damagedLines(fold.damage), ...aside.map(({ line }) => line)];
  const isTorn = fold.unfinishedBytes > 0;
  const torn = isTorn ? await tornLines(layers, sessionId, fold) : [];
  const details = await layers.details.keptInSession(sessionId);
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
      ...fold.entries.map(({ entry }) => {
        const chooser = chooserFor(entry);
        return memoryPiece(entry, chooser, chooser.choice.memory(entry));
      }),
      ...deletedIn(fold).map((entry) => {
        const chooser = chooserFor(entry);
        return memoryPiece(entry, chooser, chooser.choice.former(entry));
      }),
      // The text is gone, and the reason that it was deleted for may say the same.
      ...fold.deletes
        .flatMap(({ record: { reason, ids } }) => (reason === FORGOTTEN ? [] : ids.filter(choice.isNamed)))
        .map((id) => ({ ...ONLY_DELETED, sessionId, originId: sessionId, id })),
      ...details.flatMap((detail) => detailPieces(detail, chooserFor(detail))),
      ...[...damaged, ...torn].filter(choice.damaged).flatMap((line) => damagedPieces(sessionId, line)),
    ],
    details,
    remainders: [...deletedIn(fold).map(({ id }) => id), ...damaged.flatMap((line) => damagedId(line) ?? [])],
    outdated: outdatedIn(fold).flatMap((entry) => (chooserFor(entry).choice.former(entry) ? entry.id : [])),
    isUnfinished: await layers.maintenance.isBehind(sessionId, fold),
    damaged,
    isTorn,
    torn,
    agents: fold.session?.agents ?? [],
    agentsEver: new Set(agentsEver),
  };
}

/** How a piece is chosen. Its message is one of the session that it was taken from, and is named by nobody else. */
interface Chooser extends Pick<Piece, 'sessionId' | 'originId'> {
  readonly choice: Choice;
  readonly ofMessages: Choice;
}

const ONLY_DELETED = { kind: 'memory', messageId: undefined, isChosen: true, takesSource: false } as const;

function memoryPiece(
  entry: MemoryEntry,
  { sessionId, originId, ofMessages }: Chooser,
  isChosen: boolean,
): Piece {
  const messageId = entry.provenance?.message_id;
  const isOfNamed = messageId !== undefined && ofMessages.isNamed(messageId);
  return {
    kind: 'memory',
    sessionId,
    originId,
    id: entry.id,
    messageId,
    isChosen: isChosen || isOfNamed,
    takesSource: true,
  };
}

async function tornLines(
  { context: { store } }: PrivacyLayers,
  sessionId: string,
  { endOffset }: SessionFold,
): Promise<readonly LogLine[]> {
  const lines = await linesHolding(store, addressOf(sessionId), '"');
  return lines.filter(({ offset }) => offset >= endOffset);
}

/** The message that a damaged memory names, when that can still be read. */
function damagedPieces(sessionId: string, { text }: LogLine): readonly Piece[] {
  const messageId = /"message_id":"([^"\\]+)"/.exec(text)?.[1];
  if (messageId === undefined) return [];
  const originId = /"provenance":\{[^{}]*"session_id":"([^"\\]+)"/.exec(text)?.[1] ?? sessionId;
  return [{ kind: 'damaged', sessionId, originId, id: '', messageId, isChosen: true, takesSource: true }];
}

/** One for the message that it says again, and one for the prompt that it came of, which says something else. */
function detailPieces(
  detail: KeptDetail,
  { sessionId, originId, choice, ofMessages }: Chooser,
): readonly Piece[] {
  const piece: Piece = {
    kind: 'detail',
    sessionId,
    originId,
    id: detail.memory_key,
    messageId: sourceMessageId(detail),
    isChosen: choice.detail(ofMessages === choice ? detail : withoutMessages(detail)),
    takesSource: choice.takesSources,
  };
  const prompt = promptId(detail);
  return prompt === undefined ? [piece] : [piece, { ...piece, messageId: prompt, takesSource: false }];
}

/** As it is by itself, whatever it was made from. */
function withoutMessages(detail: KeptDetail): KeptDetail {
  const { message_id: _message, prompt_id: _prompt, ...content_metadata } = detail.content_metadata;
  const { message_id: _source, ...provenance } = detail.provenance;
  return { ...detail, content_metadata, provenance };
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

function deletedIn({ records, deletedIds }: SessionFold): readonly MemoryEntry[] {
  return records.flatMap(({ record }) =>
    isMemoryEntry(record) && deletedIds.has(record.id) ? [record] : [],
  );
}

/** The last line of a memory counts: those before it wait for a compaction. */
function outdatedIn({ records, entries, deletedIds }: SessionFold): readonly MemoryEntry[] {
  const live = new Set(entries.map(({ line }) => line));
  return records.flatMap(({ record, line }) =>
    isMemoryEntry(record) && !deletedIds.has(record.id) && !live.has(line) ? [record] : [],
  );
}
