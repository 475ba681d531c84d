import { join } from 'node:path';
import type { PostgresCalls } from 'longhand/postgres';
import type { ServerConfig } from '../config/server-config.ts';
import type { OpenRedis } from '../open-store.ts';
import { makePrivateFolder } from '../private-folder.ts';
import type { ConversationListener } from './conversation-event.ts';
import { Conversations } from './conversations.ts';
import { McpTools } from './mcp-tools.ts';
import { modelSummariser } from './model-summariser.ts';
import { type ModelSettings, Models } from './providers.ts';
import { SharedTurns } from './shared-turns.ts';
import { Spool } from './spool.ts';

const MS_PER_SECOND = 1_000;

interface ConversationsSetUp {
  /** Where servers on one database find each other. */
  readonly calls?: PostgresCalls | undefined;
  /** Where they tell each other what is new. */
  readonly news?: OpenRedis['news'] | undefined;
  readonly onEvent?: ConversationListener;
}

/** Conversations as the configuration wants them. Takes over what an earlier process left in the spool. */
export function openConversations(
  config: ServerConfig,
  { calls, news, onEvent }: ConversationsSetUp = {},
): Conversations {
  const { stateFolder, durability, agent } = config;
  const { spool: spoolKind, ...writeBehind } = config.writeBehind;
  const listener = onEvent === undefined ? {} : { onEvent };
  if (!makePrivateFolder(stateFolder)) onEvent?.({ kind: 'permissions-too-wide', path: stateFolder });
  const spool = Spool.open({
    directory: spoolFolder(config),
    ...(durability === undefined ? {} : { durability }),
    ...listener,
  });
  const summaryModel = summaryModelSettings(config);
  const mcp = new McpTools(agent.mcpServers ?? {}, {
    timeoutMs: agent.timeoutSeconds * MS_PER_SECOND,
    onFailed: (server, code) => onEvent?.({ kind: 'mcp-server-failed', server, code }),
  });
  return new Conversations({
    spool,
    shared: calls && new SharedTurns(calls, spool.owner, news),
    news,
    archivesEachTurn: spoolKind === 'postgres',
    models: new Models(modelSettings(config)),
    toolsFor: (agentId) => mcp.for(agentId),
    isExtraTool: (name) => mcp.mayOffer(name),
    onClose: () => mcp.close(),
    hidesModel: config.auth.enabled,
    ...(summaryModel === undefined ? {} : { summariser: modelSummariser(new Models(summaryModel)) }),
    limits: { maxSteps: agent.maxSteps, stepTimeoutMs: agent.timeoutSeconds * MS_PER_SECOND },
    ...writeBehind,
    ...listener,
  });
}

/** Where this server keeps its spool. */
export function spoolFolder({ stateFolder }: Pick<ServerConfig, 'stateFolder'>): string {
  return join(stateFolder, 'spool');
}

/** The model that answers; the demo when none is named. */
export function modelSettings({ openai, anthropic }: ServerConfig): ModelSettings {
  if (openai.model !== undefined) {
    const { model, baseURL, apiKey } = openai;
    return { provider: 'openai-compatible', model, baseURL, apiKey };
  }
  if (anthropic.model === undefined) return { provider: 'demo' };
  const { model, baseURL, apiKey } = anthropic;
  return { provider: 'anthropic', model, baseURL, apiKey };
}

/** The model that writes summaries: one of its own, or the one that answers. None with the demo: it cannot. */
export function summaryModelSettings(config: ServerConfig): ModelSettings | undefined {
  const { summaryModel, summaryBaseURL, summaryApiKey, model } = config.openai;
  const named = summaryModel ?? model;
  if (named !== undefined) {
    return { provider: 'openai-compatible', model: named, baseURL: summaryBaseURL, apiKey: summaryApiKey };
  }
  const answering = modelSettings(config);
  return answering.provider === 'demo' ? undefined : answering;
}
