import { ChatPanel } from 'longhand/react';
import { createRoot } from 'react-dom/client';
import { asked, ready } from './store.ts';

/** A page with the chat panel, as another application would show it. */
document.documentElement.dir = asked.get('dir') ?? 'ltr';
if (asked.get('theme') === 'both') document.documentElement.style.colorScheme = 'light dark';
createRoot(document.querySelector('#root')!).render(<ChatPanel store={await ready} title="Chat" />);
