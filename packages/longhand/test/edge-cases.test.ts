import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  type JsonObject,
  type LonghandEvent,
  MemoryManager,
  type NewMemory,
  SizeLimitError,
} from '../src/index.ts';
import { startProcess, temporaryFolder } from './campaign.ts';

/** What users, editors, clocks and disks do sooner or later. Each has a clear answer, and loses nothing. */

interface Opened {
  readonly manager: MemoryManager;
  readonly root: string;
  readonly session: string;
  readonly folder: string;
  readonly events: LonghandEvent[];
}

async function open(): Promise<Opened> {
  const root = join(temporaryFolder(false), 'store');
  const events: LonghandEvent[] = [];
  const manager = new MemoryManager({ storageRoot: root, onEvent: (event) => events.push(event) });
  const { id: session } = await manager.createSession('ada', { session_id: 'edges' });
  return { manager, root, session, folder: join(root, 'sessions', session), events };
}

const finding = (text: string): NewMemory => ({ type: 'finding', content: { text } });

async function textsOf(manager: MemoryManager, session: string): Promise<unknown[]> {
  const lines = (await manager.exportSession(session, 'jsonl')).split('\n').slice(0, -1);
  return lines.map((line) => (JSON.parse(line) as { content: JsonObject }).content.text);
}

