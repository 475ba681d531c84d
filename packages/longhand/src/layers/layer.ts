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
}

export interface ExportScope {
  readonly userId: string;
  readonly sessionId?: string;
}

/** One line of an export; `kind` says what it is about. */
export interface ExportLine {
  readonly kind: string;
  readonly [field: string]: unknown;
}
