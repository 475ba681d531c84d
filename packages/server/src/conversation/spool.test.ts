import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ArchivedMessage } from 'longhand';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ConversationEvent } from './conversation-event.ts';
import { Spool } from './spool.ts';
import { renderLine } from './spool-file.ts';
import type { SpooledSession } from './spooled-session.ts';

let directory: string;
let events: ConversationEvent[];
const opened: Spool[] = [];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'longhand-spool-'));
  events = [];
});
afterEach(async () => {
  for (const spool of opened.splice(0)) await spool.close();
  rmSync(directory, { recursive: true, force: true });
});

function open(options: { readonly durability?: 'buffered' | 'group' } = {}): Spool {
  const spool = Spool.open({ directory, onEvent: (event) => events.push(event), ...options });
  opened.push(spool);
  return spool;
}

function identity(id: string, user_id = 'ann', created_at = '2026-01-01T00:00:00.000Z'): SpooledSession {
  return { id, account_id: 'local', user_id, created_at };
}
const S = identity('s');

function message(id: string, content = `text of ${id}`): ArchivedMessage {
  return { id, role: 'user', content, timestamp: '2026-01-01T00:00:00.000Z' };
}

function ids(spool: Spool, sessionId = 's'): string[] {
  return spool.unarchived(identity(sessionId)).map(({ id }) => id);
}

function bytes(): number {
  return readdirSync(directory).reduce((sum, name) => sum + statSync(join(directory, name)).size, 0);
}

/** What a process that was killed leaves behind: a file that no process has locked. */
function leaveBehind(text: string, name = 'old.jsonl'): void {
  writeFileSync(join(directory, name), text);
}