describe('the ten edge cases', () => {
  test('1. a session exactly at its 10 MB limit', async () => {
    const { manager, session } = await open();
    const limit = 10 * 1_048_576;
    const sizeOf = async (): Promise<number> => (await manager.getSessionStats(session)).total_size_bytes;
    const sizeBefore = await sizeOf();
    await manager.addMemory(session, finding('x'));
    const overhead = (await sizeOf()) - sizeBefore - 'x'.length;
    for (let i = 0; i < 7; i++) await manager.addMemory(session, finding('x'.repeat(1_000_000)));
    const first = await manager.addMemory(session, finding('x'.repeat(1_000_000)));
    for (let room = limit - (await sizeOf()); room > 0; room = limit - (await sizeOf())) {
      // One digit more in the sequence number from the tenth line on.
      const line = overhead + 1;
      const text = room > 1_100_000 ? 1_000_000 : room - line;
      await manager.addMemory(session, finding('y'.repeat(text)));
    }
    expect(await sizeOf()).toBe(limit);

    const refused: unknown = await manager.addMemory(session, finding('x')).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(SizeLimitError);
    expect(refused).toMatchObject({
      code: 'SESSION_FULL',
      details: {
        size_bytes: limit,
        limit_bytes: limit,
        log_bytes: limit,
        index_bytes: 0,
        tombstone_bytes: 0,
      },
    });
    expect(await sizeOf()).toBe(limit);
    // Deleting works when nothing else fits, and makes room.
    expect(await manager.deleteMemory(session, first)).toBe(true);
    const id = await manager.addMemory(session, finding('after all'));
    expect((await manager.getMemory(session, id))!.content.text).toBe('after all');
    expect(await sizeOf()).toBeLessThan(limit);
    await manager.close();
  });

  test('2. concurrent writes to the same session, through two managers', async () => {
    const { manager, root, session } = await open();
    await using other = new MemoryManager({ storageRoot: root });
    const ids = await Promise.all(
      Array.from({ length: 200 }, (_, i) =>
        (i % 2 === 0 ? manager : other).addMemory(session, finding(`number ${i}`)),
      ),
    );
    expect(new Set(ids).size).toBe(200);
    expect((await manager.getSessionStats(session)).total_entries).toBe(200);
    expect((await textsOf(other, session)).sort()).toEqual(ids.map((_, i) => `number ${i}`).sort());
    await manager.close();
  });

  test('3. power failure during a write leaves an incomplete line', async () => {
    const { manager, root, session, folder } = await open();
    await manager.addMemories(session, [finding('one'), finding('two')]);
    await manager.close();
    const path = join(folder, 'memory.jsonl');
    truncateSync(path, readFileSync(path).length - 40);

    const events: LonghandEvent[] = [];
    await using again = new MemoryManager({ storageRoot: root, onEvent: (event) => events.push(event) });
    expect(await textsOf(again, session)).toEqual(['one']);
    await again.addMemory(session, finding('three'));
    expect(await textsOf(again, session)).toEqual(['one', 'three']);
    expect(events.some(({ kind }) => kind === 'tail-healed')).toBe(true);
    expect((await again.getSessionStats(session)).corruption).toMatchObject({ torn: 1 });
  });

  test('4. a corrupted index file is never believed, and rebuilt', async () => {
    const { manager, root, session, folder } = await open();
    const id = await manager.addMemory(session, finding('kept'));
    await manager.rebuildIndex(session);
    await manager.close();
    for (const garbage of ['', '{', 'null', '{"version":99,"entries":{"mem_x":{}}}', '\0\0\0']) {
      writeFileSync(join(folder, 'index.json'), garbage);
      writeFileSync(join(folder, 'metadata.json'), garbage);
      await using again = new MemoryManager({ storageRoot: root });
      expect((await again.getMemory(session, id))!.content.text).toBe('kept');
      expect((await again.loadSession(session)).user_id).toBe('ada');
      expect(await again.rebuildIndex(session)).toMatchObject({ entries: 1, damaged_lines: 0 });
      expect(
        Object.keys(
          (JSON.parse(readFileSync(join(folder, 'index.json'), 'utf8')) as { entries: object }).entries,
        ),
      ).toEqual([id]);
    }
  });

  test('5. timestamps in the future are kept, and count as now', async () => {
    const { manager, session, folder } = await open();
    const timestamp = '2126-01-01T00:00:00.000Z';
    const id = await manager.addMemory(session, { ...finding('later'), timestamp, importance: 0.8 });
    expect(await manager.getMemory(session, id)).toMatchObject({ timestamp, decay_factor: 1 });
    await manager.rebuildIndex(session);
    const index = JSON.parse(readFileSync(join(folder, 'index.json'), 'utf8')) as {
      entries: Record<string, { current_relevance: number }>;
    };
    expect(index.entries[id]!.current_relevance).toBe(1.2);
    expect((await manager.compactSession(session, { dropFaded: true })).dropped).toEqual([]);
    await manager.close();
  });

  test('6. Unicode and special characters in the content', async () => {
    const { manager, root, session } = await open();
    const text =
      'Zürich 東京 שלום \u202e 👩‍👩‍👧 e\u0301 \u2028\u2029\ufeff "quotes" \\back\\ \n\r\t {"seq":1,"checksum":"sha256:"}';
    await manager.addMemory(session, finding(text));
    await manager.close();
    await using again = new MemoryManager({ storageRoot: root });
    expect(await textsOf(again, session)).toEqual([text]);
  });

  test('7. a single memory over 1 MB is refused, and nothing is written', async () => {
    const { manager, session } = await open();
    const before = (await manager.getSessionStats(session)).total_size_bytes;
    const refused = manager.addMemories(session, [finding('small'), finding('x'.repeat(1_048_577))]);
    await expect(refused).rejects.toMatchObject({ name: 'ValidationError', code: 'CONTENT_TOO_LARGE' });
    expect((await manager.getSessionStats(session)).total_size_bytes).toBe(before);
    await manager.close();
  });

  test('8. circular references between memories', async () => {
    const { manager, session } = await open();
    const ring = ['a', 'b', 'c'].map((id, i, all) => ({
      ...finding(id),
      id,
      references: [all[(i + 1) % all.length]!, id],
      importance: 0.1,
      timestamp: '2020-01-01T00:00:00Z',
    }));
    await manager.addMemories(session, ring);
    expect((await manager.getMemory(session, 'a'))!.references).toEqual(['b', 'a']);
    // A circle without a reference from outside fades as one; one that is referred to stays as one.
    const rehearsed = await manager.compactSession(session, { dropFaded: true, dryRun: true });
    expect(rehearsed.dropped.map(({ id }) => id)).toEqual(['a', 'b', 'c']);
    await manager.addMemory(session, { ...finding('why'), references: ['b'] });
    expect((await manager.compactSession(session, { dropFaded: true })).dropped).toEqual([]);
    await manager.close();
  });

  test('9. deleting what is not there', async () => {
    const { manager, session, events } = await open();
    const id = await manager.addMemory(session, finding('once'));
    const before = (await manager.getSessionStats(session)).total_size_bytes;
    expect(await manager.deleteMemory(session, 'mem_never')).toBe(false);
    expect(await manager.deleteMemoriesByTopic(session, 'nothing')).toBe(0);
    expect(await manager.deleteMemoriesByTimeRange(session, '1990-01-01', '1990-01-02')).toBe(0);
    expect(await manager.deleteSession('unknown')).toBe(false);
    expect((await manager.getSessionStats(session)).total_size_bytes).toBe(before);
    expect(await manager.deleteMemory(session, id)).toBe(true);
    expect(await manager.deleteMemory(session, id)).toBe(false);
    expect(events.filter(({ kind }) => kind === 'memories-deleted')).toHaveLength(1);
    await expect(manager.deleteMemory('unknown', id)).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
    await manager.close();
  });

  test('10. questions without an answer', async () => {
    const { manager, session } = await open();
    expect(await manager.getMemory(session, 'mem_never')).toBeNull();
    expect(await manager.listSessions('unknown')).toEqual([]);
    expect(await manager.exportSession(session, 'jsonl')).toBe('');
    expect(await manager.addMemories(session, [])).toEqual([]);
    expect(await manager.getSessionStats(session)).toMatchObject({ total_entries: 0, deleted: 0 });
    expect((await manager.compactSession(session)).dropped).toEqual([]);
    await expect(manager.loadSession('unknown')).rejects.toMatchObject({
      name: 'NotFoundError',
      code: 'SESSION_NOT_FOUND',
    });
    await manager.close();
  });
});

