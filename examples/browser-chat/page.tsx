import { LonghandClient } from 'longhand/client';
import { ChatPanel, useChatStore } from 'longhand/react';
import type { ReactNode } from 'react';
import { createRoot } from 'react-dom/client';

const client = new LonghandClient();

function Page(): ReactNode {
  const store = useChatStore({
    client,
    everyMessages: 10,
    everyMs: 5 * 60_000,
    onArchiveError: ({ code, messageIds }) => console.warn(code, messageIds),
  });
  return (
    <>
      <main>
        <h1>A page with a chat</h1>
        <p>
          Say something to remember, such as “Remember that my dog is called Rex”. Reload the page, close it,
          or stop the server in the middle of it all: the conversation goes on where it was.
        </p>
      </main>
      <aside>{store && <ChatPanel store={store} title="Chat with the agent" />}</aside>
    </>
  );
}

createRoot(document.querySelector('#root')!).render(<Page />);
