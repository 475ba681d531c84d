import { existsSync, readdirSync } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeFileName, encodeFileName, parseMemoryId, parseSessionId } from '../src/core/ids.ts';
import { readLog } from '../src/core/read-log.ts';
import { FileStore, LIMITS, MemoryManager } from '../src/index.ts';
import { sized, temporaryFolder } from './campaign.ts';

/** Names that people and attackers give to things: accepted or refused, and never a way out of the store. */
const FUZZ_RUNS = sized(2_000, 100_000);
const finding = { type: 'finding', content: { text: 'x' } } as const;

const ESCAPES = [
  '..',
  '.',
  '../..',
  '../../etc/passwd',
  '/etc/passwd',
  'a/b',
  'a\\b',
  'C:\\x',
  '..\\..',
  '%2e%2e%2f',
  'a/../b',
];
const ODD = [
  '',
  ' ',
  'a b',
  'a\0b',
  '\0',
  'a\nb',
  'con.',
  'nul.txt',
  'x'.repeat(300),
  '\u202eabc',
  'é',
  '😀',
  'a.',
  'a ',
  '.a',
  '~',
  '$HOME',
  '*',
  'a:b',
  '\ud800',
];
const NO_STRINGS: unknown[] = [undefined, null, 7, {}, [], ['a'], Symbol('a'), true];

async function openStore(): Promise<{ manager: MemoryManager; root: string; parent: string }> {
  const parent = temporaryFolder(false);
  const root = join(parent, 'store');
  return { manager: new MemoryManager({ storageRoot: root }), root, parent };
}

/** Nothing appeared outside of the store. */
function expectInside(parent: string): void {
  expect(readdirSync(parent)).toEqual(['store']);
}

test('session ids are 1 to 64 letters, digits, underscores and hyphens', async () => {
  const { manager, parent } = await openStore();
  const accepted = [
    'a',
    'A-b_9',
    '-',
    '_',
    '0'.repeat(64),
    'CON',
    'nul',
    '__proto__',
    'constructor',
    'sess_20260110_user123',
    crypto.randomUUID(),
  ];
  for (const id of accepted) {
    expect((await manager.createSession('ada', { session_id: id })).id).toBe(id);
    await manager.addMemory(id, finding);
  }
  expect((await manager.listSessions()).map(({ id }) => id)).toEqual([...accepted].sort());
  const refused = [...ESCAPES, ...ODD, 'x'.repeat(65), 'sess.1', 'sess 1'];
  for (const id of refused) {
    const refusal = { name: 'ValidationError', code: 'INVALID_ID' };
    await expect(manager.createSession('ada', { session_id: id })).rejects.toMatchObject(refusal);
    await expect(manager.loadSession(id)).rejects.toMatchObject(refusal);
    await expect(manager.addMemory(id, finding)).rejects.toMatchObject(refusal);
    await expect(manager.deleteSession(id)).rejects.toMatchObject(refusal);
    await expect(manager.exportSession(id)).rejects.toMatchObject(refusal);
    await expect(manager.compactSession(id)).rejects.toMatchObject(refusal);
    await expect(manager.getSessionStats(id)).rejects.toMatchObject(refusal);
  }
  for (const id of NO_STRINGS) {
    await expect(manager.loadSession(id as string)).rejects.toMatchObject({ code: 'INVALID_ID' });
  }
  expect(await manager.listSessions()).toHaveLength(accepted.length);
  await manager.close();
  expectInside(parent);
});

test('memory ids are 1 to 32 letters, digits and underscores', async () => {
  const { manager } = await openStore();
  const { id: session } = await manager.createSession('ada');
  const accepted = ['a', 'mem_1', '_', 'Z'.repeat(32), 'CON', '__proto__', 'toString', '0'];
  for (const id of accepted) {
    expect(await manager.addMemory(session, { ...finding, id })).toBe(id);
    expect((await manager.getMemory(session, id))!.id).toBe(id);
  }
  const refused: unknown[] = [...ESCAPES, ...ODD, 'x'.repeat(33), 'mem-1', 'mem.1', ...NO_STRINGS.slice(1)];
  for (const id of refused) {
    const refusal = { name: 'ValidationError', code: 'INVALID_ID' };
    await expect(manager.addMemory(session, { ...finding, id: id as string })).rejects.toMatchObject(refusal);
    await expect(
      manager.addMemory(session, { ...finding, references: [id as string] }),
    ).rejects.toMatchObject(refusal);
    await expect(manager.getMemory(session, id as string)).rejects.toMatchObject(refusal);
    await expect(manager.deleteMemory(session, id as string)).rejects.toMatchObject(refusal);
  }
  expect((await manager.getSessionStats(session)).total_entries).toBe(accepted.length);
  await manager.close();
});

