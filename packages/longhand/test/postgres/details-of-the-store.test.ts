import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { encodeLine } from '../../src/core/line.ts';
import { readLog } from '../../src/core/read-log.ts';
import { type LogSlice, UNCHANGED } from '../../src/core/store.ts';
import { MemoryManager } from '../../src/index.ts';
import { PostgresStore } from '../../src/stores/postgres/index.ts';
import { poolFor, usePostgres } from './open-postgres.ts';

const database = usePostgres();
const record = (id: string): string => JSON.stringify({ schema_version: 1, id, content: `${id} 🦆 \\u0000` });
const SESSION = { kind: 'session', id: 'one', userId: 'ada' } as const;
const NEW = { create: 'new' } as const;

/** A store that counts its trips. */
function counted(accountId: string): { readonly store: PostgresStore; trips(): number } {
  let trips = 0;
  const { pool } = database;
  const counting = {
    connect: () => pool.connect(),
    query: (text: string, values?: unknown[]) => {
      trips++;
      return pool.query(text, values);
    },
  };
  const took = (): number => {
    const count = trips;
    trips = 0;
    return count;
  };
  return { store: new PostgresStore({ pool: counting, accountId }), trips: took };
}

describe('lines in Postgres', () => {
  it('have the bytes that files have', async () => {
    const account = randomUUID();
    const store = database.store(account);
    const bodies = Array.from({ length: 120 }, (_, i) => record(`mem_${i}`));
    await store.append(SESSION, bodies.slice(0, 1), NEW);
    // One by one, some at once, one of a group, and with all that was read before as the condition.
    for (const body of bodies.slice(1, 12)) await store.append(SESSION, [body]);
    await store.append(SESSION, bodies.slice(12, 110));
    const another = { ...SESSION, id: 'two' };
    await store.append(another, [record('mem_other')], NEW);
    await Promise.all([
      store.append(SESSION, bodies.slice(110, 111)),
      store.append(another, [record('mem_more')]),
    ]);
    await store.append(SESSION, () => bodies.slice(111), {});
    expect(await store.size(another)).toMatchObject({
      log: ['mem_other', 'mem_more'].reduce(
        (sum, id, i) => sum + Buffer.byteLength(encodeLine(record(id), i + 1, true)),
        0,
      ),
    });
    const { lines } = await readLog(store, SESSION);
    expect(lines.map(({ text }) => `${text}\n`)).toEqual(
      bodies.map((body, i) => encodeLine(body, i + 1, true)),
    );
    const expected = bodies.reduce(
      (sum, body, i) => sum + Buffer.byteLength(encodeLine(body, i + 1, true)),
      0,
    );
    expect((await store.size(SESSION)).log).toBe(expected);
    await store.close();
  });

  it('are damage when a hand in the database has changed them', async () => {
    const account = randomUUID();
    const store = database.store(account);
    await store.append(SESSION, ['a', 'b', 'c', 'd'].map(record), NEW);
    const root = poolFor(database.server, 'postgres');
    const change = (seq: number, to: string) =>
      root.query('UPDATE memory_entries SET line = $1 WHERE account_id = $2 AND seq = $3', [
        to,
        account,
        seq,
      ]);
    await change(1, '{"id":"a","by":"hand"}');
    await change(2, (await readLog(store, SESSION)).lines[1]!.text.replace('🦆', '🐕'));
    await change(3, '{"id":"c","torn');
    const { lines, damage, position } = await readLog(store, SESSION);
    expect(lines.map(({ text }) => JSON.parse(text).id)).toEqual(['a', 'd']);
    expect(damage.map(({ kind, line }) => [kind, line.lineNumber])).toEqual([
      ['checksum', 2],
      ['torn', 3],
    ]);
    expect(position.lastSeq).toBe(4);
    // Those who check each line when they use it get what looks whole.
    const light = await readLog(store, SESSION, { check: 'light' });
    expect(light.lines.map((line) => [JSON.parse(line.text).id, line.check()])).toEqual([
      ['a', 'unverified'],
      ['b', 'damaged'],
      ['d', 'verified'],
    ]);
    await root.end();
    await store.close();
  });
});

