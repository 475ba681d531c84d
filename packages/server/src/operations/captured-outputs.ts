import { IOError, isMemoryTool, type Message, type ScopedMemory, SizeLimitError } from 'longhand';

/**
 * The messages of a turn with large outputs of tools kept as details: what the model sees of each is the line that
 * stands for it. What a tool of the memory gave is in the store already, and one that cannot be kept stays as it is.
 */
export async function capturedOutputs<Given extends Message>(
  memory: ScopedMemory,
  sessionId: string,
  messages: readonly Given[],
  agentId: string | undefined,
): Promise<readonly Given[]> {
  const names = new Map(
    messages.flatMap(({ tool_calls = [] }) => tool_calls.map(({ id, name }) => [id, name])),
  );
  const shown: Given[] = [];
  let asked: string | undefined;
  for (const message of messages) {
    const { role, id, content, tool_call_id: callId = '' } = message;
    if (role === 'user') asked = id;
    const toolName = names.get(callId) ?? message.name;
    const isOwn = isMemoryTool(toolName);
    if (role !== 'tool' || isOwn) {
      shown.push(message);
      continue;
    }
    try {
      const { text } = await memory.captureToolOutput(sessionId, {
        output: content,
        callId,
        ...(agentId === undefined ? {} : { agentId }),
        ...(toolName ? { toolName } : {}),
        ...(asked === undefined ? {} : { messageId: asked }),
      });
      shown.push({ ...message, content: text });
    } catch (error) {
      if (!(error instanceof SizeLimitError || error instanceof IOError)) throw error;
      shown.push(message);
    }
  }
  return shown;
}
