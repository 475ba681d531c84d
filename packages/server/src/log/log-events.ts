import type { EventKind, LonghandEvent } from 'longhand';
import type { Level, Logger } from './logger.ts';

/** What each event of the library is worth, and what it says. A test keeps the table complete. */
export const EVENT_LINES: Readonly<Record<EventKind, readonly [Level, string]>> = {
  'session-created': ['info', 'Session created'],
  // Every reading loads its session.
  'session-loaded': ['debug', 'Session loaded'],
  'session-closed': ['info', 'Session closed'],
  'session-deleted': ['info', 'Session deleted'],
  'session-updated': ['info', 'Session updated'],
  'session-unreadable': ['error', 'Session cannot be read'],
  'memories-added': ['debug', 'Memories added'],
  'memories-deleted': ['info', 'Memories deleted'],
  'compaction-started': ['info', 'Session compaction started'],
  'compaction-finished': ['info', 'Session compaction completed'],
  'compaction-failed': ['error', 'Session compaction failed'],
  'schema-migrated': ['info', 'Session migrated to the current schema'],
  'size-warning': ['warn', 'Session is approaching its size limit'],
  'lock-waited': ['debug', 'Waited for a lock'],
  'lock-timeout': ['warn', 'Lock timeout'],
  'lock-taken-over': ['info', 'Lock of an ended process taken over'],
  'tail-healed': ['warn', 'A write that was cut short was closed off'],
  'corruption-found': ['error', 'Corruption detected'],
  'write-pending': ['error', 'Writes are held back while the storage fails'],
  'write-recovered': ['info', 'Writes that were held back are stored'],
  'io-failed': ['error', 'I/O failure'],
  'log-read-only': ['error', 'A log can no longer be written'],
  'export-incomplete': ['warn', 'An export left out what cannot be read'],
  'permissions-too-wide': ['warn', 'Others can read a file of the store'],
  'log-rescued': ['warn', 'A log was written anew after a failed sync'],
  'agent-created': ['info', 'Agent created'],
  'agent-updated': ['info', 'Agent updated'],
  'agent-deleted': ['info', 'Agent deleted'],
  'agent-memories-changed': ['debug', 'Private memories changed'],
  'notes-changed': ['debug', 'Notes changed'],
  'notes-unreadable': ['warn', 'The notes were saved by hand and cannot be read'],
  'detail-stored': ['debug', 'Detail stored'],
  'details-removed': ['info', 'Details removed'],
  'transcript-archived': ['debug', 'Transcript archived'],
  'transcript-pruned': ['info', 'Transcript pruned'],
  'summary-updated': ['info', 'Summary updated'],
  'summary-failed': ['warn', 'Summary failed'],
  'embedder-failed': ['warn', 'The embedder failed; queries are answered by words alone'],
  'embedder-recovered': ['info', 'The embedder answers again'],
  'memories-embedded': ['debug', 'Vectors of memories made'],
  forgotten: ['info', 'Forgotten'],
};

/** Lists of ids say nothing that their number does not, and grow without end. */
export function logEvent(logger: Logger, event: LonghandEvent): void {
  const [level, message] = EVENT_LINES[event.kind];
  if (!logger.isOn(level)) return;
  // The line has a time and a level of its own.
  const { kind: _kind, time: _time, level: _level, ...facts } = event;
  const { session_id, ...rest } = facts as Record<string, unknown>;
  const metadata = Object.fromEntries(
    Object.entries(rest).map(([key, value]) => [key, Array.isArray(value) ? value.length : value]),
  );
  logger.log(level, message, {
    component: 'MemoryManager',
    session_id: typeof session_id === 'string' ? session_id : undefined,
    metadata,
  });
}
