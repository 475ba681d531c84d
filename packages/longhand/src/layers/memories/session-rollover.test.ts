import { expect, test } from 'vitest';
import { openDetails } from '../../../test/open-details.ts';
import { notingCalls } from '../../../test/open-stores.ts';
import { NotFoundError, SizeLimitError } from '../../core/errors.ts';
import { MemoryStore } from '../../index.ts';
import { continues, idsContinuing, SessionRollover } from './session-rollover.ts';

test('knows the sessions that one rolls over to, and no others', () => {
  for (const other of ['chat--2', 'chat--17', 'chat--10000']) expect(continues('chat', other)).toBe(true);
  for (const other of ['chat', 'chat-2', 'chat--1', 'chatty--2', 'chat--2--2', 'chat--x', 'other--2'])
    expect(continues('chat', other)).toBe(false);
  expect(continues('chat--2', 'chat--3')).toBe(true);
  expect(continues('chat--2', 'chat--2')).toBe(false);
  expect(continues('chat--2', 'chat')).toBe(false);
  expect(continues('cli-2026-11-16', 'cli-2026-11-17')).toBe(false);
  expect(continues('cli-2026-11-16', 'cli-2026-11-16--2')).toBe(true);
});

test('looks into those of the earlier form too, and lists no others', async () => {
  const { store, lists } = notingCalls(new MemoryStore());
  const { sessions } = openDetails(store);
  const of = (first: string) => idsContinuing(sessions, 'ada', first);
  for (const id of [
    'chat',
    'chat-1',
    'chat-17',
    'chat-2',
    'chat--2',
    'chat-2-2',
    'chat-x',
    'chatty-2',
    'other-2',
  ])
    await sessions.create('ada', { session_id: id });
  for (let i = 0; i < 300; i++) await sessions.create('ada', { session_id: `day-${1_000 + i}-x` });
  expect(await of('chat')).toEqual(['chat--2', 'chat-17', 'chat-2']);
  expect(await of('chat-2')).toEqual(['chat-17']);
  expect(await of('day-1299-x')).toEqual([]);
  for (const page of lists) expect(page).toMatchObject({ limit: expect.any(Number) });
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
  for (const other of kept) expect(continues(long, other)).toBe(true);
});

test('starts again once when the continuation is gone, and never for another reason', async () => {
  const { sessions } = openDetails(new MemoryStore());
  await sessions.create('ada', { session_id: 'chat' });
  const attempt = async (failure: (sessionId: string) => Promise<Error>): Promise<readonly string[]> => {
    const worked: string[] = [];
    const running = new SessionRollover(sessions).withRoom('ada', 'chat', async (sessionId) => {
      worked.push(sessionId);
      if (sessionId === 'chat') throw new SizeLimitError('SESSION_FULL', 'Full.');
      throw await failure(sessionId);
    });
    await expect(running).rejects.toThrow('Missing.');
    return worked;
  };
  const missing = new NotFoundError('SESSION_NOT_FOUND', 'Missing.');
  const [, went = ''] = await attempt(async () => missing);
  expect(await attempt(async () => missing)).toEqual(['chat', went]);
  expect(await attempt(async () => new NotFoundError('MEMORY_NOT_FOUND', 'Missing.'))).toHaveLength(2);
  const removing = async (sessionId: string): Promise<Error> => {
    await sessions.remove(sessionId);
    return missing;
  };
  expect(await attempt(removing)).toEqual(['chat', went, 'chat', went]);
});
