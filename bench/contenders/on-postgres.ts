import { randomUUID } from 'node:crypto';
import { PostgresChatMessageHistory } from '@langchain/community/stores/message/postgres';
import { HumanMessage } from '@langchain/core/messages';
import { PostgresStore as LangGraphStore } from '@langchain/langgraph-checkpoint-postgres/store';
import { Memory } from '@mastra/memory';
import { PostgresStore as MastraStore } from '@mastra/pg';
import { MemoryManager, type NewMemory } from 'longhand';
import { textOf } from '../entries.ts';
import { countedStore, type Database } from '../postgres/database.ts';
import { LIMIT_RAISED, LONGHAND } from './longhand.ts';

export const LANGGRAPH = 'LangGraph PostgresStore';
export const LANGCHAIN = 'LangChain PostgresChatMessageHistory';
export const MASTRA_PG = 'Mastra + pg';

/** A memory on Postgres, as one process of a server uses it. */
export interface PostgresContender {
  readonly name: string;
  /** What one user writes to. */
  openUser(userId: string): Promise<UserOfContender>;
  close(): Promise<unknown>;
}

export interface UserOfContender {
  add(entry: NewMemory): Promise<unknown>;
  addMany(entries: readonly NewMemory[]): Promise<unknown>;
}

/** Through the library's front door: entries are checked, and the answer has their ids. */
export async function openLonghandOnPostgres(database: Database): Promise<PostgresContender> {
  const { store } = countedStore(database.app());
  const manager = new MemoryManager({ store, config: LIMIT_RAISED, semantic: false });
  return {
    name: LONGHAND,
    openUser: async (userId) => {
      const { id } = await manager.createSession(userId);
      return {
        add: (entry) => manager.addMemory(id, entry),
        addMany: (entries) => manager.addMemories(id, entries),
      };
    },
    close: () => manager.close(),
  };
}

/** `batch` is its call for many. */
export async function openLangGraph(database: Database): Promise<PostgresContender> {
  const store = new LangGraphStore({ connectionOptions: database.ownerConfig, schema: 'langgraph' });
  await store.setup();
  return {
    name: LANGGRAPH,
    openUser: async (userId) => {
      const namespace = ['memories', userId];
      return {
        add: (entry) => store.put(namespace, randomUUID(), { ...entry }),
        addMany: (entries) =>
          store.batch(entries.map((entry) => ({ namespace, key: randomUUID(), value: { ...entry } }))),
      };
    },
    close: () => store.stop(),
  };
}

export async function openLangChain(database: Database): Promise<PostgresContender> {
  const pool = database.owner();
  return {
    name: LANGCHAIN,
    openUser: async (userId) => {
      const history = new PostgresChatMessageHistory({ pool, sessionId: userId });
      await history.getMessages();
      const toMessage = (entry: NewMemory): HumanMessage => new HumanMessage(textOf(entry));
      return {
        add: (entry) => history.addMessage(toMessage(entry)),
        addMany: (entries) => history.addMessages(entries.map(toMessage)),
      };
    },
    close: async () => undefined,
  };
}

/** Without embeddings. */
export async function openMastraOnPostgres(database: Database): Promise<PostgresContender> {
  const storage = new MastraStore({ id: 'bench', pool: database.owner(), schemaName: 'mastra' });
  await storage.init();
  const memory = new Memory({ storage, options: { semanticRecall: false } });
  return {
    name: MASTRA_PG,
    openUser: async (resourceId) => {
      const thread = await memory.createThread({ resourceId });
      const addMany = (entries: readonly NewMemory[]): Promise<unknown> =>
        memory.saveMessages({
          messages: entries.map((entry) => ({
            id: randomUUID(),
            threadId: thread.id,
            resourceId,
            role: 'user',
            createdAt: new Date(),
            content: { format: 2, parts: [{ type: 'text', text: textOf(entry) }] },
          })),
        });
      return { add: (entry) => addMany([entry]), addMany };
    },
    close: async () => undefined,
  };
}