describe('bad input', () => {
  test.each([
    [
      'tags',
      'INVALID_TAG',
      [
        ['two words'],
        ['a..b'],
        ['.a'],
        ['a.'],
        ['a/b'],
        ['x'.repeat(33)],
        [''],
        [7],
        'security',
        Array.from({ length: 101 }, (_, i) => `t${i}`),
      ],
    ],
    [
      'timestamp',
      'INVALID_TIMESTAMP',
      [
        'yesterday',
        '',
        '2026-02-30T00:00:00Z',
        '2026-13-01',
        '2026-01-01T10:00:00',
        '10:00',
        1_700_000_000,
        new Date(Number.NaN),
        null,
      ],
    ],
    ['importance', 'INVALID_ENTRY', [-0.1, 1.1, Number.NaN, Number.POSITIVE_INFINITY, '0.5', null]],
    ['type', 'INVALID_ENTRY', ['thought', '', 'Finding', null, 7, '__proto__']],
    [
      'content',
      'INVALID_CONTENT',
      [
        ' \n',
        null,
        ['list'],
        7,
        { f: () => 1 },
        { n: Number.NaN },
        { n: 1n },
        { d: new Date() },
        { m: new Map() },
        { list: [undefined] },
      ],
    ],
    ['references', 'INVALID_ENTRY', ['mem_1', 7, Array.from({ length: 1_001 }, (_, i) => `m${i}`)]],
    [
      'provenance',
      'INVALID_ENTRY',
      [
        'me',
        { author: 'god' },
        { trust: 'full' },
        { source: 7 },
        { message_id: 'x'.repeat(257) },
        { other: 1 },
      ],
    ],
    ['mood', 'INVALID_ENTRY', ['good']],
  ])(
    'a memory with a wrong %s is refused with %s, and so is the batch around it',
    async (field, code, values) => {
      const { manager, session } = await open();
      for (const value of values) {
        const wrong = { ...finding('x'), [field]: value } as NewMemory;
        await expect(manager.addMemory(session, wrong)).rejects.toMatchObject({
          name: 'ValidationError',
          code,
        });
        await expect(manager.addMemories(session, [finding('a'), wrong, finding('b')])).rejects.toMatchObject(
          { code },
        );
      }
      expect((await manager.getSessionStats(session)).total_entries).toBe(0);
      await manager.close();
    },
  );

  test('what is no memory, no list, no option and no format', async () => {
    const { manager, session } = await open();
    for (const wrong of [undefined, null, 'x', [], 7]) {
      await expect(manager.addMemory(session, wrong as unknown as NewMemory)).rejects.toMatchObject({
        code: 'INVALID_ENTRY',
      });
    }
    await expect(manager.addMemories(session, finding('x') as unknown as NewMemory[])).rejects.toMatchObject({
      code: 'INVALID_ENTRY',
    });
    await expect(manager.exportSession(session, 'xml' as 'json')).rejects.toMatchObject({
      code: 'INVALID_OPTION',
    });
    await expect(manager.compactSession(session, { dryrun: true } as object)).rejects.toMatchObject({
      code: 'INVALID_OPTION',
    });
    await expect(manager.deleteMemory(session, 'a', { why: 'x' } as object)).rejects.toMatchObject({
      code: 'INVALID_OPTION',
    });
    await expect(manager.deleteMemoriesByTopic(session, 'a b')).rejects.toMatchObject({
      code: 'INVALID_TAG',
    });
    await expect(
      manager.deleteMemoriesByTimeRange(session, '2026-01-02', '2026-01-01'),
    ).rejects.toMatchObject({ code: 'INVALID_OPTION' });
    await expect(manager.createSession('ada', { colour: 'red' } as object)).rejects.toMatchObject({
      code: 'INVALID_OPTION',
    });
    await expect(manager.createSession('ada', { session_id: session })).rejects.toMatchObject({
      code: 'SESSION_EXISTS',
    });
    await expect(manager.updateSession(session, { user_id: 'eve' } as object)).rejects.toMatchObject({
      code: 'INVALID_OPTION',
    });
    expect(() => new MemoryManager({ root: 'x' } as object)).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTION' }),
    );
    await manager.close();
    await expect(manager.addMemory(session, finding('x'))).rejects.toMatchObject({ code: 'STORE_CLOSED' });
  });

  test('references to nothing are fine: what they name may come later', async () => {
    const { manager, session } = await open();
    const id = await manager.addMemory(session, { ...finding('x'), references: ['mem_later', 'mem_later'] });
    expect((await manager.getMemory(session, id))!.references).toEqual(['mem_later']);
    await manager.compactSession(session, { dropFaded: true });
    expect((await manager.getMemory(session, id))!.references).toEqual(['mem_later']);
    await manager.close();
  });
});

