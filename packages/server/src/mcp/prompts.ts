import { completable, type GetPromptResult } from '@modelcontextprotocol/server';
import { teachMemoryRefs } from 'longhand';
import { refusedInput } from 'longhand/tools';
import { z } from 'zod';
import { agentOfPrompt } from '../operations/access.ts';
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
  caller: McpCaller,
  { topic, session, budgetTokens }: Wanted,
): Promise<GetPromptResult> {
  const { memory } = caller;
  const { agent_id } = memory.principal;
  const agent = agent_id === undefined ? undefined : await agentOfPrompt(caller, agent_id);
  const request = {
    session,
    messages: topic === '' ? [] : [{ role: 'user' as const, content: topic }],
    recallWithoutWords: true,
    ...(agent === undefined ? {} : { agent: agent.id }),
  };
  const { messages, manifest } = await memory.assembleContext({
    ...request,
    ...(budgetTokens === undefined ? {} : { budget: Number(budgetTokens) }),
  });
  // The client's model has a name of its own: an agent without a system prompt has nothing to say about that.
  const opening = agent !== undefined && !agent.system_prompt?.trim() ? `You are ${agent.name}.` : '';
  const holdsMemory = manifest.pieces.some(isRemembered);
  const shown = messages
    // Without anything remembered, an agent that has no prompt of its own has nothing to teach either.
    .filter(({ role }) => role !== 'system' || holdsMemory || opening === '')
    .map(({ role, content }) => {
      const text = role === 'system' && content.startsWith(opening) ? content.slice(opening.length) : content;
      return { role, text: text.trim() };
    })
    .filter(({ role, text }) => text !== '' && role !== 'tool')
    // A prompt knows two roles; what speaks with the system's voice elsewhere is given by the user here.
    .map(({ role, text }) => say(role === 'assistant' ? 'assistant' : 'user', text));
  const description = `${manifest.total} of ${manifest.budget} tokens, from session ${session}`;
  if (holdsMemory) return { description, messages: shown };
  // The topic comes back as the last message. Alone, it would look as if nothing had been searched.
  const enough = manifest.near_misses.some(isRemembered)
    ? await enoughTokens(manifest.budget, async (budget) =>
        // At a moment that is named, so that nothing counts as used.
        (await memory.assembleContext({ ...request, budget, now: manifest.now })).manifest.pieces.some(
          isRemembered,
        ),
      )
    : undefined;
  const notice =
    enough === undefined
      ? `Nothing is remembered ${topic === '' ? '' : 'about this '}yet.`
      : `What is remembered does not fit into ${manifest.budget} tokens. ${enough} would do for the best of it: ask ` +
        `again with budget_tokens ${enough}.`;
  return { description, messages: [say('user', notice), ...shown] };
}

const REMEMBERED: ReadonlySet<string> = new Set([
  'private-memory',
  'notes',
  'summary',
  'standing',
  'conversation',
  'memories',
  'details',
  'placeholders',
]);

function isRemembered({ section }: { readonly section: string }): boolean {
  return REMEMBERED.has(section);
}

const MOST_TOKENS = 1_048_576;

/** A budget above the one that was too small, found by doubling; `undefined` when none does. */
async function enoughTokens(
  tooFew: number,
  isEnough: (budget: number) => Promise<boolean>,
): Promise<number | undefined> {
  for (let budget = tooFew * 2; budget <= MOST_TOKENS; budget *= 2) if (await isEnough(budget)) return budget;
  return undefined;
}

function say(role: 'user' | 'assistant', text: string): GetPromptResult['messages'][number] {
  return { role, content: { type: 'text', text } };
}