test('names of users and agents may be any readable text; their folders never leave the root', async () => {
  const { manager, root, parent } = await openStore();
  const names = [
    ...ESCAPES,
    'CON',
    'nul.txt',
    'com1',
    'LPT9.x',
    'Ada Lovelace',
    'ada@example.org',
    'a.',
    'a ',
    ' a',
    '.a',
    'é',
    'e\u0301',
    '😀',
    '\u202eabc',
    'שלום',
    'ﬁ',
    'a%20b',
    '%',
    '%2E',
    '*?<>|":',
    'A',
    '__proto__',
    'x'.repeat(128),
  ];
  for (const name of names) {
    const { id } = await manager.createSession(name, { agents: [name] });
    const session = await manager.loadSession(id);
    expect([session.user_id, session.agents]).toEqual([name, [name]]);
    expect((await manager.listSessions(name)).map((each) => each.id)).toEqual([id]);
  }
  const folders = readdirSync(join(root, 'users'));
  expect(folders.map(decodeFileName).sort()).toEqual([...names].sort());
  const refused = [
    '',
    ' ',
    '\t',
    'a\0b',
    'a\nb',
    '\u007f',
    '\u0085',
    '\ud800',
    'x'.repeat(129),
    '😀'.repeat(60),
    ...NO_STRINGS,
  ];
  for (const name of refused) {
    const refusal = { name: 'ValidationError', code: 'INVALID_NAME' };
    await expect(manager.createSession(name as string)).rejects.toMatchObject(refusal);
    await expect(manager.createSession('ada', { agents: [name as string] })).rejects.toMatchObject(refusal);
  }
  expect(await manager.listSessions()).toHaveLength(names.length);
  await manager.close();
  expectInside(parent);
});

test('logs of agents lie under their encoded names', async () => {
  const { manager, root, parent } = await openStore();
  await manager.listSessions();
  await manager.close();
  const store = new FileStore({ root });
  const names = ['../../out', 'CON', 'a/b', 'Ärger', '.', '..'];
  for (const id of names)
    await store.append({ kind: 'agent', id }, ['{"schema_version":1,"record":"note"}'], { create: 'new' });
  expect(await store.list('agent')).toEqual([...names].sort());
  for (const id of names) expect((await readLog(store, { kind: 'agent', id })).lines).toHaveLength(1);
  await store.close();
  expectInside(parent);
  expect(existsSync(join(parent, 'out'))).toBe(false);
});

test(`${FUZZ_RUNS} names become file names and back, one name to one file, inside the folder`, () => {
  const oddCharacter = fc.constantFrom(
    '.',
    '/',
    '\\',
    '%',
    ' ',
    '\0',
    ':',
    '*',
    'é',
    '\u0301',
    'K',
    'ſ',
    '\u202e',
    '\ufeff',
    'İ',
    '~',
    '2',
    'E',
    'con',
    'NUL',
    '😀',
  );
  const name = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.array(oddCharacter, { minLength: 1, maxLength: 12 }).map((parts) => parts.join('')),
  );
  const folder = resolve('/somewhere/users');
  fc.assert(
    fc.property(name, name, (one, other) => {
      const encoded = encodeFileName(one);
      expect(decodeFileName(encoded)).toBe(one);
      if (one !== '') {
        const path = join(folder, encoded);
        expect(path.startsWith(folder + sep)).toBe(true);
        expect(path.slice(folder.length + 1)).toBe(encoded);
        expect(encoded).not.toMatch(/[/\\\0:*?"<>|]|^\.|[. ]$/);
        expect(encoded).not.toMatch(/^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)/i);
        expect(encoded.normalize('NFC')).toBe(encoded);
      }
      if (one !== other) expect(encodeFileName(other)).not.toBe(encoded);
    }),
    { numRuns: FUZZ_RUNS },
  );
  expect(LIMITS.nameFileBytes).toBeLessThan(255);
});

test(`${FUZZ_RUNS} ids are accepted when every character of them is, and refused by name when one is not`, () => {
  const allowed = [...'abcxyzABCXYZ0189_-'];
  const character = fc.oneof(
    { weight: 12, arbitrary: fc.constantFrom(...allowed) },
    { weight: 1, arbitrary: fc.constantFrom(...ESCAPES, ...ODD) },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }) },
  );
  const id = fc.array(character, { maxLength: 70 }).map((characters) => characters.join(''));
  const answers = (parse: (value: unknown) => string, value: string): boolean => {
    try {
      return parse(value) === value;
    } catch (error) {
      expect(error).toMatchObject({ name: 'ValidationError', code: 'INVALID_ID' });
      return false;
    }
  };
  const isPlain = (value: string, most: number, signs: string): boolean => {
    const codes = [...value].map((each) => each.codePointAt(0)!);
    const inRange = (code: number, from: string, to: string): boolean =>
      code >= from.charCodeAt(0) && code <= to.charCodeAt(0);
    const isAllowed = (code: number): boolean =>
      inRange(code, 'a', 'z') ||
      inRange(code, 'A', 'Z') ||
      inRange(code, '0', '9') ||
      signs.includes(String.fromCodePoint(code));
    return codes.length >= 1 && codes.length <= most && codes.every(isAllowed);
  };
  fc.assert(
    fc.property(id, (value) => {
      expect(answers(parseSessionId, value)).toBe(isPlain(value, LIMITS.sessionIdCharacters, '_-'));
      expect(answers(parseMemoryId, value)).toBe(isPlain(value, LIMITS.memoryIdCharacters, '_'));
    }),
    { numRuns: FUZZ_RUNS },
  );
});