describe('a storage root', () => {
  const refused = { name: 'IOError', code: 'STORAGE_ROOT_UNUSABLE' };

  test('that is a file', async () => {
    const path = join(temporaryFolder(), 'file');
    writeFileSync(path, 'mine');
    await expect(new MemoryManager({ storageRoot: path }).createSession('ada')).rejects.toMatchObject(
      refused,
    );
    await expect(
      new MemoryManager({ storageRoot: join(path, 'inside') }).createSession('ada'),
    ).rejects.toMatchObject(refused);
    expect(readFileSync(path, 'utf8')).toBe('mine');
  });

  test('that is a symbolic link, or holds one', async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'real'), { mode: 0o700 });
    symlinkSync(join(folder, 'real'), join(folder, 'link'));
    await expect(
      new MemoryManager({ storageRoot: join(folder, 'link') }).createSession('ada'),
    ).rejects.toMatchObject(refused);
    const root = join(folder, 'store');
    mkdirSync(root, { mode: 0o700 });
    symlinkSync(join(folder, 'real'), join(root, 'sessions'));
    await expect(new MemoryManager({ storageRoot: root }).createSession('ada')).rejects.toMatchObject(
      refused,
    );
  });

  test('whose session or log is a symbolic link', async () => {
    const { manager, root, session } = await open();
    await manager.addMemory(session, finding('x'));
    await manager.close();
    symlinkSync(join(root, 'sessions', session), join(root, 'sessions', 'linked'));
    mkdirSync(join(root, 'sessions', 'half'), { mode: 0o700 });
    symlinkSync(
      join(root, 'sessions', session, 'memory.jsonl'),
      join(root, 'sessions', 'half', 'memory.jsonl'),
    );
    await using again = new MemoryManager({ storageRoot: root });
    for (const id of ['linked', 'half']) {
      await expect(again.loadSession(id)).rejects.toMatchObject({ name: 'IOError', code: 'UNSAFE_PATH' });
    }
  });

  test('that others can write to', async () => {
    const root = join(temporaryFolder(), 'store');
    mkdirSync(root);
    chmodSync(root, 0o777);
    await expect(new MemoryManager({ storageRoot: root }).createSession('ada')).rejects.toMatchObject(
      refused,
    );
  });

  test('that its user cannot write to, or that belongs to another user', async () => {
    const NOBODY = 65_534;
    const isRoot = process.getuid?.() === 0;
    const folder = temporaryFolder();
    chmodSync(folder, 0o755);
    const root = join(folder, 'store');
    mkdirSync(root);
    chmodSync(root, 0o555);
    // The superuser may write everywhere, so the process runs as the user `nobody`.
    const { ended, lines } = startProcess('open-store.ts', { root, ...(isRoot ? { userId: NOBODY } : {}) });
    await ended;
    expect(lines).toEqual(['STORAGE_ROOT_UNUSABLE']);
  });
});

