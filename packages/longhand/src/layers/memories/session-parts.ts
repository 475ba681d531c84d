import type { LayerContext } from '../layer-context.ts';
import type { Accesses } from './accesses.ts';
import type { GoneSessions } from './gone-sessions.ts';
import type { Maintenance } from './maintenance.ts';
import type { Memories } from './memories.ts';
import type { Sessions } from './sessions.ts';
import type { Snapshots } from './snapshots.ts';

/** What works on the memories of sessions, opened once with the store. */
export interface SessionParts {
  readonly context: LayerContext;
  readonly sessions: Sessions;
  readonly memories: Memories;
  readonly maintenance: Maintenance;
  readonly snapshots: Snapshots;
  readonly gone: GoneSessions;
  readonly accesses: Accesses;
}
