import {
  type GetPromptResult,
  type McpServer,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server';
import { LonghandError, teachMemoryRefs } from 'longhand';
import { z } from 'zod';
import { clientName, type McpCaller, sessionToRead } from './caller.ts';

/** What a person picks from the menu of their client. */
export function registerPrompts(server: McpServer, caller: McpCaller): void {
  server.registerPrompt(
    'load_context',
    {
      title: 'Load what I remember',
      description:
        'Brings what is remembered into this conversation: private memory, notes, and the memories that matter for a topic.',
      argsSchema: z.object({
        topic: z.string().optional().describe('What the conversation is about'),
        session_id: z.string().optional().describe('Go on with this session: its summary and last messages'),
        budget_tokens: z
          .string()
          .regex(/^\d{1,7}$/)
          .optional()
          .describe('At most so many tokens'),
      }),
    },
    async ({ topic = '', session_id, budget_tokens }, context) => {
      const session = session_id ?? (await sessionToRead(caller, clientName(server, context)));
      if (session === undefined) return NOTHING;
      return loadContext(caller, { topic, session, budgetTokens: budget_tokens }).catch(asParams);
    },
  );
  server.registerPrompt(
    'teach_placeholders',
    {
      title: 'Teach memory placeholders',
      description:
        'Tells the model what [MemoryRef: …] placeholders are and how to get at what they stand for.',
    },
    () => ({ messages: [say('user', teachMemoryRefs())] }),
  );
}

const NOTHING: GetPromptResult = { messages: [say('user', 'Nothing is remembered yet.')] };

interface Wanted {
  readonly topic: string;
  readonly session: string;
  readonly budgetTokens: string | undefined;
}

async function loadContext(
  { memory, mayWrite = true }: McpCaller,
  { topic, session, budgetTokens }: Wanted,
): Promise<GetPromptResult> {
  const { agent_id } = memory.principal;
  const bound = agent_id === undefined ? undefined : await memory.agent(agent_id);
  const agent = mayWrite ? await bound?.ensure() : await bound?.find();
  const { messages, manifest } = await memory.assembleContext({
    session,
    messages: topic === '' ? [] : [{ role: 'user', content: topic }],
    ...(agent === undefined ? {} : { agent: agent.id }),
    ...(budgetTokens === undefined ? {} : { budget: Number(budgetTokens) }),
  });
  // The client's model has a name of its own: an agent without a system prompt has nothing to say about that.
  const opening = agent !== undefined && !agent.system_prompt?.trim() ? `You are ${agent.name}.` : '';
  const shown = messages
    .map(({ role, content }) => {
      const text = role === 'system' && content.startsWith(opening) ? content.slice(opening.length) : content;
      return { role, text: text.trim() };
    })
    .filter(({ role, text }) => text !== '' && role !== 'tool')
    // A prompt knows two roles; what speaks with the system's voice elsewhere is given by the user here.
    .map(({ role, text }) => say(role === 'assistant' ? 'assistant' : 'user', text));
  const description = `${manifest.total} of ${manifest.budget} tokens, from session ${session}`;
  if (shown.length === 0) return { ...NOTHING, description };
  return { description, messages: shown };
}

/** What is wrong with the arguments is the caller's to mend, and no trouble of the server. */
function asParams(error: unknown): never {
  const isTheirs =
    LonghandError.isInstance(error) && ['NotFoundError', 'ValidationError'].includes(error.name);
  throw isTheirs ? new ProtocolError(ProtocolErrorCode.InvalidParams, error.message) : error;
}

function say(role: 'user' | 'assistant', text: string): GetPromptResult['messages'][number] {
  return { role, content: { type: 'text', text } };
}
