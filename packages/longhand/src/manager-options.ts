import type { ReadTable } from './adapters/word-table.ts';
import type { Clock } from './core/clock.ts';
import type { PartialConfig } from './core/config.ts';
import { checkEmbedder, type Embedder } from './core/embedder.ts';
import { ValidationError } from './core/errors.ts';
import type { EventListener } from './core/events.ts';
import { MAX_TIMER_MS } from './core/limits.ts';
import { refuseOldNode } from './core/node-version.ts';
import type { Schema } from './core/schema.ts';
import type { Durability, LogStore } from './core/store.ts';
import type { IndexLimits } from './layers/layer-context.ts';
import { refuseUnknownOptions } from './layers/memories/sessions.ts';
import type { LayerOptions } from './layers.ts';

export interface MemoryManagerOptions extends LayerOptions {
  /** The folder of the store; made when it is not there. `./memory` when neither this nor a store is given. */
  readonly storageRoot?: string;
  /** Another store in place of files. */
  readonly store?: LogStore;
  /** Whose store it is: one store serves one account. `local` when left out. */
  readonly account?: string;
  /** Laid over the store's `config.json`. */
  readonly config?: PartialConfig;
  /** Hours after which a conversation counts half. 168 when left out; other types keep their own. */
  readonly defaultDecayHalfLife?: number;
  /** The time zone of queries where neither the store's `config.json` nor `config` names one. `UTC` when left out. */
  readonly defaultTimeZone?: string;
  /** When a write is acknowledged: `buffered` (default) survives every crash, the others a power cut too. */
  readonly durability?: Durability;
  /** False finds by words alone, also with `longhand-vectors` or an embedder. */
  readonly semantic?: boolean;
  /** Finds memories by what they mean, beside their words. Other layers use `longhand-vectors`. */
  readonly embedder?: Embedder;
  /** How long a query waits for the embedder before it is answered by words alone. Default 1,000. */
  readonly embedderWaitMs?: number;
  readonly onEvent?: EventListener;
  readonly clock?: Clock;
  /** For tests of migrations. */
  readonly schema?: Schema;
  /** For tests of the search index: when it is written to the disk. */
  readonly indexLimits?: Partial<IndexLimits>;
  /** For tests of word vectors: another table than that of `longhand-vectors`. */
  readonly readTable?: ReadTable;
}

const OPTIONS = (
  'storageRoot store account config defaultDecayHalfLife defaultTimeZone durability semantic embedder ' +
  'embedderWaitMs onEvent clock schema indexLimits readTable summariser tokenCounter windowStore spool externalCopies isExtraTool'
).split(' ');

/** @throws ValidationError INVALID_OPTION, NODE_TOO_OLD */
export function checkOptions(options: MemoryManagerOptions): void {
  refuseOldNode();
  refuseUnknownOptions(options, OPTIONS);
  if (options.store !== undefined && options.storageRoot !== undefined) {
    throw new ValidationError('INVALID_OPTION', 'Give a storageRoot or a store, not both.');
  }
  if (options.storageRoot?.trim() === '') {
    // The path of the working folder, for the system; for a person, nothing.
    throw new ValidationError('INVALID_OPTION', 'The storageRoot is empty. Name a folder.');
  }
  if (options.store !== undefined) refuseSettingsOfStore(options);
  const named = options.config?.storage?.root_directory;
  if (named !== undefined && options.storageRoot !== undefined && named !== options.storageRoot) {
    throw new ValidationError(
      'INVALID_OPTION',
      'storageRoot and config.storage.root_directory name different folders. Give one of them.',
    );
  }
  if (options.embedder !== undefined) checkEmbedder(options.embedder);
  const { embedderWaitMs = 0 } = options;
  if (!(Number.isFinite(embedderWaitMs) && embedderWaitMs >= 0 && embedderWaitMs <= MAX_TIMER_MS)) {
    throw new ValidationError('INVALID_OPTION', 'embedderWaitMs must be a number of milliseconds.');
  }
}

/** The settings among the options, those with a name of their own included. */
export function configOf(options: MemoryManagerOptions): PartialConfig {
  const { config = {}, defaultDecayHalfLife, durability, semantic } = options;
  return {
    ...config,
    ...(semantic === undefined ? {} : { semantic }),
    ...(durability === undefined ? {} : { storage: { ...config.storage, durability } }),
    ...(defaultDecayHalfLife === undefined
      ? {}
      : {
          decay: {
            ...config.decay,
            type_specific: {
              ...config.decay?.type_specific,
              conversation: {
                half_life_hours: defaultDecayHalfLife,
                ...config.decay?.type_specific?.conversation,
              },
            },
          },
        }),
  };
}

/** What a store is told when it is opened would be ignored for one that is open already. */
function refuseSettingsOfStore({ config = {}, durability }: MemoryManagerOptions): void {
  const { storage, concurrency, performance, integrity } = config;
  const ofStore = {
    durability,
    'config.storage.root_directory': storage?.root_directory,
    'config.storage.durability': storage?.durability,
    'config.storage.allow_network_file_system': storage?.allow_network_file_system,
    'config.concurrency': concurrency,
    'config.performance.batch_write_interval_ms': performance?.batch_write_interval_ms,
    'config.integrity': integrity,
  };
  for (const [name, value] of Object.entries(ofStore)) {
    if (value === undefined) continue;
    throw new ValidationError('INVALID_OPTION', `${name} belongs to the store that was given: set it there.`);
  }
}
