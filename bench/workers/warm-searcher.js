import { MemoryManager } from 'longhand';

/** Opens a session, answers many queries, says so, and stays until its input ends. */
const [storageRoot, sessionId, queries, semantic] = process.argv.slice(2);
const manager = new MemoryManager({ storageRoot, semantic: semantic === 'true' });
await manager.loadSession(sessionId);
for (const text of JSON.parse(queries)) {
  await manager.queryMemories(sessionId, { text, scope: 'user', limit: 10 });
}
process.stdout.write('ready\n');
process.stdin.resume().on('end', () => void manager.close());
