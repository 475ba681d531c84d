import type { LogLine } from '../core/line.ts';
import type { LogRecord, MemoryEntry, Provenance } from '../core/records.ts';
import type { UnreadablePart } from './followed-log.ts';
import type { SessionRef } from './session-ref.ts';
import type { CopiedLayer } from './store-copy.ts';
import type { Unreadable } from './unreadable-lines.ts';
import type { VerifiedLayer } from './verification.ts';

/**
 * What every layer can do for those that treat all layers alike: exporting, erasing, checking and copying. They loop over
 * one list of layers (src/layers.ts), so another layer is its own folder and a line in that list.
 */
export interface Layer extends VerifiedLayer, CopiedLayer {
  readonly name: string;
  /**
   * What it holds of one session of a user, or of the user outside sessions. What is read of a session is read before
   * the promise is kept, while its owner is known; large values may follow piece by piece.
   */
  export?(scope: ExportScope): Promise<Iterable<ExportLine> | AsyncIterable<ExportLine>>;
  /** What it keeps in a session. @param log the session's own */
  pieces?(sessionId: string, log: SessionRecords): Promise<readonly Piece[]>;
  /** What of its log beside a session cannot be read and may be meant. */
  unreadable?(sessionId: string, unreadable: Unreadable): Promise<UnreadablePart>;
  /** Makes pieces gone from every file. @throws NotFoundError when the session or agent is gone, or another one by now */
  erase?(erasure: Erasure): Promise<void>;
  /**
   * Makes gone, before a session is removed, what was taken from it and is kept elsewhere. Nothing else.
   * @param heldIn another session of the same user; outside sessions when left out
   * @throws NotFoundError SESSION_NOT_FOUND when that one is gone
   */
  eraseTaken?(from: LeavingSession, heldIn?: SessionRef): Promise<void>;
}

/** The log of a session, read and checked. */
interface SessionRecords {
  /** The memories that live, each with the last of its lines. */
  readonly entries: readonly { readonly entry: MemoryEntry; readonly line: LogLine }[];
  readonly records: readonly { readonly record: LogRecord; readonly line: LogLine }[];
  readonly deletedIds: ReadonlySet<string>;
}

export interface ExportScope {
  readonly userId: string;
  readonly sessionId?: string;
}

/** What a plan needs to know of a piece, and no text of it: those of all sessions of a user are looked at together. */
export interface Piece {
  readonly id: string;
  /** `deleted` pieces still stand in the log; so does an `outdated` text of one that says something else now. */
  readonly state?: 'deleted' | 'outdated';
  readonly timestamp: string;
  /** When it was kept, by the store's own clock, where that is known. */
  readonly keptAt?: string;
  readonly tags: readonly string[];
  /** The agent that wrote it. */
  readonly agentId: string | null | undefined;
  readonly provenance: Provenance | undefined;
  /** The message that it was taken from: it says the same. */
  readonly source?: { readonly id: string; readonly timestamp?: string } | undefined;
  /** The prompt that it came of, which says something else. */
  readonly promptId?: string | undefined;
  /** Whether it takes its message along however it was chosen; otherwise only when it is named. */
  readonly takesSource: boolean;
}

/** One step of an erasure. Every layer sees every step, in the order of the list, and does what concerns it. */
export type Erasure =
  | ({ readonly kind: 'pieces' } & PiecesErasure)
  /** A session that goes as a whole. `goingUser`: whose other sessions go too, and this is not the last one. */
  | ({ readonly kind: 'session'; readonly goingUser: string | undefined } & WholeSession)
  /** Of a session of which nothing is meant: what writers that died have left. */
  | ({ readonly kind: 'leftovers'; readonly leftovers: Leftovers } & UnfinishedSession)
  | ({ readonly kind: 'journal' } & JournalPieces)
  | ({ readonly kind: 'notes' } & NotesPieces)
  | { readonly kind: 'agent'; readonly agentId: string }
  | { readonly kind: 'user'; readonly userId: string };

/** Pieces of a session, which goes on. */
export interface PiecesErasure extends SessionRef {
  /** Ids, by the name of the layer. */
  readonly pieces: SessionPieces;
  readonly leftovers: Leftovers;
  /** What cannot be read and may be meant, and whether there is any of it. */
  readonly unreadable: Unreadable;
  readonly unreadLines: { readonly isThere: boolean };
  /** The agents that take part from now on; `undefined` leaves them. */
  readonly agents?: readonly string[];
}

export interface SessionPieces {
  readonly memories: readonly string[];
  readonly transcript: readonly string[];
  readonly details: readonly string[];
  readonly [layer: string]: readonly string[];
}

/** Values whose writers died before they were recorded: those that are old, or begun in the time that is meant too. */
export type Leftovers = 'old' | { readonly startMs: number; readonly endMs: number };

/** One that goes as a whole, in the incarnation that it was seen in; `undefined` when that cannot be told. */
export interface WholeSession {
  readonly sessionId: string;
  readonly incarnation: string | undefined;
}

export interface UnfinishedSession extends SessionRef {
  /** Its log was rewritten, and what is made from it was not. */
  readonly isUnfinished: boolean;
}

/** Journal and core memories of an agent. */
export interface JournalPieces {
  readonly agentId: string;
  readonly ids: readonly string[];
  readonly unreadable: Unreadable;
}

/** Lines of an agent's notes on a user, perhaps none but what cannot be read; all of the notes when `undefined`. */
export interface NotesPieces {
  readonly userId: string;
  readonly agentId: string;
  readonly lines: ReadonlySet<string> | undefined;
}

export interface LeavingSession {
  readonly sessionId: string;
  /** `undefined` when it is unknown. */
  readonly userId: string | undefined;
}

/** Whether a piece that is kept elsewhere was taken from a session. */
export function takenFrom(sessionId: string) {
  return ({ provenance }: { readonly provenance?: Provenance }): boolean =>
    provenance?.session_id === sessionId;
}

/** One line of an export; `kind` says what it is about. */
export interface ExportLine {
  readonly kind: string;
  readonly [field: string]: unknown;
}
