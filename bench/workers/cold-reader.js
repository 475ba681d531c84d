import { MemoryManager } from 'longhand';

/**
 * Opens a store, reads one memory and says so. JavaScript, as an installed program would be: taking the
 * types away would count as part of the start.
 */
const [storageRoot, sessionId, memoryId] = process.argv.slice(2);
const manager = new MemoryManager({ storageRoot });
const memory = await manager.getMemory(sessionId, memoryId);
process.stdout.write(`${JSON.stringify(memory)}\n`);
await manager.close();
