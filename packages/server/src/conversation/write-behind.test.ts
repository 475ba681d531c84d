import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ArchivedMessage, IOError, NotFoundError } from 'longhand';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ConversationEvent } from './conversation-event.ts';
import { Spool } from './spool.ts';
import { WriteBehind, type WriteBehindOptions } from './write-behind.ts';

let directory: string;
let spool: Spool;
let events: ConversationEvent[];
let batches: (readonly [string, readonly string[]])[];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'longhand-behind-'));
  spool = Spool.open({ directory });
  events = [];
  batches = [];
});
afterEach(async () => {
  await spool.close();
  rmSync(directory, { recursive: true, force: true });
});

function start(options: Partial<WriteBehindOptions> = {}): WriteBehind {
  return new WriteBehind({
    spool,
    archive: async ({ id: sessionId }, messages) => {
      batches.push([sessionId, messages.map(({ id }) => id)]);
    },
    onEvent: (event) => events.push(event),
    ...options,
  });
}

async function say(behind: WriteBehind, sessionId: string, ...ids: readonly string[]): Promise<void> {
  const messages = ids.map(
    (id): ArchivedMessage => ({ id, role: 'user', content: id, timestamp: '2026-01-01T00:00:00.000Z' }),
  );
  await spool.append({ id: sessionId, account_id: 'local', user_id: 'ann', created_at: '2026' }, messages);
  behind.note(sessionId);
}

describe('write-behind', () => {
  it('archives a session when enough messages wait, and not before', async () => {
    const behind = start({ everyMessages: 3 });
    await say(behind, 's', 'a', 'b');
    await say(behind, 't', 'x');
    expect(batches).toEqual([]);
    await say(behind, 's', 'c');
    await expect.poll(() => batches).toEqual([['s', ['a', 'b', 'c']]]);
    expect(spool.sessionIds).toEqual(['t']);
    await behind.close();
  });

  it('archives when a message has waited long enough', async () => {
    const behind = start({ everySeconds: 0.05 });
    await say(behind, 's', 'a');
    await expect.poll(() => batches).toEqual([['s', ['a']]]);
    await behind.close();
  });

  it('archives the rest on request and before the end', async () => {
    const behind = start();
    await say(behind, 's', 'a');
    await behind.archive('s');
    expect(batches).toEqual([['s', ['a']]]);
    await say(behind, 's', 'b');
    await say(behind, 't', 'x');
    await behind.recover();
    expect(batches.slice(1)).toEqual([
      ['s', ['b']],
      ['t', ['x']],
    ]);
    await say(behind, 's', 'c');
    await behind.close();
    expect(batches.at(-1)).toEqual(['s', ['c']]);
  });

  it('keeps what the store refuses, says so, and tries again', async () => {
    let isAway = true;
    const behind = start({
      everySeconds: 0.05,
      archive: async ({ id: sessionId }, messages) => {
        if (isAway) throw new IOError('IO_FAILED', 'away');
        batches.push([sessionId, messages.map(({ id }) => id)]);
      },
    });
    await say(behind, 's', 'a');
    await expect(behind.archive('s')).rejects.toThrow('away');
    expect(events).toContainEqual({ kind: 'archive-failed', session_id: 's', code: 'IO_FAILED' });
    expect(spool.count('s')).toBe(1);
    await say(behind, 's', 'b');
    // Only now: the time of the first may be over before the second is there.
    isAway = false;
    await expect.poll(() => batches).toEqual([['s', ['a', 'b']]]);
    await behind.close();
  });

  it('leaves what cannot be archived at the end to the next start', async () => {
    const archive = () => Promise.reject(new IOError('IO_FAILED', 'away'));
    const behind = start({ archive });
    await say(behind, 's', 'a');
    await behind.close();
    await spool.close();
    spool = Spool.open({ directory });
    await start().recover();
    expect(batches).toEqual([['s', ['a']]]);
  });

  it('drops the messages of a session that was deleted', async () => {
    const gone = () => Promise.reject(new NotFoundError('SESSION_NOT_FOUND', 'gone'));
    const behind = start({ archive: gone });
    await say(behind, 's', 'a');
    await behind.archive('s');
    expect(events).toEqual([{ kind: 'spool-dropped', session_id: 's', messages: 1 }]);
    expect(spool.count('s')).toBe(0);
    await behind.close();
  });
});
