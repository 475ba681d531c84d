import { LonghandError } from '../../src/core/errors.ts';
import { MemoryManager } from '../../src/index.ts';
import { readTask, report } from './report.ts';

/** Asks a store on a disk that can only be read for everything, tries to write, and says what came of it. */
const { root } = readTask<{ readonly root: string }>();
const manager = new MemoryManager({ storageRoot: root });
const memory = manager.as({ account_id: 'local', user_id: 'ada' });
const messages = [{ role: 'user', content: 'Where do otters live?' }] as const;
const layers = await manager.layers();
const found = {
  sessions: (await manager.listSessions()).length,
  memories: (await manager.queryMemories('s', { text: 'otter' })).length,
  ofUser: (await memory.search({ text: 'otter' })).memories.length,
  exported: (await manager.exportSession('s', 'jsonl')).includes('otter'),
  notes: (await layers.notes.read('ada', 'default')).text,
  details: (await layers.details.list('ada')).length,
  context: JSON.stringify(
    (await manager.assembleContext({ session: 's', user: 'ada', messages: [...messages] })).messages,
  ).includes('otter'),
  writing: await manager.addMemory('s', { type: 'finding', content: { text: 'lost' } }).then(
    () => 'kept',
    (error) => (LonghandError.isInstance(error) ? error.code : String(error)),
  ),
};
await manager.close();
report(JSON.stringify(found));
