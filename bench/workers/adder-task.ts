/** What a writing process is told to do. */
export interface AdderTask {
  readonly store: 'longhand' | 'sqlite';
  readonly folder: string;
  readonly sessionId: string;
  readonly durationMs: number;
  /** Callers that await their adds at the same time. */
  readonly inFlight: number;
  /** Between the adds of one caller. */
  readonly pauseMs: number;
  /** For SQLite, which has no batches of its own. */
  readonly entriesPerTransaction: number;
  /** Address of the library that is measured; the built one of this clone when left out. */
  readonly library?: string;
}

/** What it tells afterwards. */
export interface AdderReport {
  /** One for each acknowledged add; empty texts where the store gives none. */
  readonly ids: readonly string[];
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly endedAt: number;
  readonly longestAddMs: number;
  readonly lockWaitsMs: readonly number[];
}
