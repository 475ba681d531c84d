import type { ScopedMemory } from 'longhand';

/** Which session of the user has a memory. `undefined` for what cannot be an id as well. */
export async function sessionOfMemory(memory: ScopedMemory, id: string): Promise<string | undefined> {
  if (!/^[A-Za-z0-9_]{1,32}$/.test(id)) return undefined;
  const { layers, userId } = await memory.toolScope();
  return (await layers.memories.get(userId!, id))?.session_id;
}
