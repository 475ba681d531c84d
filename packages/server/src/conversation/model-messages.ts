import type { ModelMessage } from 'ai';
import type { Message } from 'longhand';
import type { ChatImage } from './chat.ts';

/** A prompt as the AI SDK takes it: what the system says apart from the rest. */
export interface ModelPrompt {
  readonly instructions: string | undefined;
  readonly messages: ModelMessage[];
}

/** Who is asked, and with what. */
interface PromptReader {
  readonly agentId: string;
  /** Whose the assistant's messages are that have no name, as clients archive them. */
  readonly firstAgentId: string;
  readonly images: readonly ChatImage[];
}

/**
 * Assembled messages in the AI SDK's shape. To a model “assistant” is itself: what other agents said is shown as
 * said by them, with their names.
 */
export function toModelPrompt(
  messages: readonly Message[],
  { agentId, firstAgentId, images }: PromptReader,
): ModelPrompt {
  const [first] = messages;
  const hasSystem = first?.role === 'system';
  const names = new Map<string, string>();
  const prompt: ModelMessage[] = [];
  for (const message of hasSystem ? messages.slice(1) : messages) {
    for (const { id, name } of message.tool_calls ?? []) names.set(id, name);
    const speaker = message.role === 'assistant' ? { name: firstAgentId } : {};
    prompt.push(toModelMessage({ ...speaker, ...message }, agentId, names));
  }
  attach(prompt, images);
  return { instructions: hasSystem ? first.content : undefined, messages: prompt };
}

function toModelMessage(
  { role, content, name, tool_calls = [], tool_call_id = '' }: Message,
  agentId: string,
  toolNames: ReadonlyMap<string, string>,
): ModelMessage {
  switch (role) {
    case 'assistant':
      if (name !== undefined && name !== agentId) return { role: 'user', content: `${name}: ${content}` };
      if (tool_calls.length === 0) return { role, content };
      return {
        role,
        content: [
          ...(content === '' ? [] : [{ type: 'text' as const, text: content }]),
          ...tool_calls.map((call) => ({
            type: 'tool-call' as const,
            toolCallId: call.id,
            toolName: call.name,
            input: call.arguments,
          })),
        ],
      };
    case 'tool':
      return {
        role,
        content: [
          {
            type: 'tool-result',
            toolCallId: tool_call_id,
            toolName: toolNames.get(tool_call_id) ?? 'unknown',
            output: { type: 'text', value: content },
          },
        ],
      };
    // Only the assembler writes a system message, and it comes first.
    case 'system':
    case 'user':
      return { role: 'user', content: name === undefined ? content : `${name}: ${content}` };
  }
}

/** Pictures belong to what the user said last. */
function attach(prompt: ModelMessage[], images: readonly ChatImage[]): void {
  if (images.length === 0) return;
  const at = prompt.findLastIndex(({ role }) => role === 'user');
  const message = prompt[at];
  if (message?.role !== 'user') return;
  const text = typeof message.content === 'string' ? message.content : '';
  prompt[at] = {
    role: 'user',
    content: [
      { type: 'text', text },
      ...images.map(({ data, media_type }) => ({ type: 'file' as const, data, mediaType: media_type })),
    ],
  };
}
