import type { Provenance } from '../core/records.ts';
import type { VerifiedLayer } from './verification.ts';

/**
 * What every layer can do for those that treat all layers alike: exporting and checking. They loop over one list of
 * layers (src/layers.ts), so another layer is its own folder and a line in that list.
 */
export interface Layer extends VerifiedLayer {
  readonly name: string;
  /**
   * What it holds of one session of a user, or of the user outside sessions. What is read of a session is read before
   * the promise is kept, while its owner is known; large values may follow piece by piece.
   */
  export?(scope: ExportScope): Promise<Iterable<ExportLine> | AsyncIterable<ExportLine>>;
  /**
   * Makes gone, before a session is removed, what was taken from it and is kept elsewhere. Nothing else.
   * @param within another session of the same user; outside sessions when left out
   * @throws NotFoundError SESSION_NOT_FOUND when that one is gone
   */
  eraseTaken?(from: LeavingSession, within?: SessionInIncarnation): Promise<void>;
}

export interface ExportScope {
  readonly userId: string;
  readonly sessionId?: string;
}

export interface LeavingSession {
  readonly sessionId: string;
  /** `undefined` when it is unknown. */
  readonly userId: string | undefined;
}

export interface SessionInIncarnation {
  readonly sessionId: string;
  readonly incarnation: string;
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
