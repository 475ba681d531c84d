import { type LonghandError, NotFoundError } from '../core/errors.ts';
import type { Message } from '../core/messages.ts';
import { logNotFound } from '../core/store.ts';
import type { PiecesErasure, SessionPieces, UnfinishedSession } from '../layers/layer.ts';
import { addressOf, cannotBeRead } from '../layers/memories/sessions.ts';
import type { Unreadable } from '../layers/unreadable-lines.ts';
import { type Choice, EVERYTHING_CHOSEN, NOTHING_CHOSEN } from './choice.ts';
import { followLineage, type Lineage, type OutlinedSession } from './lineage.ts';
import type { PrivacyLayers } from './privacy-layers.ts';
import { type JournalErasure, planTakenAlong, withPrivatePieces } from './private-pieces.ts';
import {
  copyKeys,
  type OutlinedPiece,
  outlineMessages,
  outlineSession,
  type SessionOutline,
  type UnreadLines,
  unreadLinesOf,
} from './session-outline.ts';

export interface SessionErasure extends Omit<PiecesErasure, 'leftovers'> {
  /** Of all these: what the request does not name directly, and goes with what it does. */
  readonly takenAlong: readonly string[];
  /** Memories that stay, and lose an earlier text. */
  readonly outdated: readonly string[];
  /** What of it goes, and whether any of it may be meant, in the log or set aside. */
  readonly unreadLines: UnreadLines & { readonly isThere: boolean };
}

export interface PlannedSessions {
  readonly sessions: readonly SessionErasure[];
  /** What agents took for themselves from messages that go. */
  readonly journals: readonly JournalErasure[];
  /** The others in the scope: nothing of theirs is meant, and nothing that was never finished may stay. */
  readonly otherSessions: readonly UnfinishedSession[];
  /** All ids and keys that something was found of, among them those that the request names. */
  readonly found: ReadonlySet<string>;
  /** Of the sessions in the scope, those of which it is unknown what is meant: they stay as they are. */
  readonly unread: readonly UnreadSession[];
}

/** A session that cannot be read, and why: its owner is lost, or a later version wrote it. */
export interface UnreadSession {
  readonly sessionId: string;
  readonly reason: LonghandError;
}

/** The sessions of one user, or those that a request is about, and how. */
interface PlannedScope {
  /** Those that the request names. */
  readonly scope: readonly string[];
  /** Those that go as a whole: nothing is planned for them, but much may have been taken from them. */
  readonly whole?: readonly string[];
  /** All of the same user: what was taken from what goes is looked for there too. */
  readonly reach: readonly string[];
  readonly choice: Choice;
  /** Whose all of these must be: one that belongs to another user since it was listed is left out. */
  readonly userId?: string | undefined;
  /** That the sessions in the scope must be in, when one is named. */
  readonly incarnation?: string | undefined;
  /** An agent whose name goes from the lists of those who take part. */
  readonly agentId?: string;
}

/** @throws NotFoundError SESSION_NOT_FOUND when a session in the scope is gone, or in another incarnation than it must be */
export async function planSessions(layers: PrivacyLayers, planned: PlannedScope): Promise<PlannedSessions> {
  const { scope, whole = [], reach, choice, userId, incarnation, agentId } = planned;
  const [inScope, goesWhole] = [new Set(scope), new Set(whole)];
  const choices = { whole: EVERYTHING_CHOSEN, scope: choice, reach: NOTHING_CHOSEN };
  const roleOf = (id: string) => (goesWhole.has(id) ? 'whole' : inScope.has(id) ? 'scope' : 'reach');
  const ofOrigin = (id: string): Choice | undefined => {
    const role = roleOf(id);
    return role === 'reach' ? undefined : choices[role];
  };
  const found: SessionOutline[] = [];
  const unread: UnreadSession[] = [];
  for (const id of new Set([...scope, ...whole, ...reach])) {
    const role = roleOf(id);
    try {
      const outline = await outlineSession(layers, id, role, choices[role], ofOrigin);
      // What is asked of it later must not fail for all of them.
      await layers.transcripts.state(id);
      found.push(outline);
    } catch (error) {
      // One that is gone, or that cannot be read, keeps no other from being forgotten.
      if (cannotBeRead(error)) {
        const owner = role === 'scope' ? await layers.sessions.ownerIfReadable(id) : undefined;
        const isOthers = userId !== undefined && owner !== undefined && owner !== userId;
        if (role === 'scope' && !isOthers) unread.push({ sessionId: id, reason: error });
      } else if (role === 'scope' || !(error instanceof NotFoundError)) throw error;
    }
  }
  for (const outline of found) {
    const isOther = (incarnation ?? outline.incarnation) !== outline.incarnation;
    if (outline.role !== 'reach' && isOther) throw logNotFound(addressOf(outline.sessionId));
  }
  const isTheirs = ({ owner }: SessionOutline): boolean =>
    userId === undefined || owner === undefined || owner === userId;
  const outlines = await withPrivatePieces(layers, found.filter(isTheirs));
  const referenced = new Set(
    outlines.flatMap(({ pieces }) => pieces.flatMap(({ messageId }) => messageId ?? [])),
  );
  const outlined: OutlinedSession[] = [];
  for (const outline of outlines)
    outlined.push({ outline, messages: await outlineMessages(layers, outline, referenced) });
  const lineage = followLineage(outlined);
  const copies = await copiesOf(layers, outlined, lineage);
  const sessions: SessionErasure[] = [];
  const otherSessions: UnfinishedSession[] = [];
  for (const each of outlined) {
    const { role, sessionId, incarnation, isUnfinished } = each.outline;
    if (role === 'whole') continue;
    const erasure = await planSession(layers, each, { lineage, copies, agentId });
    if (erasure !== undefined) sessions.push(erasure);
    else if (role === 'scope') otherSessions.push({ sessionId, incarnation, isUnfinished });
  }
  const journals = await planTakenAlong(layers, outlined, lineage);
  return { sessions, otherSessions, unread, journals, found: foundIn(sessions, lineage) };
}