describe('a log that a person has edited', () => {
  async function edited(edit: (text: string) => string): Promise<Opened & { ids: readonly string[] }> {
    const opened = await open();
    const ids = await opened.manager.addMemories(opened.session, [
      finding('one'),
      finding('two'),
      finding('three'),
    ]);
    await opened.manager.close();
    const path = join(opened.folder, 'memory.jsonl');
    writeFileSync(path, edit(readFileSync(path, 'utf8')));
    const manager = new MemoryManager({ storageRoot: opened.root });
    return { ...opened, manager, ids };
  }
  const all = ['one', 'two', 'three'];

  test('with an editor that ends lines with CRLF', async () => {
    const { manager, session, ids } = await edited((text) => text.replaceAll('\n', '\r\n'));
    expect(await textsOf(manager, session)).toEqual(all);
    expect((await manager.getMemory(session, ids[1]!))!.content.text).toBe('two');
    await manager.addMemory(session, finding('four'));
    await manager.compactSession(session);
    expect(await textsOf(manager, session)).toEqual([...all, 'four']);
    const { corruption, unverified } = await manager.getSessionStats(session);
    expect([corruption, unverified]).toEqual([{ checksum: 0, torn: 0, sequence: 0, schema: 0 }, 0]);
    await manager.close();
  });

  test('with an editor that left out the last newline', async () => {
    const { manager, session, ids } = await edited((text) => text.slice(0, -1));
    expect(await textsOf(manager, session)).toEqual(all);
    expect((await manager.getMemory(session, ids[2]!))!.content.text).toBe('three');
    await manager.addMemory(session, finding('four'));
    expect(await textsOf(manager, session)).toEqual([...all, 'four']);
    expect((await manager.getSessionStats(session)).corruption).toEqual({
      checksum: 0,
      torn: 0,
      sequence: 0,
      schema: 0,
    });
    await manager.close();
  });

  test('who left blank lines', async () => {
    const { manager, session } = await edited((text) =>
      `\n${text.replaceAll('\n', '\n\n')}  \n`.replace('  \n', '\n'),
    );
    expect(await textsOf(manager, session)).toEqual(all);
    await manager.addMemory(session, finding('four'));
    expect(await textsOf(manager, session)).toEqual([...all, 'four']);
    await manager.close();
  });

  test('who added a line with nothing but a type and a content', async () => {
    const { manager, session, root, folder } = await edited(
      (text) => `${text}{"type": "preference", "content": {"text": "tea"}}\n`,
    );
    expect(await textsOf(manager, session)).toEqual([...all, 'tea']);
    expect((await manager.getSessionStats(session)).unverified).toBe(1);
    const written = JSON.parse((await manager.exportSession(session, 'jsonl')).split('\n')[3]!) as {
      id: string;
    };
    expect(await manager.getMemory(session, written.id)).toEqual(written);
    // It keeps its id from the first reading on, through other processes and compaction, and then has a checksum.
    {
      await using other = new MemoryManager({ storageRoot: root });
      expect(await other.getMemory(session, written.id)).toEqual(written);
    }
    await manager.addMemory(session, finding('four'));
    await manager.compactSession(session);
    expect(await manager.getMemory(session, written.id)).toEqual(written);
    expect((await manager.getSessionStats(session)).unverified).toBe(0);
    expect(readFileSync(join(folder, 'memory.jsonl'), 'utf8')).toMatch(
      new RegExp(`"id":"${written.id}".*"checksum":"sha256:`),
    );
    expect(await manager.deleteMemory(session, written.id)).toBe(true);
    expect(await textsOf(manager, session)).toEqual([...all, 'four']);
    await manager.close();
  });

  test('who changed a line and left its checksum', async () => {
    const { manager, session, ids } = await edited((text) => text.replace('"text":"two"', '"text":"TWO"'));
    expect(await textsOf(manager, session)).toEqual(['one', 'three']);
    await expect(manager.getMemory(session, ids[1]!)).rejects.toMatchObject({
      name: 'CorruptionError',
      code: 'CORRUPT_ENTRY',
    });
    expect((await manager.getSessionStats(session)).corruption).toMatchObject({ checksum: 1 });
    await manager.close();
  });

  test('who changed a line and took its checksum away', async () => {
    const { manager, session, ids } = await edited((text) =>
      text.replace(/"text":"two"(.*),"checksum":"sha256:[0-9a-f]{64}"/, '"text":"TWO"$1'),
    );
    expect(await textsOf(manager, session)).toEqual(['one', 'TWO', 'three']);
    expect((await manager.getMemory(session, ids[1]!))!.content.text).toBe('TWO');
    await manager.compactSession(session);
    expect(await textsOf(manager, session)).toEqual(['one', 'TWO', 'three']);
    expect((await manager.getSessionStats(session)).unverified).toBe(0);
    await manager.close();
  });

  test('who wrote lines that are no memories', async () => {
    const wrong = [
      '{"type":"thought","content":{}}',
      '{"type":"finding"}',
      '{"record":"delete"}',
      '{"record":"delete","timestamp":"2026-01-01T00:00:00Z","ids":"all","reason":"x"}',
      '[1]',
      'null',
      '"text"',
      'just words',
      '{"type":"finding","content":{"text":"x"},"tags":["a b"]}',
      '{"half":',
    ];
    const { manager, session } = await edited((text) => `${text}${wrong.join('\n')}\n`);
    expect(await textsOf(manager, session)).toEqual(all);
    const { corruption } = await manager.getSessionStats(session);
    expect(corruption.checksum + corruption.torn + corruption.schema).toBe(wrong.length);
    await manager.addMemory(session, finding('four'));
    expect(await textsOf(manager, session)).toEqual([...all, 'four']);
    expect((await manager.compactSession(session)).quarantined).toBe(wrong.length);
    expect(await textsOf(manager, session)).toEqual([...all, 'four']);
    await manager.close();
  });

  test('while a process had it open and had read it', async () => {
    const { manager, session, folder, ids } = await edited((text) => text);
    expect((await manager.getMemory(session, ids[0]!))!.content.text).toBe('one');
    const path = join(folder, 'memory.jsonl');
    const text = readFileSync(path, 'utf8').replace(
      /"text":"one"(.*),"checksum":"sha256:[0-9a-f]{64}"/,
      '"text":"ONE"$1',
    );
    writeFileSync(path, text);
    expect((await manager.getMemory(session, ids[0]!))!.content.text).toBe('ONE');
    appendFileSync(path, '{"type":"finding","content":{"text":"tea"}}');
    expect(await textsOf(manager, session)).toEqual(['ONE', 'two', 'three', 'tea']);
    await manager.addMemory(session, finding('four'));
    expect(await textsOf(manager, session)).toEqual(['ONE', 'two', 'three', 'tea', 'four']);
    await manager.close();
  });

  test('so that the record of the owner is damaged: the rest can be read, counted and removed', async () => {
    const { manager, session, root, ids } = await edited((text) =>
      text.replace('"user_id":"ada"', '"user_id":"eve"'),
    );
    expect((await manager.getMemory(session, ids[0]!))!.content.text).toBe('one');
    expect(await textsOf(manager, session)).toEqual(all);
    expect(await manager.getSessionStats(session)).toMatchObject({
      total_entries: 3,
      corruption: { checksum: 1 },
    });
    const refused = { name: 'CorruptionError', code: 'CORRUPT_SESSION' };
    await expect(manager.loadSession(session)).rejects.toMatchObject(refused);
    await expect(manager.addMemory(session, finding('four'))).rejects.toMatchObject(refused);
    await manager.createSession('ada', { session_id: 'whole' });
    expect((await manager.listSessions()).map(({ id }) => id)).toEqual(['whole']);
    expect((await manager.listSessions('eve')).map(({ id }) => id)).toEqual([]);
    expect(await manager.deleteSession(session)).toBe(true);
    await manager.close();
    await using again = new MemoryManager({ storageRoot: root });
    expect((await again.listSessions()).map(({ id }) => id)).toEqual(['whole']);
  });
});
