/**
 * A memory that outlives the process: run it twice.
 *
 * The first run creates a session and stores what the user said. Every later run finds it again, adds one
 * more memory, and shows where they are: plain files, one line each.
 */
import { MemoryManager } from 'longhand';

const storageRoot = 'memory';
const manager = new MemoryManager({ storageRoot });

const [known] = await manager.listSessions('me');
const session = known ?? (await manager.createSession('me', { preferences: { language: 'en' } }));

if (known === undefined) {
  await manager.addMemory(session.id, {
    type: 'preference',
    content: { role: 'user', message: 'I work in TypeScript and I like short answers.' },
    importance: 0.9,
    tags: ['style.answers', 'language.typescript'],
  });
  console.log('Nice to meet you. I wrote down what you told me.');
} else {
  const memories = await manager.queryMemories(session.id, {
    text: 'How do I like my answers?',
    scope: 'user',
  });
  console.log('You like your answers like this, I remember:');
  for (const { timestamp, type, content } of memories)
    console.log(`  ${timestamp}  ${type}: ${content.message}`);
}

await manager.addMemory(session.id, {
  type: 'conversation',
  content: { role: 'assistant', message: `We met on ${new Date().toUTCString()}.` },
});

const { total_entries } = await manager.getSessionStats(session.id);
console.log(`\n${total_entries} memories in ${storageRoot}/sessions/${session.id}/memory.jsonl`);
console.log('Run it again, or open that file: everything I know is there to read.');
await manager.close();
