import type { ConversationEvent } from '../conversation/conversation-event.ts';
import type { Level, Logger } from './logger.ts';

/** What each event of the conversations is worth, and what it says. */
const CONVERSATION_LINES: Readonly<Record<ConversationEvent['kind'], readonly [Level, string]>> = {
  'model-failed': ['warn', 'Model gave no answer'],
  'tool-failed': ['error', 'Tool failed'],
  'mcp-server-failed': ['warn', 'MCP server cannot be reached: its tools are missing'],
  'answer-cut-off': ['warn', 'Answer cut off by the provider'],
  'turn-finished': ['debug', 'Turn finished'],
  'spool-recovered': ['info', 'Messages of an ended process taken over'],
  'spool-damaged': ['error', 'Spool damaged: the file was set aside'],
  'spool-dropped': ['warn', 'Messages of a deleted session dropped'],
  'spool-left': ['warn', 'Messages wait in the spool for the next start'],
  'spool-not-cleared': ['error', 'Forgotten messages wait in the spool of another process'],
  'notice-failed': ['error', 'Other processes could not be notified of a forgetting'],
  'permissions-too-wide': ['warn', 'Others can read the state folder'],
  'spool-compaction-failed': ['warn', 'Spool compaction failed'],
  'spool-sync-failed': ['error', 'Spool sync failed'],
  'archive-failed': ['error', 'Archiving failed: the messages wait in the spool'],
  'summary-update-failed': ['warn', 'Summary update failed'],
};

export function logConversationEvent(logger: Logger, event: ConversationEvent): void {
  const [level, message] = CONVERSATION_LINES[event.kind];
  if (!logger.isOn(level)) return;
  const { kind: _kind, ...facts } = event;
  const { session_id, ...metadata } = facts as Record<string, unknown>;
  logger.log(level, message, {
    component: 'Conversations',
    session_id: typeof session_id === 'string' ? session_id : undefined,
    metadata,
  });
}