describe('appends of many users that wait together', () => {
  const logOf = (user: string) => ({ kind: 'session', id: `of-${user}`, userId: user }) as const;
  const users = Array.from({ length: 12 }, (_, i) => `user${i}`);

  it('are two trips however many they are, and leave what appends one by one leave', async () => {
    const { store, trips } = counted(randomUUID());
    const alone = database.store();
    for (const each of [store, alone]) for (const user of users) await each.append(logOf(user), [], NEW);
    trips();
    for (let round = 0; round < 3; round++) {
      const bodies = (user: string) =>
        Array.from({ length: 1 + (round % 2) }, (_, i) => record(`mem_${user}_${round}_${i}`));
      const together = await Promise.all(users.map((user) => store.append(logOf(user), bodies(user))));
      for (const [i, user] of users.entries())
        expect(together[i]).toEqual(await alone.append(logOf(user), bodies(user)));
    }
    // Two groups travel at a time, and share what waits.
    expect(trips()).toBe(3 * 2);
    for (const user of users) {
      const [lines, expected] = [await readLog(store, logOf(user)), await readLog(alone, logOf(user))];
      expect(lines.lines.map(({ text }) => text)).toEqual(expected.lines.map(({ text }) => text));
      expect(lines.damage).toEqual([]);
      expect(await store.size(logOf(user))).toEqual(await alone.size(logOf(user)));
      const { mark } = await store.follow(user);
      await store.append(logOf(user), [record('mem_next')]);
      expect((await store.follow(user, mark)).sessionIds).toEqual([`of-${user}`]);
    }
    for (const each of [store, alone]) await each.close();
  });

  it('are answered each for itself when one is refused', async () => {
    const store = database.store();
    for (const user of users) await store.append(logOf(user), [], NEW);
    const settled = await Promise.allSettled([
      store.append(logOf('user0'), [record('mem_a')]),
      store.append({ ...logOf('user1'), incarnation: 'another' }, [record('mem_b')]),
      store.append(logOf('user2'), [record('mem_c')], { maxBytes: 10 }),
      store.append(logOf('user3'), [record('mem_d')], NEW),
      store.append({ ...logOf('user4'), id: 'none' }, [record('mem_e')]),
      store.append({ ...logOf('user5'), userId: 'user6' }, [record('mem_f')]),
      store.append(logOf('user7'), [record('mem_g')], { maxBytes: 10_000 }),
    ]);
    expect(
      settled.map((each) => (each.status === 'fulfilled' ? each.value.firstSeq : each.reason.code)),
    ).toEqual([1, 'SESSION_NOT_FOUND', 'SESSION_FULL', 'SESSION_EXISTS', 'SESSION_NOT_FOUND', 1, 1]);
    for (const user of ['user0', 'user5', 'user7'])
      expect((await readLog(store, logOf(user))).lines).toHaveLength(1);
    await store.close();
  });
});

