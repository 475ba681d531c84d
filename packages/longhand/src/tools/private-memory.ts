import { z } from 'zod';
import { parseAgentMemoryContent, WHITEBOARD } from '../core/agent-memory.ts';
import { type AgentMemory, JOURNAL_WINDOW_MS } from '../layers/journal/index.ts';
import { defineTool, type Tool } from './tool.ts';
import type { ToolScope } from './tool-scope.ts';

/** Said by contract when a tool that works on an agent's private memory is called for none. */
const NO_AGENT = { error: 'This tool only works in group conversations', code: 'SCOPE_MISSING' };

const SAVED = { success: z.boolean(), memory_type: z.string(), content: z.string(), memory_id: z.string() };
const APPENDS = { readOnlyHint: false, destructiveHint: false, idempotentHint: false };

export const saveToJournal: Tool = defineTool({
  name: 'save_to_journal',
  title: 'Save to journal',
  description:
    'Save a memory to your personal journal. Journal entries are temporary and will fade after about a week. ' +
    'Use this for observations, insights, or things you want to remember in the short term.',
  input: z.strictObject({
    content: z.string().describe('The memory to save (keep it concise, under a paragraph)'),
  }),
  output: { ...SAVED, expires_around: z.string() },
  annotations: APPENDS,
  run: async ({ content }, scope) => {
    if (scope.agentId === undefined) return NO_AGENT;
    const memory = await save(scope.agentId, 'journal', content, scope);
    const expiresMs = Date.parse(memory.created_at) + JOURNAL_WINDOW_MS;
    return {
      ...saved(memory),
      expires_around: new Date(expiresMs).toISOString().slice(0, 'YYYY-MM-DD'.length),
    };
  },
});

export const saveToCore: Tool = defineTool({
  name: 'save_to_core',
  title: 'Save to core memory',
  description:
    'Save a memory to your core identity. Core memories are permanent and define who you are. ' +
    'Use sparingly for fundamental beliefs, key learnings, or essential information about yourself.',
  input: z.strictObject({
    content: z.string().describe('The core memory to save (keep it concise and meaningful)'),
  }),
  output: { ...SAVED, note: z.string() },
  annotations: APPENDS,
  run: async ({ content }, scope) => {
    if (scope.agentId === undefined) return NO_AGENT;
    const memory = await save(scope.agentId, 'core', content, scope);
    return { ...saved(memory), note: 'This memory is now part of your permanent identity' };
  },
});

export const saveToWhiteboard: Tool = defineTool({
  name: 'save_to_whiteboard',
  title: 'Save to the whiteboard',
  description:
    'Write a line on the whiteboard that you share with the other agents: all of you see it in your next conversations ' +
    'with this user. Use it for what the others must know: who works on what, what was agreed.',
  input: z.strictObject({
    content: z.string().describe('The line to write (keep it concise, under a paragraph)'),
  }),
  output: { success: z.boolean(), content: z.string(), memory_id: z.string() },
  annotations: APPENDS,
  run: async ({ content }, scope) => {
    if (scope.agentId === undefined) return NO_AGENT;
    const { id, content: written } = await save(scope.agentId, 'core', content, scope, WHITEBOARD);
    return { success: true, content: written, memory_id: id };
  },
});

/** @param target whose memory it becomes: the agent's own, or the whiteboard */
async function save(
  agentId: string,
  type: AgentMemory['memory_type'],
  content: string,
  { layers, userId, sessionId, messageId }: ToolScope,
  target: string = agentId,
): Promise<AgentMemory> {
  // First: a call that is refused must not leave an agent behind.
  parseAgentMemoryContent(content);
  await layers.agents.ensure(target);
  const provenance = {
    author: 'assistant',
    trust: 'agent',
    agent_id: agentId,
    source: target === agentId ? `save_to_${type}` : 'save_to_whiteboard',
    // A client's ids of messages are its own: which message it is, only the session tells.
    ...(sessionId === undefined || messageId === undefined ? {} : { message_id: messageId }),
    ...(sessionId === undefined ? {} : { session_id: sessionId }),
    ...(userId === undefined ? {} : { user_id: userId }),
  } as const;
  return layers.journal.save(target, type, content, { provenance });
}

function saved({ id, memory_type, content }: AgentMemory) {
  return { success: true, memory_type, content, memory_id: id };
}
