import type { StoreConfig } from '../../core/config.ts';
import { BYTES_PER_MEGABYTE } from '../layer-context.ts';
import type { Session } from './session.ts';

/** How large a session may become, and what happens before. A session's own settings count first. */
export class SizeLimits {
  /** No session grows beyond it. */
  readonly limitBytes: number;
  readonly #storage: StoreConfig['storage'];

  constructor({ storage }: StoreConfig) {
    this.#storage = storage;
    this.limitBytes = Math.floor(storage.max_session_size_mb * BYTES_PER_MEGABYTE);
  }

  /** The size that is reason for a compaction. */
  thresholdBytes({ compaction_config }: Session): number {
    return this.limitBytes * (compaction_config.threshold ?? this.#storage.compaction_threshold);
  }

  compactsByItself({ compaction_config }: Session): boolean {
    return compaction_config.auto_compact ?? this.#storage.auto_compact;
  }
}
