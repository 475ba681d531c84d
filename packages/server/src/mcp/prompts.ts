import { completable, type GetPromptResult } from '@modelcontextprotocol/server';
import { teachMemoryRefs } from 'longhand';
import { refusedInput } from 'longhand/tools';
import { z } from 'zod';
import { clientName, type McpCaller, sessionToRead } from './caller.ts';
import { describedOnly } from './described-only.ts';
import { asProtocolError, type PlainMcpServer, refused } from './plain-errors.ts';

/** A prompt's arguments are texts, whatever they say. */
function loadingArguments({ memory }: McpCaller) {
  const sessionId = z.string().describe('Go on with this session: its summary and last messages');
  return z.strictObject({
    topic: z.string().optional().describe('What the conversation is about; without it, what matters most'),
    session_id: completable(sessionId, async (begun) =>
      (await memory.listSessions()).map(({ id }) => id).filter((id) => id.startsWith(begun)),
    ).optional(),
    budget_tokens: z
      .string()
      .regex(/^\d{1,7}$/, 'must be a whole number, such as 2000')
      .optional()
      .describe('At most so many tokens, such as 2000'),
  });
}

/** What a person picks from the menu of their client. */
export function registerPrompts(server: PlainMcpServer, caller: McpCaller): void {
  for (const name of ['load_context', 'teach_placeholders']) server.offers('Prompt', name);
  const loading = loadingArguments(caller);
  server.registerPrompt(
    'load_context',
    {
      title: 'Load what I remember',
      description:
        'Brings what is remembered into this conversation: private memory, notes, and the memories that matter for a ' +
        'topic, or without one those that matter most.',
      argsSchema: describedOnly(loading),
    },
    async (given, context) => {
      const parsed = loading.safeParse(given);
      if (!parsed.success) throw refused(refusedInput(parsed.error, loading));
      const { topic = '', session_id, budget_tokens } = parsed.data;
      const session = session_id ?? (await sessionToRead(caller, clientName(server, context)));
      if (session === undefined) return NOTHING;
      return loadContext(caller, { topic, session, budgetTokens: budget_tokens }).catch((error) => {
        throw asProtocolError(error);
      });
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
    recallWithoutWords: true,
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
  // The topic comes back as the last message. Alone, it would look as if nobody had looked.
  if (topic !== '' && shown.length === 1) shown.unshift(say('user', 'Nothing is remembered about this yet.'));
  return { description, messages: shown };
}

function say(role: 'user' | 'assistant', text: string): GetPromptResult['messages'][number] {
  return { role, content: { type: 'text', text } };
}