describe('a look', () => {
  it('asks once, and answers what has no news from what it knows', async () => {
    const account = randomUUID();
    const { store, trips } = counted(account);
    const agent = { kind: 'agent', id: 'helper' } as const;
    const notes = { kind: 'notes', id: 'helper', userId: 'ada' } as const;
    const missing = { kind: 'transcript', id: 'one', userId: 'ada' } as const;
    for (const log of [SESSION, agent, notes]) await store.append(log, [record('mem_a')], NEW);
    const positions = (
      await store.read([{ log: SESSION }, { log: agent }, { log: notes }, { log: missing }])
    ).map((slice) => (slice as LogSlice | undefined)?.position);
    const { mark } = await store.follow('ada');
    trips();
    const turn = () =>
      store.look(['ada'], async () => {
        const changes = await store.follow('ada', mark);
        const answers = [];
        for (const [i, log] of [SESSION, agent, notes, missing].entries())
          answers.push(...(await store.read([{ log, after: positions[i] }])));
        return { changes, answers };
      });
    const quiet = await turn();
    expect(trips()).toBe(1);
    expect(quiet).toEqual({
      changes: { sessionIds: ['one'], mark },
      answers: [UNCHANGED, UNCHANGED, UNCHANGED, undefined],
    });
    // Another server writes: the next look knows.
    const other = database.store(account);
    await other.append(agent, [record('mem_b')]);
    expect((await turn()).answers.map((each) => each === UNCHANGED)).toEqual([true, false, true, false]);
    await other.append(SESSION, [record('mem_c')]);
    await other.append(missing, [record('mem_d')], NEW);
    const { changes, answers } = await turn();
    expect(changes.mark).not.toEqual(mark);
    expect((answers[0] as LogSlice).lines.map(({ memoryId }) => memoryId)).toEqual(['mem_c']);
    expect((answers[3] as LogSlice).lines).toHaveLength(1);
    for (const each of [store, other]) await each.close();
  });

  it('shows what its own process writes, and nothing stale after a removal', async () => {
    const { store, trips } = counted(randomUUID());
    await store.append(SESSION, [record('mem_a')], NEW);
    const [before] = (await store.read([{ log: SESSION }])) as [LogSlice];
    const { mark } = await store.follow('ada');
    await store.look(['ada'], async () => {
      expect(await store.read([{ log: SESSION, after: before.position }])).toEqual([UNCHANGED]);
      trips();
      // Decided without reading: the database compares.
      await store.append(SESSION, ({ lines }) => [record(`mem_${lines.length}`)], { after: before.position });
      expect(trips()).toBe(1);
      const [after] = (await store.read([{ log: SESSION, after: before.position }])) as [LogSlice];
      expect(after.lines.map(({ memoryId }) => memoryId)).toEqual(['mem_0']);
      expect((await store.follow('ada', mark)).mark).not.toEqual(mark);
      await store.remove(SESSION);
      expect(await store.read([{ log: SESSION, after: after.position }])).toEqual([undefined]);
      expect((await store.follow('ada', mark)).sessionIds).toEqual([]);
    });
    await store.close();
  });

  it('inside of another one is a part of it, until that one is over', async () => {
    const account = randomUUID();
    const { store, trips } = counted(account);
    await store.append(SESSION, [record('mem_a')], NEW);
    const [slice] = (await store.read([{ log: SESSION }])) as [LogSlice];
    const read = () => store.look(['ada'], () => store.read([{ log: SESSION, after: slice.position }]));
    trips();
    let goOn: () => void = () => undefined;
    let left: ReturnType<typeof read> | undefined;
    await store.look(['ada'], async () => {
      expect(await read()).toEqual([UNCHANGED]);
      left = new Promise<void>((resolve) => (goOn = resolve)).then(read);
    });
    expect(trips()).toBe(1);
    const other = database.store(account);
    await other.append(SESSION, [record('mem_b')]);
    // What it has left behind in the background sees what came after it.
    goOn();
    expect(((await left!)[0] as LogSlice).lines.map(({ memoryId }) => memoryId)).toEqual(['mem_b']);
    for (const each of [store, other]) await each.close();
  });

  it('brings the notes that were read before, and knows what lies beside a session', async () => {
    const account = randomUUID();
    const { store, trips } = counted(account);
    const other = database.store(account);
    const notes = { kind: 'notes', id: 'helper', userId: 'ada' } as const;
    const unnamed = { kind: 'transcript', id: 'one' } as const;
    await store.append(SESSION, [record('mem_a')], NEW);
    await store.append(notes, [], NEW);
    const turn = () =>
      store.look(['ada'], async () => [
        await store.readDocument(notes, 'notes.md'),
        await store.read([{ log: unnamed }]).then(([slice]) => (slice as LogSlice | undefined)?.lines.length),
        (await store.size(SESSION)).total,
      ]);
    await store.read([{ log: SESSION }]);
    const [text, lines, size] = await turn();
    expect([text, lines]).toEqual([undefined, undefined]);
    trips();
    expect(await turn()).toEqual([undefined, undefined, size]);
    expect(trips()).toBe(1);
    await other.writeDocument(notes, 'notes.md', 'of another server');
    expect((await turn())[0]).toBe('of another server');
    await other.append(unnamed, [record('mem_b')], NEW);
    expect((await turn())[1]).toBe(1);
    await store.look(['ada'], async () => {
      await store.writeDocument(notes, 'notes.md', 'of this one');
      expect(await store.readDocument(notes, 'notes.md')).toBe('of this one');
    });
    for (const each of [store, other]) await each.close();
  });

  it('is over for the rest of its work when a value is gone that it knows of', async () => {
    const account = randomUUID();
    const managers = [0, 1].map(
      () => new MemoryManager({ store: database.store(account), account, semantic: false }),
    );
    const [mine, others] = await Promise.all(managers.map((manager) => manager.layers()));
    await managers[0]!.createSession('ada', { session_id: 'chat' });
    await mine!.details.store('chat', { content: 'one xyzzy two', key: 'log' });
    const read = async () => (await mine!.details.retrieve('ada', 'log')).content;
    await mine!.look(['ada'], async () => {
      expect(await read()).toBe('one xyzzy two');
      await others!.details.redact('ada', 'log', 'xyzzy');
      expect(await read()).toBe('one [redacted] two');
    });
    await mine!.look(['ada'], async () => {
      expect(await read()).toBe('one [redacted] two');
      await others!.privacy.forget({ session: 'chat', ids: ['log'] });
      await expect(read()).rejects.toMatchObject({ code: 'DETAIL_NOT_FOUND' });
    });
    for (const manager of managers) await manager.close();
  });

  it('is no reason to answer from memory outside of it', async () => {
    const account = randomUUID();
    const { store, trips } = counted(account);
    await store.append(SESSION, [record('mem_a')], NEW);
    const [slice] = (await store.read([{ log: SESSION }])) as [LogSlice];
    trips();
    expect(await store.read([{ log: SESSION, after: slice.position }])).toEqual([UNCHANGED]);
    expect(trips()).toBe(1);
    await store.close();
  });
});

