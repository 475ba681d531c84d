import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { LibSQLStore } from '@mastra/libsql';
import { Memory } from '@mastra/memory';
import type { NewMemory } from 'longhand';
import { textOf } from '../entries.ts';
import type { Contender } from './contender.ts';

export const MASTRA = 'Mastra + libsql';

/** Messages of one thread, without embeddings. */
export async function openMastra(folder: string): Promise<Contender> {
  const storage = new LibSQLStore({ id: 'bench', url: `file:${join(folder, 'mastra.db')}` });
  const memory = new Memory({ storage, options: { semanticRecall: false } });
  const thread = await memory.createThread({ threadId: 'bench', resourceId: 'me' });
  const addMany = (entries: readonly NewMemory[]): Promise<unknown> =>
    memory.saveMessages({
      messages: entries.map((entry) => ({
        id: randomUUID(),
        threadId: thread.id,
        resourceId: 'me',
        role: 'user',
        createdAt: new Date(),
        content: { format: 2, parts: [{ type: 'text', text: textOf(entry) }] },
      })),
    });
  return { name: MASTRA, add: (entry) => addMany([entry]), addMany, close: () => undefined };
}
