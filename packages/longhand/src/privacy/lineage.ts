import type { OutlinedMessages, Piece, SessionOutline } from './session-outline.ts';

/**
 * What was taken from what, over all sessions of a user.
 *
 * A memory notes the message that it was taken from, and so does a detail that was made from one. A piece that goes
 * takes its message with it: otherwise the transcript would go on saying what the memory no longer does. A message
 * that goes takes everything that was taken from it, and the answers that name it as what they come from.
 *
 * A piece names a message by its id alone, and clients number their messages as they like: `m1` may be there in every
 * session. So the message of its own session is meant. Only when that session never had one is it looked for
 * elsewhere: in the sessions that this one continues or is continued by (`chat-2` after `chat`), and then in all.
 */
export interface Lineage {
  readonly pieces: ReadonlySet<Piece>;
  /** By session. */
  readonly messages: ReadonlyMap<string, ReadonlySet<string>>;
  /** The ids of all messages that go, wherever they are. */
  readonly messageIds: ReadonlySet<string>;
}

export interface OutlinedSession {
  readonly outline: SessionOutline;
  readonly messages: OutlinedMessages;
}

const CONTINUATION = /^(.+)-\d{1,5}$/;

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
    const key = sourceKey(home, messageId);
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
  for (const { sessionId, messageId, takesSource } of chosen) {
    if (messageId === undefined || !takesSource) continue;
    for (const home of homesOf(sessionId, messageId)) take(home, messageId);
  }
  for (const piece of pieces) {
    const { sessionId, messageId } = piece;
    if (messageId === undefined || !messageIds.has(messageId)) continue;
    if (homesOf(sessionId, messageId).some((home) => sources.has(sourceKey(home, messageId))))
      chosen.add(piece);
  }
  return { pieces: chosen, messages, messageIds };
}

function sourceKey(home: string, messageId: string): string {
  return `${home}\n${messageId}`;
}

/** Where the message is that a piece of a session names; the name of its family when it is nowhere. */
function homeFinder(
  sessions: readonly OutlinedSession[],
): (sessionId: string, messageId: string) => readonly string[] {
  const knownIn = new Map<string, string[]>();
  for (const { outline, messages } of sessions) {
    for (const id of messages.known) {
      const before = knownIn.get(id);
      if (before === undefined) knownIn.set(id, [outline.sessionId]);
      else before.push(outline.sessionId);
    }
  }
  return (sessionId, messageId) => {
    const all = knownIn.get(messageId) ?? [];
    if (all.includes(sessionId)) return [sessionId];
    const family = familyOf(sessionId);
    const related = all.filter((other) => familyOf(other) === family);
    if (related.length > 0) return related;
    return all.length > 0 ? all : [`${family}\n`];
  };
}

function familyOf(sessionId: string): string {
  return CONTINUATION.exec(sessionId)?.[1] ?? sessionId;
}
