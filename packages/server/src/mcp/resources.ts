import {
  type Annotations,
  type ListResourcesResult,
  type McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  type Resource,
  ResourceTemplate,
} from '@modelcontextprotocol/server';
import { LonghandError } from 'longhand';
import { agentIdsOf } from '../operations/access.ts';
import type { McpCaller } from './caller.ts';

/**
 * The memory's texts, for clients that show resources to people: notes and core memory of an agent, a session's
 * conversation and memories, a large value. Each kind is a template; what there is of it is listed page by page.
 */

const PAGE = 100;
const MARKDOWN = 'text/markdown';
const JSON_TYPE = 'application/json';
const PLAIN = 'text/plain';
/** What one resource shows of a session; the rest is there for those who search. */
const SHOWN_MESSAGES = 200;
const SHOWN_MEMORIES = 500;

interface ResourceKind {
  readonly name: string;
  readonly template: string;
  readonly title: string;
  readonly description: string;
  readonly mimeType: string;
  /** How much of what a conversation needs stands in one of them, from 0 to 1. */
  readonly priority: number;
  /** Those that are there. */
  list(caller: McpCaller): Promise<readonly Named[]>;
  read(caller: McpCaller, id: string): Promise<string>;
}

interface Named {
  readonly id: string;
  readonly title: string;
  readonly description?: string;
  readonly size?: number;
}

const NOTES: ResourceKind = {
  name: 'notes',
  template: 'memory://notes/{agent}',
  title: 'Notes',
  description: 'What an agent has noted about you: one Markdown document.',
  mimeType: MARKDOWN,
  priority: 0.9,
  list: async ({ memory }) => (await agentIdsOf(memory)).map((id) => ({ id, title: `Notes of ${id}` })),
  read: async ({ memory }, agent) => (await (await memory.notesOf(agent)).read()).text,
};

const CORE: ResourceKind = {
  name: 'core',
  template: 'memory://core/{agent}',
  title: 'Core and journal',
  description: 'An agent’s private memory, as it stands in its prompt.',
  mimeType: MARKDOWN,
  priority: 0.9,
  list: async ({ memory }) =>
    (await agentIdsOf(memory)).map((id) => ({ id, title: `Private memory of ${id}` })),
  read: async ({ memory }, agent) => {
    const isThere = (await (await memory.agent(agent)).find()) !== undefined;
    return isThere ? ((await (await memory.journalOf(agent)).memoryContext(Date.now())) ?? '') : '';
  },
};

const SESSIONS: ResourceKind = {
  name: 'sessions',
  template: 'memory://sessions/{session_id}',
  title: 'Session',
  description: 'A session: its summary, its last messages and its memories.',
  mimeType: JSON_TYPE,
  priority: 0.5,
  list: async ({ memory }) =>
    (await memory.listSessions())
      .toSorted((a, b) => b.created_at.localeCompare(a.created_at))
      .map(({ id, created_at }) => ({
        id,
        title: `Session ${id}`,
        description: `Its summary, its last messages and its memories, since ${created_at}.`,
      })),
  read: async ({ memory }, id) => {
    const session = await memory.loadSession(id);
    const conversation = await memory.conversation(id);
    // What is said and not archived yet is in the window, with the traffic of tools.
    const window = await conversation.window.read();
    const [summary, archived, state, memories] = await Promise.all([
      conversation.summary.summaryFields(),
      conversation.transcript.latest(SHOWN_MESSAGES),
      conversation.transcript.state(),
      memory.queryMemories(id, { sortBy: 'time', limit: SHOWN_MEMORIES }),
    ]);
    const waiting = window.filter((message) => message.id !== undefined && !state.has(message.id));
    const messages = [...archived, ...waiting].slice(-SHOWN_MESSAGES);
    return JSON.stringify({ session, ...summary, messages, memories }, null, 2);
  },
};

