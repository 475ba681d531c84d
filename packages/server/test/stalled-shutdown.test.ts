import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { type Running, startProcess } from '../../longhand/test/campaign.ts';
import type { LockHolderTask } from '../../longhand/test/processes/lock-holder.ts';
import { ChatFolder } from './chat-set-up.ts';

const folder = new ChatFolder();
afterEach(() => folder.remove());

const SESSIONS = ['a', 'b', 'c'];
/** Another process may hold a log for longer than an operator waits for a server to end. */
const PATIENT = { concurrency: { lock_timeout_ms: 300_000, max_retries: 0 } };

async function holdTranscript(id: string): Promise<Running> {
  const log = { kind: 'transcript' as const, id };
  const task: LockHolderTask = { root: join(folder.root, 'store'), log };
  const { promise: holding, resolve } = Promise.withResolvers<void>();
  const running = startProcess('lock-holder.ts', task, () => resolve());
  await Promise.race([holding, running.failure]);
  return running;
}

it('ends in its time when the store takes nothing, and the next start archives what was acknowledged', async () => {
  const first = await folder.open({ provider: 'demo' }, { manager: { config: PATIENT } });
  for (const session of SESSIONS) await first.say('Hello', { session });
  await first.conversations.archiveAll();
  for (const session of SESSIONS) await first.say('Remember that my dog is called Rex', { session });
  const holder = await holdTranscript('a');

  // Would not come back before the other process lets go, which it does not.
  await first.conversations.close({ graceMs: 50 });
  expect(holder.lines).toEqual(['holding']);
  const left = first.events.find(({ kind }) => kind === 'spool-left');
  expect(left).toMatchObject({ messages: expect.any(Number) });
  expect(first.events.filter(({ kind }) => kind === 'archive-failed')).toEqual([]);

  // While the first one still waits for the lock, as a process does that is being killed.
  const second = await folder.open();
  holder.child.kill('SIGKILL');
  await holder.ended;
  expect(second.events).toContainEqual({ kind: 'spool-recovered', messages: expect.any(Number) });
  await second.conversations.archiveAll();
  await first.close();
  for (const session of SESSIONS) {
    const messages = await second.memory.messages(session);
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant']);
    expect(new Set(messages.map(({ id }) => id)).size).toBe(4);
  }
});