describe('the first look at a user', () => {
  /** Two sessions each, and an index of ada's. */
  async function filled(account: string): Promise<void> {
    const { manager } = started(account);
    for (const user of ['ada', 'bob'])
      for (const session of [`${user}-one`, `${user}-two`]) {
        await manager.createSession(user, { session_id: session });
        const entries = Array.from({ length: 6 }, (_, i) => `The harbour of ${session} has number ${i}.`);
        await manager.addMemories(
          session,
          entries.map((content) => ({ type: 'finding', content })),
        );
      }
    await manager.recall('ada', 'harbour');
    await manager.close();
  }

  function started(account: string) {
    const { store, trips } = counted(account);
    const indexLimits = { sealAtDocuments: 8 };
    return { manager: new MemoryManager({ store, semantic: false, indexLimits }), trips };
  }

  it('lets a recall end after three trips, with an index and without one', async () => {
    const account = randomUUID();
    await filled(account);
    const writer = started(account).manager;
    for (const [user, count] of [
      ['ada', 12],
      ['bob', 12],
      // Another process writes between the index and the recall: a trip for what is new.
      ['ada', 13],
    ] as const) {
      if (count === 13) await writer.addMemory('ada-two', { type: 'finding', content: 'A harbour is new.' });
      const { manager, trips } = started(account);
      await manager.recall('another', 'harbour');
      trips();
      expect(await manager.recall(user, 'harbour', { limit: 20 })).toHaveLength(count);
      expect(trips()).toBe(count === 13 ? 4 : 3);
      await manager.close();
    }
    await writer.close();
  });

  it('finds what is in more sessions than it brings', async () => {
    const account = randomUUID();
    const { manager } = started(account);
    for (let i = 0; i < 205; i++) {
      await manager.createSession('ada', { session_id: `many-${i}` });
      await manager.addMemory(`many-${i}`, { type: 'finding', content: `The harbour has number ${i}.` });
    }
    await manager.close();
    const cold = started(account).manager;
    expect(await cold.recall('ada', 'harbour', { limit: 300 })).toHaveLength(205);
    await cold.close();
  });

  it('says once that there is no index, and knows what is written and removed in its course', async () => {
    const account = randomUUID();
    await filled(account);
    const { store, trips } = counted(account);
    const load = () => store.loadIndex('bob', 'index', () => [], true);
    await store.look(['bob'], async () => {
      trips();
      const { sessionIds, mark } = await store.follow('bob');
      expect([sessionIds, await load(), trips()]).toEqual([['bob-one', 'bob-two'], undefined, 0]);
      const other = started(account).manager;
      await other.recall('bob', 'harbour');
      await other.close();
      expect(await load()).toBeDefined();
      const one = { kind: 'session', id: 'bob-one', userId: 'bob' } as const;
      await store.append(one, [record('mem_a')]);
      expect((await store.follow('bob', mark)).sessionIds).toContain('bob-one');
      await store.remove(one);
      expect((await store.follow('bob')).sessionIds).toEqual(['bob-two']);
    });
    await store.close();
  });
});

