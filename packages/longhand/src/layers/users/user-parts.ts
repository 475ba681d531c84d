import type { SessionParts } from '../memories/session-parts.ts';
import type { MemorySearch } from '../search/memory-search.ts';

/** What works on the memories of a user, opened once with the store. */
export interface UserParts extends SessionParts {
  /** More than half of the code: it is loaded by the first caller that searches. */
  readonly search: { load(): Promise<MemorySearch> };
}
