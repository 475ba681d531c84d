import { expect, test } from 'vitest';
import { openDetails } from '../../../test/open-details.ts';
import { MemoryStore } from '../../index.ts';
import { mayContinue } from './continuations.ts';

test('knows the sessions that one may go on in, and no others', () => {
  for (const other of ['chat-2', 'chat-17', 'chat-10000']) expect(mayContinue('chat', other)).toBe(true);
  for (const other of ['chat', 'chat-1', 'chatty-2', 'chat-2-2', 'chat-x', 'other-2'])
    expect(mayContinue('chat', other)).toBe(false);
  expect(mayContinue('chat-2', 'chat-3')).toBe(true);
  expect(mayContinue('chat-2', 'chat-2')).toBe(false);
  expect(mayContinue('chat-2', 'chat')).toBe(false);
});

test('knows them when an id has no room for a number', async () => {
  const { details, sessions } = openDetails(new MemoryStore(), { config: { details: { quota_mb: 0.01 } } });
  const long = 'x'.repeat(64);
  await sessions.create('ada', { session_id: long });
  const kept = new Set<string>();
  for (let i = 0; i < 5; i++) {
    const { session_id } = await details.keep(long, { content: `${i}`.repeat(6_000) });
    if (session_id !== long) kept.add(session_id);
  }
  expect(kept.size).toBe(4);
  for (const other of kept) expect(mayContinue(long, other)).toBe(true);
});