function foundIn(sessions: readonly SessionErasure[], lineage: Lineage): ReadonlySet<string> {
  return new Set([
    ...sessions.flatMap(({ pieces }) => Object.values(pieces).flat()),
    ...sessions.flatMap(({ unreadLines }) => unreadLines.names),
    ...lineage.messageIds,
    // Also of a message or a prompt that is gone, and whose output is not.
    ...[...lineage.pieces].flatMap(({ messageId }) => messageId ?? []),
  ]);
}

async function planSession(
  layers: PrivacyLayers,
  { outline, messages: { chosen, unnamed } }: OutlinedSession,
  { lineage, copies, agentId }: Reached,
): Promise<SessionErasure | undefined> {
  const { sessionId, incarnation, role, choice, unreadIds, outdated } = outline;
  const going = outline.pieces.filter((piece) => piece.kind !== 'private' && lineage.pieces.has(piece));
  const messageIds = lineage.messages.get(sessionId) ?? new Set<string>();
  const state = await layers.transcripts.state(sessionId);
  const messages = [...messageIds].filter((id) => state.mayHold(id));
  const isReadable = copies.bySession.get(sessionId) ?? false;
  const kept = outline.pieces.filter(({ kind }) => kind === 'details').map(({ id }) => id);
  const copied = [...new Set(kept)].filter((key) => copies.keys.has(key));
  const idsIn = (layer: string, more: readonly string[] = []): readonly string[] => [
    ...new Set([...going.filter(({ kind }) => kind === layer).map(({ id }) => id), ...more]),
  ];
  const pieces: SessionPieces = {
    ...Object.fromEntries(layers.all.map(({ name }) => [name, idsIn(name)])),
    memories: idsIn('memories', unreadIds.filter(choice.isNamed)),
    transcript: messages,
    details: idsIn('details', copied),
  };
  const takesPart = agentId !== undefined && outline.agentsEver.has(agentId);
  const agents = takesPart ? outline.agents.filter((agent) => agent !== agentId) : undefined;
  const gone = new Set(pieces.memories);
  const outdatedHere = [...new Set(outdated)].filter((id) => !gone.has(id));
  const pieceCount = Object.values(pieces).flat().length + outdatedHere.length + unnamed.length;
  const found = isReadable || pieceCount > 0;
  const unreadable: Unreadable =
    choice.unreadable === 'all'
      ? 'all'
      : { names: new Set([...choice.unreadable, ...lineage.messageIds]), takesTorn: found };
  const unreadLines =
    role === 'scope' || found ? await unreadLinesOf(layers, outline, unreadable, pieces) : NONE_UNREAD;
  if (!found && !unreadLines.isThere && agents === undefined) return undefined;
  // What is meant of another session is found here by that session alone, which may be gone the next time.
  const isByItself = ({ isChosen }: OutlinedPiece): boolean => isChosen && role !== 'reach';
  const byItself = new Set(going.filter(isByItself).map(({ id }) => id));
  const takenAlong = [
    ...going.filter((piece) => !isByItself(piece)).map(({ id }) => id),
    ...messages.filter((id) => !chosen.has(id)),
    ...copied.filter((key) => !byItself.has(key)),
  ];
  return {
    sessionId,
    incarnation,
    pieces,
    takenAlong: [...new Set(takenAlong)],
    outdated: outdatedHere,
    unreadable,
    unreadLines,
    ...(agents === undefined ? {} : { agents }),
  };
}

const NONE_UNREAD: SessionErasure['unreadLines'] = { count: 0, names: [], isThere: false };

/** What is reached from all sessions together. */
interface Reached {
  readonly lineage: Lineage;
  readonly copies: Copies;
  readonly agentId: string | undefined;
}

/** Details that hold a message word for word, perhaps without a note of which, perhaps in a session that goes on. */
interface Copies {
  readonly keys: ReadonlySet<string>;
  /** Whether one of a session's messages can still be read, in the transcript or in the window alone. */
  readonly bySession: ReadonlyMap<string, boolean>;
}

async function copiesOf(
  { transcripts, windows }: PrivacyLayers,
  sessions: readonly OutlinedSession[],
  lineage: Lineage,
): Promise<Copies> {
  const keys = new Set<string>();
  const bySession = new Map<string, boolean>();
  for (const { outline, messages } of sessions) {
    const { sessionId } = outline;
    for (const key of messages.unnamed) keys.add(key);
    const ids = lineage.messages.get(sessionId) ?? new Set<string>();
    if (ids.size === 0) continue;
    const all: readonly Message[] = [
      ...(await transcripts.messages(sessionId, { withExpired: true })),
      ...(await windows.read(sessionId)),
    ];
    const meant = all.filter(({ id = '' }) => ids.has(id));
    bySession.set(sessionId, meant.length > 0);
    for (const message of meant) for (const key of copyKeys(sessionId, message)) keys.add(key);
  }
  return { keys, bySession };
}
