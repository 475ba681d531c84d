import { LOCAL_DEFAULTS } from './config/local-principal.ts';
import type { ServerConfig } from './config/server-config.ts';
import { modelSettings } from './conversation/open-conversations.ts';
import { Models } from './conversation/providers.ts';
import { openScratch } from './open-store.ts';

/**
 * Loads what answers need, by a rehearsal on a store in memory. Node never reads a module again that it could not read
 * once, so one that is first needed when the process has no file descriptor left would be missing until a restart.
 */
export async function warmUp(config: ServerConfig): Promise<void> {
  await using scratch = await openScratch(config);
  const { account_id, user_id } = LOCAL_DEFAULTS;
  const memory = scratch.manager.as({ account_id, user_id });
  const { id } = await memory.createSession();
  await memory.addMemory(id, { type: 'finding', content: { text: 'The server is warming up.' } });
  await memory.searchWithDetails({ text: 'Is the server warm yet? last week', limit: 1 });
  await memory.assembleContext({ session: id, messages: [{ role: 'user', content: 'Is it warm?' }] });
  // A model that cannot be loaded is reported to the users who chat.
  await new Models(modelSettings(config)).model().catch(() => undefined);
  await Promise.all([import('ai'), import('longhand/ai-sdk')]);
}
