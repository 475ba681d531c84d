import { z } from 'zod';
import { DEFAULT_AGENT } from '../conversation/participants.ts';
import type { Services } from '../services.ts';
import * as field from './fields.ts';
import { defineOperation } from './operation.ts';

/** What a page that edits an agent offers. The library takes any colour and icon; these are the ones that pages know. */
const COLOURS = ['slate', 'red', 'orange', 'amber', 'green', 'teal', 'blue', 'violet', 'pink', 'brown'];
const ICONS = [
  ...['bot', 'brain', 'book-open', 'compass', 'feather', 'flask', 'globe', 'hammer', 'heart', 'leaf'],
  ...['lightbulb', 'map', 'message-circle', 'pen', 'rocket', 'scale', 'search', 'shield', 'sparkles', 'star'],
];

const model = z.object({
  model_id: field.text('What to give an agent as its model_id.'),
  label: field.text('How the model is called for people.'),
});

const tool = z.object({
  name: field.text('What to put into enabled_tools.'),
  title: field.text('How the tool is called for people.'),
  description: field.text('The description that the model reads.'),
  source: field.choice(['memory', 'mcp'], 'Whether it works on the memory, or belongs to an MCP server.'),
  is_default: field.flag('Whether an agent has it without being told so.'),
});

export const agentOptionOperations = {
  agentOptions: defineOperation({
    summary: 'What an agent can be given: models by provider, tools, colours, icons.',
    input: z.strictObject({
      agent_id: field.agentId.exactOptional().describe('Whose MCP tools; those of `default` when left out.'),
    }),
    output: z.object({
      grouped_models: z
        .record(z.string(), z.array(model))
        .describe('The models of the settings, by their provider; the first is used when none is chosen.'),
      available_tools: z.array(tool).describe('The tools, in the order in which a model sees them.'),
      colour_options: field.texts('Colours to show an agent in.'),
      icon_options: field.texts('Signs to show an agent with.'),
    }),
    http: { method: 'GET', path: '/api/agents/options' },
    example: { request: {} },
    access: 'read',
    run: async ({ agent_id = DEFAULT_AGENT }, { services, memory }) => {
      // Refuses an agent that the caller may not reach.
      await memory.agent(agent_id);
      const { OPTIONAL_TOOLS, TOOLS } = await import('longhand/tools');
      const extra = await services.conversations.extraTools(agent_id);
      return {
        grouped_models: groupedModels(services.config),
        available_tools: [
          ...[...TOOLS, ...OPTIONAL_TOOLS].map((tool) => ({
            ...{ name: tool.name, title: tool.title, description: tool.description },
            ...{ source: 'memory' as const, is_default: TOOLS.includes(tool) },
          })),
          ...extra.map(({ name, description }) => ({
            ...{ name, title: name, description, source: 'mcp' as const, is_default: true },
          })),
        ],
        colour_options: COLOURS,
        icon_options: ICONS,
      };
    },
  }),
};

function groupedModels({ openai, anthropic, agent }: Services['config']) {
  const modelsOf = (first: string) =>
    [...new Set([first, ...agent.models])].map((name) => ({ model_id: name, label: name }));
  if (openai.model !== undefined) return { 'OpenAI-compatible': modelsOf(openai.model) };
  if (anthropic.model !== undefined) return { Anthropic: modelsOf(anthropic.model) };
  return { Demo: [{ model_id: 'demo', label: 'Demo: needs no key' }] };
}