const DETAILS: ResourceKind = {
  name: 'details',
  template: 'memory://details/{memory_key}',
  title: 'Kept value',
  description:
    'A detail: a large value behind a [MemoryRef: …] placeholder: its first page. retrieve_memory gives the others.',
  mimeType: PLAIN,
  priority: 0.3,
  list: async ({ memory }) =>
    (await (await memory.details()).list()).map(({ memory_key, summary, size_bytes }) => ({
      id: memory_key,
      title: memory_key,
      description: summary,
      size: size_bytes,
    })),
  read: async ({ memory }, key) => (await (await memory.details()).retrieve(key)).content,
};

const KINDS = [NOTES, CORE, SESSIONS, DETAILS];
const TEMPLATES = KINDS.map(({ template }) => template).join(', ');

export function registerResources(server: McpServer, caller: McpCaller): void {
  for (const kind of KINDS) {
    const { name, template, title, description, mimeType, list } = kind;
    const metadata = { title, description, mimeType, annotations: annotationsOf(kind) };
    const complete = async (value: string): Promise<string[]> =>
      (await list(caller)).map(({ id }) => id).filter((id) => id.startsWith(value));
    server.registerResource(
      name,
      new ResourceTemplate(template, { list: undefined, complete: { [variableOf(template)]: complete } }),
      metadata,
      (uri) => readOne(caller, uri.href),
    );
  }
  // The SDK's own answer has no pages, and its errors do not say what there is.
  server.server.setRequestHandler('resources/list', async ({ params }) => listPage(caller, params?.cursor));
  server.server.setRequestHandler('resources/read', async ({ params }) => readOne(caller, params.uri));
}

async function readOne(caller: McpCaller, uri: string): Promise<ReadResourceResult> {
  const [, name, id] = /^memory:\/\/([^/?#]+)\/([^/?#]+)$/.exec(uri) ?? [];
  const kind = KINDS.find((one) => one.name === name);
  if (kind === undefined || id === undefined) throw noSuchResource(uri, `There are ${TEMPLATES}`);
  try {
    const text = await kind.read(caller, decodeURIComponent(id));
    return { contents: [{ uri, mimeType: kind.mimeType, text }] };
  } catch (error) {
    const isMissing =
      LonghandError.isInstance(error) && ['NotFoundError', 'ValidationError'].includes(error.name);
    if (isMissing) throw noSuchResource(uri, 'resources/list lists the existing ones', error.code);
    throw error instanceof URIError ? noSuchResource(uri, `${id} is not encoded as in an address`) : error;
  }
}

/** What the protocol says of it, and what to do. */
function noSuchResource(uri: string, hint: string, code = 'INVALID_INPUT'): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, `Resource not found: ${uri}. ${hint}.`, {
    uri,
    code,
  });
}

/** The cursor is the number of resources that came before. */
async function listPage(caller: McpCaller, cursor: string | undefined): Promise<ListResourcesResult> {
  const all: Resource[] = [];
  for (const kind of KINDS) {
    const { name, template, mimeType } = kind;
    for (const { id, title, description = kind.description, size } of await kind.list(caller)) {
      all.push({
        uri: template.replace(/\{\w+\}/, encodeURIComponent(id)),
        name: `${name}/${id}`,
        title,
        mimeType,
        description,
        annotations: annotationsOf(kind),
        ...(size === undefined ? {} : { size }),
      });
    }
  }
  if (cursor !== undefined && !/^\d{1,9}$/.test(cursor))
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      'cursor is none that this server gave. Leave it out for the first page; each page has the nextCursor of the next.',
      { code: 'INVALID_INPUT' },
    );
  const from = Number(cursor ?? 0);
  const next = from + PAGE;
  return { resources: all.slice(from, next), ...(next < all.length ? { nextCursor: String(next) } : {}) };
}

/** For people and for models, and how much it matters. */
function annotationsOf({ priority }: ResourceKind): Annotations {
  return { audience: ['user', 'assistant'], priority };
}

function variableOf(template: string): string {
  return template.slice(template.indexOf('{') + 1, -1);
}
