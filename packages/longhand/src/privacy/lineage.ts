import { continues, firstOf } from '../layers/memories/session-rollover.ts';
import type { OutlinedMessages, OutlinedPiece, SessionOutline } from './session-outline.ts';

/**
 * What was taken from what, over all sessions of a user.
 *
 * A memory notes the message that it was taken from, and so does a detail that was made from one. A piece that goes
 * takes its message with it: otherwise the transcript would go on saying what the memory no longer does. A message
 * that goes takes everything that was taken from it, and the answers that name it as what they come from.
 *
 * A piece names a message by its id alone, and clients number their messages as they like: `m1` may be there in every
 * session. So the message of the session is meant that the piece was taken from: the one that its provenance names, and
 * otherwise the one that it is kept in. Only when that session never had one is it looked for elsewhere: in the sessions
 * that this one continues or is continued by (`chat--2` after `chat`), and then in all.
 */
export interface Lineage {
  readonly pieces: ReadonlySet<OutlinedPiece>;
  /** By session. */
  readonly messages: ReadonlyMap<string, ReadonlySet<string>>;
  /** The ids of all messages that go, wherever they are. */
  readonly messageIds: ReadonlySet<string>;
}

export interface OutlinedSession {
  readonly outline: SessionOutline;
  readonly messages: OutlinedMessages;
}

export function followLineage(sessions: readonly OutlinedSession[]): Lineage {
  const homesOf = homeFinder(sessions);
  const pieces = sessions.flatMap(({ outline }) => outline.pieces);
  const chosen = new Set(pieces.filter(({ isChosen }) => isChosen));
  const sources = new Set<string>();
  const messages = new Map<string, Set<string>>();
  const messageIds = new Set<string>();
  const answersIn = new Map(
    sessions.map(({ outline, messages: { answers } }) => [outline.sessionId, answers]),
  );
  const take = (home: string, messageId: string): void => {
    const key = keyOf(home, messageId);
    if (sources.has(key)) return;
    sources.add(key);
    messageIds.add(messageId);
    const ofHome = messages.get(home) ?? new Set();
    messages.set(home, ofHome.add(messageId));
    // An answer says again what it was asked.
    for (const answer of answersIn.get(home)?.get(messageId) ?? []) take(home, answer);
  };
  for (const { outline, messages: outlined } of sessions)
    for (const id of outlined.chosen) take(outline.sessionId, id);
  for (const { originId, messageId, takesSource } of chosen) {
    if (messageId === undefined || !takesSource) continue;
    for (const home of homesOf(originId, messageId)) take(home, messageId);
  }
  for (const piece of pieces) {
    const { originId, messageId } = piece;
    if (messageId === undefined || !messageIds.has(messageId)) continue;
    if (homesOf(originId, messageId).some((home) => sources.has(keyOf(home, messageId)))) chosen.add(piece);
  }
  return { pieces: chosen, messages, messageIds };
}

/** Of a session and one of its messages, or of two sessions. */
function keyOf(sessionId: string, id: string): string {
  return `${sessionId}\n${id}`;
}

/** Where the message is that a piece taken from a session names; the name of its family when it is nowhere. */
function homeFinder(
  sessions: readonly OutlinedSession[],
): (originId: string, messageId: string) => readonly string[] {
  const knownIn = new Map<string, string[]>();
  const wentOn = new Set<string>();
  for (const { outline, messages } of sessions) {
    for (const id of messages.known) {
      const before = knownIn.get(id);
      if (before === undefined) knownIn.set(id, [outline.sessionId]);
      else before.push(outline.sessionId);
    }
    // Whatever it is called: this one holds what that one had no room for.
    for (const { originId, sessionId } of outline.pieces) wentOn.add(keyOf(originId, sessionId));
  }
  const goesOnIn = (first: string, later: string): boolean =>
    continues(first, later) || wentOn.has(keyOf(first, later));
  return (originId, messageId) => {
    const all = knownIn.get(messageId) ?? [];
    if (all.includes(originId)) return [originId];
    const related = all.filter((other) => goesOnIn(originId, other) || goesOnIn(other, originId));
    if (related.length > 0) return related;
    return all.length > 0 ? all : [`${firstOf(originId)}\n`];
  };
}
