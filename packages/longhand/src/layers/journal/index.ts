export { AgentLogs } from './agent-logs.ts';
export { type Agent, Agents } from './agents.ts';
export { Audience, mayBeOf, type Viewer } from './audience.ts';
export { type AgentMemorySource, Journal } from './journal.ts';
export { journalLayer } from './journal-layer.ts';
export {
  groupLines,
  renderItem,
  renderMemoryContext,
  renderWhiteboard,
  systemPromptFor,
} from './memory-context.ts';
export { type AgentMemory, JOURNAL_WINDOW_MS } from './shown-memory.ts';
