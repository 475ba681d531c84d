import { MemoryManager } from 'longhand';

/** Opens a store, answers one query and prints the texts. JavaScript, as an installed program would be. */
const [storageRoot, sessionId, text, semantic] = process.argv.slice(2);
const manager = new MemoryManager({ storageRoot, semantic: semantic === 'true' });
const found = await manager.queryMemories(sessionId, { text, scope: 'user', limit: 10 });
process.stdout.write(`found ${found.map(({ content }) => content.message).join('\n')}\n`);
await manager.close();
