import { type ChatStoreOptions, createChatStore, LonghandClient } from 'longhand/client';
import { ChatPanel } from 'longhand/react';
import { createRoot } from 'react-dom/client';

/** A page with the chat panel, as another application would show it. */
const asked = new URL(location.href).searchParams;
const given = JSON.parse(asked.get('options') ?? '{}') as Partial<ChatStoreOptions>;
const client = new LonghandClient();
const errors: unknown[] = [];
const ready = createChatStore({ ...given, client, onArchiveError: (error) => void errors.push(error) });
const add = async (
  text: string,
  id = crypto.randomUUID(),
  sender: 'user' | 'ai' = 'user',
): Promise<string> => {
  await (await ready).getState().addMessage({ id, text, sender, timestamp: new Date() });
  return id;
};
Object.assign(globalThis, { ready, errors, client, add });
document.documentElement.dir = asked.get('dir') ?? 'ltr';
if (asked.get('theme') === 'both') document.documentElement.style.colorScheme = 'light dark';
createRoot(document.querySelector('#root')!).render(<ChatPanel store={await ready} title="Chat" />);
