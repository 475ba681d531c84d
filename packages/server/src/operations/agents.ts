import { LIMITS } from 'longhand';
import { z } from 'zod';
import { checkAccess } from './access.ts';
import { agentOptionOperations } from './agent-options.ts';
import { camelCased } from './camel-case.ts';
import * as field from './fields.ts';
import { agentMemoryIdFrom } from './names.ts';
import { defineOperation } from './operation.ts';
import { pageOf } from './page.ts';

const AGENTS = '/api/agents';
const ONE = `${AGENTS}/{agent_id}`;
const MEMORIES = `${ONE}/memories`;
const ONE_MEMORY = `${MEMORIES}/{memory_id}`;

/** Of a search, page by page. */
const MOST_FOUND = 1_000;

const oneAgent = z.strictObject({ agent_id: field.agentId });
const oneMemory = oneAgent.extend({ memory_id: field.word('Names a memory.', 64) });

const changes = z.strictObject({
  system_prompt: field.nullableText('What the agent is told first; null: only its name.').exactOptional(),
  model_id: field
    .nullableText('The model that the agent uses; null: that of the configuration.')
    .exactOptional(),
  model_label: field.nullableText('How the model is called for people.').exactOptional(),
  enabled_tools: z
    .array(z.string().min(1).max(64))
    .exactOptional()
    .describe(
      'Exactly the tools that the agent may use, those of MCP servers too; `*` stands for all tools of MCP servers. When left out of a new agent: those of the memory, and `*`.',
    ),
  active: field.flag('Whether the agent takes part in conversations.').exactOptional(),
  share_memory: field
    .flag('Whether what it saves from now on, in whatever conversation, is shown to every user.')
    .exactOptional(),
  colour: field.nullableText('A colour to show the agent in.').exactOptional(),
  icon: field.nullableText('A sign to show the agent with.').exactOptional(),
});

const shareMemory = field.flag('Agent-wide, or not: for admins to say.').exactOptional();

const agent = z.object({
  id: field.text('Names it.'),
  name: field.text('Its name.'),
  system_prompt: field.nullableText('What the agent is told first; null: only its name.'),
  model_id: field.nullableText('The model that the agent uses; null: that of the configuration.'),
  model_label: field.nullableText('How the model is called for people.'),
  enabled_tools: field.texts('The tools that the agent may use; `*`: all of MCP servers.'),
  active: field.flag('Whether the agent takes part in conversations.'),
  share_memory: field.flag('Whether every user is shown what the agent saves, or this memory of it.'),
  colour: field.nullableText('A colour to show the agent in.'),
  icon: field.nullableText('A sign to show the agent with.'),
  created_at: field.createdAt,
  updated_at: field.updatedAt,
  memories_count: z
    .object({
      core: field.integer('How many in the core.'),
      journal: field.integer('How many in the journal.'),
    })
    .describe('How many memories the agent has of its own.'),
});

const agentMemory = z.object({
  id: field.text('Names it.'),
  agent_id: field.agentName,
  memory_type: field.choice(['journal', 'core'], 'The kind of the memory.'),
  content: field.text('The text.'),
  created_at: field.createdAt,
  updated_at: field.updatedAt,
  pinned: field.flag('Whether it stays in the prompt for good.'),
  expired: field.flag('Whether it has faded from the prompt.'),
  share_memory: field.flag('Whether it is agent-wide: shown to every user.'),
  provenance: field.provenance,
});

const EXAMPLE_AGENT: z.input<typeof agent> = {
  id: 'scout',
  name: 'scout',
  system_prompt: 'You look things up.',
  model_id: null,
  model_label: null,
  enabled_tools: ['search_memory', 'store_memory'],
  active: true,
  share_memory: false,
  colour: null,
  icon: null,
  created_at: '2026-11-16T09:31:00.000Z',
  updated_at: '2026-11-16T09:31:00.000Z',
  memories_count: { core: 0, journal: 0 },
};

const EXAMPLE_MEMORY: z.input<typeof agentMemory> = {
  id: 'amem_short',
  agent_id: 'scout',
  memory_type: 'core',
  content: 'I answer in one sentence.',
  created_at: '2026-11-16T09:32:00.000Z',
  updated_at: '2026-11-16T09:32:00.000Z',
  pinned: false,
  expired: false,
  share_memory: true,
  provenance: { author: 'user', trust: 'owner' },
};

