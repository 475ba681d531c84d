import type { LogLine } from '../core/line.ts';
import type { ArchivedMessage } from '../core/messages.ts';
import type { Piece } from '../layers/layer.ts';
import type { HiddenMessage } from '../layers/transcript/index.ts';
import { namesAny } from '../layers/unreadable-lines.ts';
import { tagCovers } from '../recall/index/index.ts';
import type { Selection } from './forget-request.ts';

/** Which pieces of a session a request means directly, before what was made from them is looked at. */
export interface Choice {
  /** Of whatever layer, also one that was deleted, or an earlier text, as it still stands in the log. */
  readonly piece: (piece: LayerPiece) => boolean;
  /** @param agents those of the session */
  readonly message: (message: ChosenMessage, agents: readonly string[]) => boolean;
  /** A message that cannot be read: it may be known by its id, or by the time of its batch. */
  readonly hidden: (message: HiddenMessage, agents: readonly string[]) => boolean;
  /** By its id alone: a memory that was deleted, or cannot be read, or a message that is nowhere any more. */
  readonly isNamed: (id: string) => boolean;
  /** Whether a line that cannot be read seems to be a memory that is meant: it takes its message with it. */
  readonly damaged: (line: LogLine) => boolean;
  /** Whether every chosen piece takes the message with it that it was made from. */
  readonly takesSources: boolean;
  /** What of the unreadable may be meant: all of it, or what names one of these. */
  readonly unreadable: ReadonlySet<string> | 'all';
}

/** With the name of its layer. */
export interface LayerPiece extends Piece {
  readonly layer: string;
}

export type ChosenMessage = Pick<ArchivedMessage, 'id' | 'timestamp'> &
  Partial<Pick<ArchivedMessage, 'name' | 'provenance'>> & { readonly role?: string };

type Selected = Exclude<Selection, { readonly by: 'everything' }>;

/** @param beforeMs what is newer is not meant, whatever it says */
export function choiceOf(what: Selected, beforeMs = Number.POSITIVE_INFINITY): Choice {
  const isChosen = (id: string, timestamp: string): boolean => {
    if (what.by === 'ids') return what.ids.has(id);
    if (what.by !== 'time') return false;
    const ms = Date.parse(timestamp);
    return ms >= what.startMs && ms <= what.endMs;
  };
  const isOld = (timestamp: string): boolean => !(Date.parse(timestamp) > beforeMs);
  const isNamed = (id: string): boolean => what.by === 'ids' && what.ids.has(id);
  return {
    piece: ({ id, timestamp, keptAt, tags, source, promptId }) => {
      if (what.by === 'topic')
        return isOld(keptAt ?? timestamp) && tags.some((own) => tagCovers(what.tag, own, false));
      if (!isOld(keptAt ?? '')) return false;
      if (isChosen(id, timestamp) || (promptId !== undefined && isNamed(promptId))) return true;
      return source !== undefined && isChosen(source.id, source.timestamp ?? '');
    },
    message: ({ id, timestamp }) => isChosen(id, timestamp),
    hidden: ({ id, startMs, endMs }) =>
      what.by === 'time' ? startMs <= what.endMs && endMs >= what.startMs : isNamed(id),
    isNamed,
    damaged: (line) =>
      what.by === 'ids'
        ? namesAny(line, what.ids)
        : what.by === 'topic' && line.text.toLowerCase().includes(`"${what.tag.toLowerCase()}`),
    takesSources: what.by === 'ids',
    unreadable: what.by === 'ids' ? what.ids : 'all',
  };
}

/**
 * What an agent wrote: noted as its author, or under its name as the one who spoke. Clients that archive an answer need
 * not say who gave it: then it is that of the session's only agent.
 */
export function choiceOfAgent(agentId: string): Choice {
  const message = (
    { role, name, provenance }: ChosenMessage,
    [first, ...others]: readonly string[],
  ): boolean => {
    const speaker = provenance?.agent_id ?? name ?? (others.length === 0 ? first : undefined);
    return role === 'assistant' && speaker === agentId;
  };
  return {
    piece: (piece) => piece.agentId === agentId,
    message,
    hidden: (hidden, agents) => hidden.message !== undefined && message(hidden.message, agents),
    isNamed: () => false,
    damaged: (line) => namesAny(line, new Set([agentId])),
    takesSources: false,
    unreadable: new Set([agentId]),
  };
}

/** One memory or one message, and nothing else directly. */
export function choiceOfPiece(kind: 'memory' | 'message', id: string): Choice {
  return {
    ...NOTHING_CHOSEN,
    piece: (piece) => kind === 'memory' && piece.layer === 'memories' && piece.id === id,
    message: (message) => kind === 'message' && message.id === id,
  };
}

/** For sessions that a request does not name, and that may hold what was made from what it means. */
export const NOTHING_CHOSEN: Choice = choiceOfAll(false);

/** For sessions that go as a whole. */
export const EVERYTHING_CHOSEN: Choice = choiceOfAll(true);

function choiceOfAll(isChosen: boolean): Choice {
  const answer = (): boolean => isChosen;
  return {
    piece: answer,
    message: answer,
    hidden: answer,
    isNamed: answer,
    damaged: answer,
    takesSources: isChosen,
    unreadable: isChosen ? 'all' : new Set(),
  };
}