describe('beside the logs', () => {
  it('reads a value that is too large to hold in stretches', async () => {
    const store = database.store();
    await store.append(SESSION, [], NEW);
    const bytes = Buffer.alloc(3_000_001).map((_, i) => (i * 7 + (i >> 12)) & 255);
    async function* pieces() {
      for (let at = 0; at < bytes.length; at += 100_003) yield bytes.subarray(at, at + 100_003);
    }
    expect(await store.writeBlob(SESSION, 'large', pieces())).toBe(bytes.length);
    const blob = (await store.openBlob(SESSION, 'large'))!;
    for (const [offset, length] of [
      [0, 10],
      [262_140, 10],
      [1_048_570, 600_000],
      [2_999_990, 100],
    ] as const)
      expect(Buffer.compare(await blob.read(offset, length), bytes.subarray(offset, offset + length))).toBe(
        0,
      );
    await store.removeBlobs(SESSION, ['large']);
    await expect(blob.read(2_000_000, 5)).rejects.toMatchObject({ code: 'DETAIL_NOT_FOUND' });
    await store.close();
  });

  it('removes the drafts of killed writers', async () => {
    const account = randomUUID();
    const store = database.store(account);
    await store.append(SESSION, [], NEW);
    const root = poolFor(database.server, 'postgres');
    const draft = (age: string) =>
      root.query(
        `INSERT INTO detail_values (user_id, account_id, session_id, value_id, chunk, written_at, bytes)
         VALUES ('ada', $1, 'one', gen_random_uuid(), 0, now() - $2::interval, 'x')`,
        [account, age],
      );
    await draft('2 hours');
    await draft('1 minute');
    expect(await store.list('blob', 'one')).toEqual([]);
    const { rows } = await root.query('SELECT count(*) FROM detail_values WHERE account_id = $1', [account]);
    expect(rows[0].count).toBe('1');
    await root.end();
    await store.close();
  });

  it('gives a claim to another when its holder is gone', async () => {
    const account = randomUUID();
    const [store, other] = [database.store(account), database.store(account)];
    expect(await store.claim('retention')).toBeDefined();
    expect(await other.claim('retention')).toBeUndefined();
    const root = poolFor(database.server, 'postgres');
    await root.query("UPDATE leases SET expires_at = now() - interval '1 second' WHERE account_id = $1", [
      account,
    ]);
    const release = await other.claim('retention');
    expect(release).toBeDefined();
    await store.close();
    expect(
      (await root.query('SELECT count(*) FROM leases WHERE account_id = $1', [account])).rows[0].count,
    ).toBe('1');
    await other.close();
    expect(
      (await root.query('SELECT count(*) FROM leases WHERE account_id = $1', [account])).rows[0].count,
    ).toBe('0');
    await root.end();
  });
});

describe('the views', () => {
  it('show what the memory holds, in the words of SQL', async () => {
    const account = randomUUID();
    const store = database.store(account);
    const manager = new MemoryManager({ store, semantic: false });
    await manager.createSession('ada', { session_id: 'chat' });
    const first = await manager.addMemory('chat', {
      type: 'decision',
      content: 'Use Postgres.',
      tags: ['db'],
    });
    const second = await manager.addMemory('chat', { type: 'finding', content: 'Gone soon.' });
    await manager.deleteMemory('chat', second);
    const timestamp = '2026-03-02T10:00:00.000Z';
    const { transcripts, notes } = await manager.layers();
    await transcripts.archive('chat', [
      { id: 'm1', role: 'user', content: 'Hello.', timestamp },
      { id: 'm2', role: 'assistant', content: 'Hi.', timestamp },
    ]);
    await notes.apply('ada', 'helper', { operation: 'overwrite', content: 'Likes tea.' });
    const ask = async (query: string) => {
      const client = await database.pool.connect();
      await client.query('BEGIN');
      await client.query('SELECT longhand.enter($1)', [
        JSON.stringify({ account_id: account, role: 'service' }),
      ]);
      const { rows } = await client.query(query);
      await client.query('ROLLBACK');
      client.release();
      return rows;
    };
    expect(
      await ask('SELECT id, session_id, user_id, type, content, importance, tags FROM memories'),
    ).toEqual([
      {
        id: first,
        session_id: 'chat',
        user_id: 'ada',
        type: 'decision',
        content: { text: 'Use Postgres.' },
        importance: 0.5,
        tags: ['db'],
      },
    ]);
    expect(await ask('SELECT id, role, content FROM chat_messages ORDER BY id')).toEqual([
      { id: 'm1', role: 'user', content: 'Hello.' },
      { id: 'm2', role: 'assistant', content: 'Hi.' },
    ]);
    const [history] = await ask('SELECT message_batch, start_timestamp FROM recent_conversation_history');
    expect(history.message_batch[1]).toEqual({ id: 'm2', text: 'Hi.', sender: 'ai', timestamp });
    expect(history.start_timestamp.toISOString()).toBe(timestamp);
    expect(await ask('SELECT session_id, user_id, summary, summarized_count FROM chat_sessions')).toEqual([
      { session_id: 'chat', user_id: 'ada', summary: null, summarized_count: 0 },
    ]);
    expect(await ask('SELECT agent_name, notes FROM agent_long_term_memory')).toEqual([
      { agent_name: 'helper', notes: 'Likes tea.' },
    ]);
    expect(await ask('SELECT memory_key, memory_type, content, is_active FROM agent_memories')).toEqual([
      { memory_key: first, memory_type: 'decision', content: 'Use Postgres.', is_active: true },
    ]);
    await manager.close();
  });
});
