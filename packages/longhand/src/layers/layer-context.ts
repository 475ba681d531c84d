import type { Clock } from '../core/clock.ts';
import type { StoreConfig } from '../core/config.ts';
import type { Embedder } from '../core/embedder.ts';
import type { Emit } from '../core/events.ts';
import type { IdMaker } from '../core/ids.ts';
import type { Metrics } from '../core/metrics.ts';
import type { Schema } from '../core/schema.ts';
import type { LogStore } from '../core/store.ts';
import type { WordVectors } from '../recall/vectors/index.ts';

/** What every layer works with, opened once by the facade. */
export interface LayerContext {
  readonly store: LogStore;
  readonly config: StoreConfig;
  readonly clock: Clock;
  readonly makeId: IdMaker;
  readonly emit: Emit;
  readonly metrics: Metrics;
  readonly schema: Schema;
  /** Finds memories by meaning, in place of word vectors. */
  readonly embedding?: Embedding | undefined;
  /** The table of word vectors, for searches; `undefined` when none is installed, and with `semantic: false`. */
  readonly loadWords: () => Promise<WordVectors | undefined>;
  /** The same also with `semantic: false`, to check the vectors that other processes made. */
  readonly loadTable: () => Promise<WordVectors | undefined>;
  readonly indexLimits: IndexLimits;
}

export interface Embedding {
  readonly embedder: Embedder;
  /** How long a question waits for its vector. */
  readonly waitMs: number;
}

export const BYTES_PER_MEGABYTE = 1_048_576;

/** When tails are sealed and segments merged, in documents (a long one counts as several in a tail) and segments. */
export interface IndexLimits {
  /** Documents in a tail before it is sealed. */
  readonly sealAtDocuments: number;
  /** The same while a whole log is taken in: fewer, larger segments need less merging. */
  readonly sealWhenBuilding: number;
  /** Segments of about the same size before they are merged into one. */
  readonly mergeAtSegments: number;
  /** Larger segments stay as they are: merging them would hold up the process for seconds. */
  readonly maxMergedDocuments: number;
  /** The text of a user's details that is searched whole. */
  readonly maxDetailBytes: number;
}

/** A tail of 2,048 documents is about 20 ms of work, and some 4 MB of memory. */
export const DEFAULT_INDEX_LIMITS: IndexLimits = {
  sealAtDocuments: 2_048,
  sealWhenBuilding: 32_768,
  mergeAtSegments: 8,
  maxMergedDocuments: 262_144,
  // A megabyte of text takes up to two of memory, and a tenth of a second when it is first searched.
  maxDetailBytes: 67_108_864,
};
