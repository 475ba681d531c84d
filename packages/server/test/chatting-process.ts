import { writeSync } from 'node:fs';
import { answerWhole, openChat } from './chat-set-up.ts';

/**
 * A process that chats with the demo model until it is killed. It prints each message that was acknowledged, on its own
 * line, at the moment of the acknowledgement: the user's with `start`, the answer with `done`.
 *
 *     node chatting-process.ts ROOT FIRST_NUMBER
 */
const [root = '', first = '0'] = process.argv.slice(2);
const { conversations, memory } = await openChat(
  root,
  { provider: 'demo' },
  {
    conversations: { everyMessages: 7, everySeconds: 0.05 },
  },
);
// What is loaded with the first question is loaded before the clock starts.
await answerWhole(
  conversations,
  { new_messages: [{ role: 'user', content: 'Hello' }], session_id: 'warm' },
  memory,
);
writeSync(1, 'ready\n');

/** Several conversations at once, as on a server. */
async function talk(session: string): Promise<void> {
  for (let i = Number(first); ; i++) {
    const id = `${session}-${i}`;
    const request = {
      new_messages: [{ id, role: 'user' as const, content: `Number ${id} please` }],
      session_id: session,
    };
    for await (const event of conversations.answer(request, memory)) {
      if (event.type === 'start') writeSync(1, `${session} ${id}\n`);
      if (event.type === 'done') writeSync(1, `${session} ${event.message_id}\n`);
    }
  }
}

await Promise.all(['one', 'two', 'three'].map(talk));