/**
 * Agents belong to the account, not to a user: a change applies to all users. Of their memories, each user reaches
 * their own and reads the agent-wide ones; the library decides which those are.
 */
export const agentOperations = {
  ...agentOptionOperations,
  listAgents: defineOperation({
    summary: 'The agents of the account, by name.',
    input: z.strictObject(field.page),
    output: field.paged('agents', agent, 'The agents, by name.'),
    http: { method: 'GET', path: AGENTS },
    example: { request: { limit: 20 }, after: ['createAgent'], answer: { agents: [EXAMPLE_AGENT] } },
    access: 'read',
    run: async (input, { memory }) => {
      const list = await (await memory.agents()).list();
      return pageOf('agents', list, ({ id }) => id, input);
    },
  }),
  createAgent: defineOperation({
    summary: 'Make an agent. Its name is its id.',
    input: changes.extend({
      name: field.agentId.refine((name) => name !== 'options', 'is an address of its own: choose another'),
    }),
    output: agent,
    http: { method: 'POST', path: AGENTS, status: 201 },
    example: {
      request: {
        name: 'scout',
        system_prompt: 'You look things up.',
        enabled_tools: ['search_memory', 'store_memory'],
      },
      answer: EXAMPLE_AGENT,
    },
    access: 'admin',
    run: async (input, { memory }) => (await memory.agents()).create(input),
  }),
  getAgent: defineOperation({
    summary: 'One agent, with its settings.',
    input: oneAgent,
    output: agent,
    http: { method: 'GET', path: ONE },
    example: { request: { agent_id: 'scout' }, after: ['createAgent'], answer: EXAMPLE_AGENT },
    access: 'read',
    run: async ({ agent_id }, { memory }) => (await memory.agent(agent_id)).get(),
  }),
  updateAgent: defineOperation({
    summary: 'Change what is named of an agent, and leave the rest.',
    input: changes.extend(oneAgent.shape),
    output: agent,
    http: { method: 'PATCH', path: ONE },
    example: {
      request: { agent_id: 'scout', system_prompt: 'You look things up, and name your sources.' },
      after: ['createAgent'],
      answer: { ...EXAMPLE_AGENT, system_prompt: 'You look things up, and name your sources.' },
    },
    access: 'admin',
    run: async ({ agent_id, ...input }, { memory }) => (await memory.agent(agent_id)).update(input),
  }),
  deleteAgent: defineOperation({
    summary: 'Remove an agent with its journal, core and notes on all users. For keys that speak for all.',
    input: oneAgent,
    output: z.object({ agent_id: field.agentName, deleted: field.gone }),
    http: { method: 'DELETE', path: ONE },
    example: {
      request: { agent_id: 'old-scout' },
      first: [{ operation: 'createAgent', request: { name: 'old-scout' } }],
      answer: { agent_id: 'old-scout', deleted: true },
    },
    access: 'admin',
    run: async ({ agent_id }, caller) => {
      const bound = await caller.memory.agent(agent_id);
      await bound.get();
      // Only now: an agent that the caller cannot reach is not there for it.
      checkAccess(caller, { access: 'admin', isForAllUsers: true });
      await bound.delete();
      return { agent_id, deleted: true as const };
    },
  }),
  listAgentMemories: defineOperation({
    summary:
      'The journal and core of an agent that the caller may see, newest first; those that a text asks for, best first.',
    input: oneAgent.extend({
      text: field.word('What to search for.', LIMITS.queryCharacters).exactOptional(),
      type: z.enum(['journal', 'core']).exactOptional().describe('Only the journal, or only the core.'),
      include_expired: field.flag('Also what has faded from the prompt.').default(true),
      ...field.page,
    }),
    output: field.paged(
      'memories',
      agentMemory.extend({ match: field.match.exactOptional() }),
      'The memories, best or newest first.',
    ),
    http: { method: 'GET', path: MEMORIES },
    example: {
      request: { agent_id: 'scout', type: 'core' },
      after: ['createAgent', 'addAgentMemory'],
      answer: { memories: [EXAMPLE_MEMORY] },
    },
    access: 'read',
    run: async ({ agent_id, text, limit, cursor, ...filter }, { memory }) => {
      const journal = await memory.journalOf(agent_id);
      const options = camelCased(filter);
      const list =
        text === undefined
          ? await journal.list(options)
          : await journal.search(text, { ...options, limit: MOST_FOUND });
      return pageOf('memories', list, ({ id }) => id, { limit, cursor });
    },
  }),
  addAgentMemory: defineOperation({
    summary:
      'Save to the journal or the core of an agent: for every user as an admin, else for the own user.',
    input: oneAgent.extend({
      memory_type: field.choice(['journal', 'core'], 'The kind of the memory.'),
      content: field.text('The text.'),
      timestamp: field.timestamp.exactOptional(),
      id: field.memoryId
        .exactOptional()
        .describe('Made when left out. Saving under it again changes nothing.'),
      share_memory: shareMemory,
    }),
    output: agentMemory,
    http: { method: 'POST', path: MEMORIES, status: 201 },
    example: {
      request: {
        agent_id: 'scout',
        memory_type: 'core',
        content: 'I answer in one sentence.',
        id: 'amem_short',
      },
      after: ['createAgent'],
      answer: EXAMPLE_MEMORY,
    },
    access: 'write',
    named: (input, token) => ({ id: agentMemoryIdFrom(token), ...input }),
    run: async ({ agent_id, memory_type, content, ...options }, { memory }) => {
      const journal = await memory.journalOf(agent_id);
      return journal.save(memory_type, content, { ...camelCased(options), provenance: { author: 'user' } });
    },
  }),
  getAgentMemory: defineOperation({
    summary: 'One memory of an agent, with its earlier texts.',
    input: oneMemory,
    output: agentMemory.extend({
      history: z
        .array(
          z.object({
            content: field.text('The text.'),
            replaced_at: field.text('Until when it was the text, ISO 8601.'),
          }),
        )
        .readonly()
        .describe('Earlier texts, oldest first.'),
    }),
    http: { method: 'GET', path: ONE_MEMORY },
    example: {
      request: { agent_id: 'scout', memory_id: 'amem_short' },
      after: ['createAgent', 'addAgentMemory'],
      answer: { ...EXAMPLE_MEMORY, history: [] },
    },
    access: 'read',
    run: async ({ agent_id, memory_id }, { memory }) => {
      const journal = await memory.journalOf(agent_id);
      return { ...(await journal.get(memory_id)), history: await journal.history(memory_id) };
    },
  }),
  updateAgentMemory: defineOperation({
    summary: 'Edit, pin or unpin a memory of an agent, or move it to the core.',
    input: oneMemory.extend({
      content: field.text('The text.').exactOptional(),
      pinned: field.flag('Whether it stays in the prompt for good.').exactOptional(),
      memory_type: z.literal('core').exactOptional().describe('The kind of the memory.'),
      share_memory: shareMemory,
    }),
    output: agentMemory,
    http: { method: 'PATCH', path: ONE_MEMORY },
    example: {
      request: { agent_id: 'scout', memory_id: 'amem_short', content: 'I answer in two sentences.' },
      after: ['createAgent', 'addAgentMemory'],
      answer: { ...EXAMPLE_MEMORY, content: 'I answer in two sentences.' },
    },
    access: 'write',
    run: async ({ agent_id, memory_id, content, pinned, memory_type, share_memory }, { memory }) => {
      const journal = await memory.journalOf(agent_id);
      if (share_memory !== undefined) await journal.share(memory_id, share_memory);
      if (content !== undefined) await journal.edit(memory_id, content);
      if (pinned !== undefined) await journal.pin(memory_id, pinned);
      if (memory_type !== undefined) await journal.moveToCore(memory_id);
      return journal.get(memory_id);
    },
  }),
  deleteAgentMemory: defineOperation({
    summary: 'Take a memory of an agent out of every file.',
    input: oneMemory,
    output: z.object({ id: field.text('Names it.'), deleted: field.gone }),
    http: { method: 'DELETE', path: ONE_MEMORY },
    example: {
      request: { agent_id: 'scout', memory_id: 'amem_old' },
      after: ['createAgent'],
      first: [
        {
          operation: 'addAgentMemory',
          request: { agent_id: 'scout', memory_type: 'journal', content: 'It rained.', id: 'amem_old' },
        },
      ],
      answer: { id: 'amem_old', deleted: true },
    },
    access: 'write',
    run: async ({ agent_id, memory_id }, { memory }) => {
      const journal = await memory.journalOf(agent_id);
      await journal.get(memory_id);
      await journal.forget([memory_id]);
      return { id: memory_id, deleted: true as const };
    },
  }),
};
