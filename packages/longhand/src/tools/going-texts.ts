import { memoryText } from '../core/memory-text.ts';
import type { Details } from '../layers/details/index.ts';
import type { Journal } from '../layers/journal/index.ts';
import type { JournalPieces, NotesPieces, SessionPieces } from '../layers/layer.ts';
import type { Maintenance } from '../layers/memories/maintenance.ts';
import type { Transcripts } from '../layers/transcript/index.ts';

/**
 * What a forgetting would take away, in words: the person who decides has to see the texts, and why each of them goes.
 */
export interface GoingText {
  readonly kind: 'memory' | 'message' | 'detail' | 'private' | 'notes' | 'session';
  readonly id: string;
  readonly session_id?: string;
  /** Its beginning; of a detail its description. */
  readonly text: string;
  /** Why it goes. */
  readonly reason: string;
}

export interface GoingTexts {
  /** At most a hundred. */
  readonly items: readonly GoingText[];
  readonly items_left_out?: number;
}

/** What goes, by ids. */
interface Going {
  readonly sessions: readonly {
    readonly sessionId: string;
    readonly pieces: SessionPieces;
    readonly takenAlong: readonly string[];
  }[];
  readonly wholeSessions: readonly { readonly sessionId: string }[];
  readonly notes: readonly NotesPieces[];
  readonly journals: readonly (JournalPieces & { readonly isTakenAlong: boolean })[];
  /** As a whole, with journal and core. */
  readonly agents: readonly string[];
}

interface GoingNeeds {
  readonly maintenance: Pick<Maintenance, 'fold'>;
  readonly transcripts: Pick<Transcripts, 'messages'>;
  readonly details: Pick<Details, 'keptInSession'>;
  readonly journal: Pick<Journal, 'find' | 'keptIds'>;
}

const MOST = 100;
const TEXT_CHARACTERS = 200;
const ASKED = 'asked for';
const FROM_MESSAGE = 'was taken from a message that goes';
const OF_MESSAGE = 'something being forgotten was taken from it, or it answers such a message';

/** @param counts of all that goes: the texts of many whole sessions are not read to be left out */
export async function goingTexts(
  needs: GoingNeeds,
  going: Going,
  counts: { readonly memories: number; readonly messages: number; readonly details: number },
): Promise<GoingTexts> {
  const items: GoingText[] = [];
  for (const { sessionId } of going.wholeSessions) {
    if (items.length >= MOST) break;
    items.push({ kind: 'session', id: sessionId, text: 'all of it', reason: ASKED });
    for (const { kind, id, text } of await textsIn(needs, sessionId))
      items.push({ kind, id, session_id: sessionId, text: shortened(text), reason: ASKED });
  }
  for (const session of going.sessions) {
    const { sessionId, takenAlong } = session;
    const taken = new Set(takenAlong);
    const add = (
      kind: GoingText['kind'],
      ids: readonly string[],
      texts: ReadonlyMap<string, string>,
      why: string,
    ): void => {
      for (const id of ids) {
        const text = shortened(texts.get(id) ?? '');
        items.push({ kind, id, session_id: sessionId, text, reason: taken.has(id) ? why : ASKED });
      }
    };
    const { memories, transcript: messages, details } = session.pieces;
    if (memories.length > 0) {
      const { entries } = await needs.maintenance.fold(sessionId);
      const texts = new Map(entries.map(({ entry }) => [entry.id, memoryText(entry.content)]));
      add('memory', memories, texts, FROM_MESSAGE);
    }
    if (messages.length > 0) {
      const said = await needs.transcripts.messages(sessionId);
      add('message', messages, new Map(said.map(({ id, content }) => [id, content])), OF_MESSAGE);
    }
    if (details.length > 0) {
      const kept = await needs.details.keptInSession(sessionId);
      const texts = new Map(kept.map(({ memory_key, summary }) => [memory_key, summary]));
      add('detail', details, texts, FROM_MESSAGE);
    }
  }
  for (const { agentId, ids, isTakenAlong } of going.journals) {
    for (const id of ids) {
      const text = shortened((await needs.journal.find(agentId, id))?.content ?? '');
      items.push({ kind: 'private', id, text, reason: isTakenAlong ? FROM_MESSAGE : ASKED });
    }
  }
  for (const agentId of going.agents) {
    for (const id of await needs.journal.keptIds(agentId)) {
      const text = shortened((await needs.journal.find(agentId, id))?.content ?? '');
      items.push({ kind: 'private', id, text, reason: ASKED });
    }
  }
  for (const { agentId, lines } of going.notes)
    for (const text of lines ?? [`all notes of ${agentId}`])
      items.push({ kind: 'notes', id: agentId, text: shortened(text), reason: ASKED });
  const pieces = going.wholeSessions.length + counts.memories + counts.messages + counts.details;
  const more = Math.max(items.length, items.length < MOST ? 0 : pieces) - MOST;
  return { items: items.slice(0, MOST), ...(more > 0 ? { items_left_out: more } : {}) };
}

/** What a session holds that goes as a whole; what cannot be read goes without its words. */
async function textsIn(
  { maintenance, transcripts, details }: GoingNeeds,
  sessionId: string,
): Promise<readonly Pick<GoingText, 'kind' | 'id' | 'text'>[]> {
  const orNone = <Piece>(read: Promise<readonly Piece[]>): Promise<readonly Piece[]> => read.catch(() => []);
  const entries = await orNone(maintenance.fold(sessionId).then((fold) => fold.entries));
  const messages = await orNone(transcripts.messages(sessionId));
  const kept = await orNone(details.keptInSession(sessionId));
  return [
    ...entries.map(({ entry }) => ({
      kind: 'memory' as const,
      id: entry.id,
      text: memoryText(entry.content),
    })),
    ...messages.map(({ id, content }) => ({ kind: 'message' as const, id, text: content })),
    ...kept.map(({ memory_key, summary }) => ({ kind: 'detail' as const, id: memory_key, text: summary })),
  ];
}

function shortened(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > TEXT_CHARACTERS ? `${line.slice(0, TEXT_CHARACTERS).trimEnd()}…` : line;
}