describe('the spool', () => {
  it.each(['buffered', 'group'] as const)(
    'keeps messages until they are archived, each once (%s)',
    async (durability) => {
      const spool = open({ durability });
      await spool.append(S, [message('a'), message('b')]);
      await spool.append(S, [message('b'), message('c')]);
      await spool.append(identity('other'), [message('a')]);
      expect(ids(spool)).toEqual(['a', 'b', 'c']);
      expect(spool.count('s')).toBe(3);
      expect(spool.sessionIds).toEqual(['s', 'other']);
      spool.settle(S, ['a', 'b', 'never there']);
      expect(ids(spool)).toEqual(['c']);
      expect(ids(spool, 'other')).toEqual(['a']);
    },
  );

  it('takes over what a process that is gone has left, and removes its file', async () => {
    leaveBehind(['a', 'b'].map((id) => renderLine({ session: S, message: message(id) })).join(''));
    const spool = open();
    expect(ids(spool)).toEqual(['a', 'b']);
    expect(events).toEqual([{ kind: 'spool-recovered', messages: 2 }]);
    expect(readdirSync(directory)).not.toContain('old.jsonl');
    await spool.close();
    expect(ids(open())).toEqual(['a', 'b']);
  });

  it('leaves the file of a living process alone', async () => {
    const first = open();
    await first.append(S, [message('a')]);
    const second = open();
    expect(ids(second)).toEqual([]);
    await second.append(S, [message('b')]);
    expect(ids(first)).toEqual(['a']);
    expect(readdirSync(directory)).toHaveLength(2);
  });

  it('keeps the messages of a session from another one of the same id', async () => {
    const spool = open();
    await spool.append(S, [message('a', 'of ann')]);
    const [later, bobs] = [identity('s', 'ann', '2026-02-02T00:00:00.000Z'), identity('s', 'bob')];
    expect(spool.unarchived(later)).toEqual([]);
    expect(spool.unarchived(bobs)).toEqual([]);
    await spool.append(bobs, [message('a', 'of bob')]);
    expect(spool.waiting('s').map(({ messages }) => messages.map(({ content }) => content))).toEqual([
      ['of ann'],
      ['of bob'],
    ]);
    spool.settle(S, ['a']);
    expect(spool.unarchived(bobs)).toHaveLength(1);
    // A time that is lost parts nothing.
    expect(spool.unarchived(identity('s', 'bob', '1970-01-01T00:00:00.000Z'))).toHaveLength(1);
    await spool.close();
    expect(open().unarchived(bobs)).toHaveLength(1);
  });

  it('shows what other processes hold, and takes over those that end later', async () => {
    const [first, second] = [open(), open()];
    await first.append(S, [message('a')]);
    expect(second.others()).toEqual([{ session: S, message: message('a') }]);
    expect(first.others()).toEqual([]);
    second.takeOver();
    expect(ids(second)).toEqual([]);
    await first.close();
    second.takeOver();
    expect(ids(second)).toEqual(['a']);
    expect(second.others()).toEqual([]);
  });

  it('takes a message that two files hold once', () => {
    const line = renderLine({ session: S, message: message('a') });
    leaveBehind(line, 'one.jsonl');
    leaveBehind(line, 'two.jsonl');
    expect(ids(open())).toEqual(['a']);
  });

  it('drops the rest of a line that was cut off, at any byte', () => {
    const whole = renderLine({ session: S, message: message('a') });
    const torn = renderLine({ session: S, message: message('b', 'zwölf Boxkämpfer') });
    for (let cut = 0; cut < Buffer.byteLength(torn); cut++) {
      const bytes = Buffer.concat([Buffer.from(whole), Buffer.from(torn).subarray(0, cut)]);
      writeFileSync(join(directory, 'old.jsonl'), bytes);
      const spool = open();
      expect(ids(spool)).toEqual(['a']);
      spool.settle(S, ['a']);
    }
    expect(events.filter(({ kind }) => kind === 'spool-damaged')).toEqual([]);
  });

  it('keeps a file with damage in the middle for a person, and takes what can be read', () => {
    const lines = ['a', 'b', 'c'].map((id) => renderLine({ session: S, message: message(id) }));
    leaveBehind(lines[0]! + lines[1]!.replace('text of b', 'text of x') + lines[2]!);
    expect(ids(open())).toEqual(['a', 'c']);
    const file = join(directory, 'old.jsonl.damaged');
    expect(events).toContainEqual({ kind: 'spool-damaged', file, lines: 1 });
    expect(readFileSync(file, 'utf8')).toContain('text of x');
    // What can be read is in good hands, and would outlive its forgetting here.
    expect(readFileSync(file, 'utf8')).not.toContain('text of a');
  });

  it('takes out of the lines that were set aside those that may be of a user', () => {
    const torn = (session: SpooledSession, text: string): string =>
      renderLine({ session, message: message('x', text) }).replace('"role"', '"rule"');
    leaveBehind(`${torn(S, 'of ann')}${torn(identity('t', 'bob'), 'of bob')}no "line" at all\n`);
    const spool = open();
    const text = (): string => readFileSync(join(directory, 'old.jsonl.damaged'), 'utf8');
    spool.clearDamaged(({ user_id }) => user_id === 'cleo');
    expect(text()).toContain('of ann');
    spool.clearDamaged(({ user_id }) => user_id === undefined || user_id === 'ann');
    expect(text()).toContain('of bob');
    expect(text()).not.toContain('of ann');
    expect(text()).not.toContain('at all');
    spool.clearDamaged(({ session_id }) => session_id === 't');
    expect(readdirSync(directory)).not.toContain('old.jsonl.damaged');
  });

  it('holds nothing of what is archived', async () => {
    const spool = open();
    await spool.append(S, [message('a', 'a secret')]);
    await spool.append(identity('t'), [message('b', 'still waiting')]);
    spool.settle(S, ['a']);
    spool.compact();
    const text = readdirSync(directory)
      .map((name) => readFileSync(join(directory, name), 'utf8'))
      .join('');
    expect(text).not.toContain('a secret');
    expect(text).toContain('still waiting');
    spool.settle(identity('t'), ['b']);
    expect(bytes()).toBe(0);
    await spool.close();
    expect(readdirSync(directory)).toEqual([]);
  });

  it('does not grow with what has passed through it', async () => {
    const spool = open();
    await spool.append(identity('slow'), [message('waits')]);
    for (let i = 0; i < 200; i++) {
      await spool.append(S, [message(`m${i}`, 'x'.repeat(2_000))]);
      spool.settle(S, [`m${i}`]);
    }
    expect(bytes()).toBeLessThan(200_000);
    expect(ids(spool, 'slow')).toEqual(['waits']);
    await spool.close();
    expect(ids(open(), 'slow')).toEqual(['waits']);
  });

  it('refuses when it is closed, and acknowledges nothing', async () => {
    const spool = open();
    await spool.close();
    await expect(spool.append(S, [message('a')])).rejects.toMatchObject({ code: 'STORE_CLOSED' });
  });
});
