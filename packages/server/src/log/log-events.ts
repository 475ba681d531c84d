import type { EventKind, EventLevel, LonghandEvent } from 'longhand';
import type { Level, Logger } from './logger.ts';

/** What each event of the library says. What it is worth, it says itself. */
const EVENT_LINES: Readonly<Record<EventKind, string>> = {
  'session-created': 'Session created',
  'session-loaded': 'Session loaded',
  'session-closed': 'Session closed',
  'session-deleted': 'Session deleted',
  'session-updated': 'Session updated',
  'session-unreadable': 'Session cannot be read',
  'memories-added': 'Memories added',
  'memory-updated': 'Memory updated',
  'memories-deleted': 'Memories deleted',
  'compaction-started': 'Session compaction started',
  'compaction-finished': 'Session compaction completed',
  'compaction-failed': 'Session compaction failed',
  'schema-migrated': 'Session migrated to the current schema',
  'size-warning': 'Session is approaching its size limit',
  'cache-hit': 'Cache hit',
  'cache-miss': 'Cache miss',
  'lock-acquired': 'Lock acquired',
  'lock-released': 'Lock released',
  'lock-waited': 'Waited for a lock',
  'lock-timeout': 'Lock timeout',
  'lock-taken-over': 'Lock of an ended process taken over',
  'tail-healed': 'A write that was cut short was closed off',
  'corruption-found': 'Corruption detected',
  'sequence-broken': 'Lines whose numbers do not rise',
  'write-pending': 'Writes are held back while the storage fails',
  'write-recovered': 'Writes that were held back are stored',
  'io-failed': 'I/O failure',
  'log-read-only': 'A log can no longer be written',
  'export-incomplete': 'An export left out what cannot be read',
  'permissions-too-wide': 'Others can read a file of the store',
  'log-rescued': 'A log was rewritten after a failed sync',
  'agent-created': 'Agent created',
  'agent-updated': 'Agent updated',
  'agent-deleted': 'Agent deleted',
  'agent-memories-changed': 'Private memories changed',
  'notes-changed': 'Notes changed',
  'notes-unreadable': 'The notes were saved by hand and cannot be read',
  'detail-stored': 'Detail stored',
  'details-removed': 'Details removed',
  'transcript-archived': 'Transcript archived',
  'transcript-pruned': 'Transcript pruned',
  'retention-finished': 'Retention finished',
  'summary-updated': 'Summary updated',
  'summary-failed': 'Summary failed',
  'embedder-failed': 'The embedder failed; queries are answered by words alone',
  'embedder-recovered': 'The embedder answers again',
  'vectors-unusable': 'The word vectors cannot be used; queries are answered by words alone',
  'memories-embedded': 'Vectors of memories made',
  forgotten: 'Forgotten',
};

function levelOf({ level }: LonghandEvent): Level {
  return level.toLowerCase() as Lowercase<EventLevel>;
}

/** Lists of ids say nothing that their number does not, and grow without end. */
export function logEvent(logger: Logger, event: LonghandEvent): void {
  const level = levelOf(event);
  if (!logger.isOn(level)) return;
  // The line has a time and a level of its own.
  const { kind: _kind, time: _time, level: _level, ...facts } = event;
  const { session_id, ...rest } = facts as Record<string, unknown>;
  const metadata = Object.fromEntries(
    Object.entries(rest).map(([key, value]) => [key, Array.isArray(value) ? value.length : value]),
  );
  logger.log(level, EVENT_LINES[event.kind], {
    component: 'MemoryManager',
    session_id: typeof session_id === 'string' ? session_id : undefined,
    metadata,
  });
}
