import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FileStore, type JsonObject, type MemoryEntry, MemoryManager, MemoryStore } from '../src/index.ts';
import { lasting } from '../src/testing/lasting-store.ts';
import { sized, temporaryFolder } from './campaign.ts';

/**
 * What is accepted comes back: the same values, from the same bytes, at once, after opening the store again, and
 * after a compaction. What one store cannot hold, every store refuses.
 */
const RUNS = sized(1_000, 100_000);
/** Memories checked together in one session. */
const PER_SESSION = 50;

const oddText = fc.constantFrom(
  '\u2028',
  '\u2029',
  '\ufeff',
  '\ufeffafter a mark',
  'e\u0301',
  '\u00e9',
  '\r\n',
  '\n',
  '"',
  '\\',
  '\\u0041',
  '😀',
  '\u202e right to left',
  '","seq":7,"checksum":"sha256:',
  '{"schema_version":1,"id":"',
  '\u0001\u001f\u007f',
  '__proto__',
  'constructor',
);
const text = fc.oneof(
  { weight: 2, arbitrary: oddText },
  { weight: 2, arbitrary: fc.string({ unit: 'grapheme' }) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary' }) },
);
const key = fc.oneof(
  text,
  fc.constantFrom(
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
    'seq',
    'checksum',
    'id',
    'record',
  ),
);
const number = fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }));
const value = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    text,
    number,
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.array(fc.tuple(key, tie('value')), { maxLength: 4 }).map(objectOf),
  ),
})).value;
/** One value is always there: without any, there is nothing to remember, and it is refused. */
const content = fc
  .array(fc.tuple(key, value), { maxLength: 6 })
  .map((fields) => objectOf([...fields, ['said', true]]));

/** With own properties alone, `__proto__` among them. */
function objectOf(entries: readonly (readonly [string, unknown])[]): Record<string, unknown> {
  const object: Record<string, unknown> = {};
  for (const [name, item] of entries) {
    Object.defineProperty(object, name, {
      value: item,
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return object;
}

/** What every store must refuse: NUL and half surrogate pairs, in any value or key. */
function isHoldable(item: unknown): boolean {
  if (typeof item === 'string') return !item.includes('\0') && item.isWellFormed();
  if (typeof item !== 'object' || item === null) return true;
  return Object.entries(item).every(([name, inner]) => isHoldable(name) && isHoldable(inner));
}

interface House {
  readonly open: () => MemoryManager;
}

function fileHouse(): House {
  const root = join(temporaryFolder(false), 'store');
  return { open: () => new MemoryManager({ store: new FileStore({ root }) }) };
}

function memoryHouse(): House {
  const store = lasting(new MemoryStore());
  return { open: () => new MemoryManager({ store }) };
}

async function exported(manager: MemoryManager, session: string): Promise<string[]> {
  return (await manager.exportSession(session, 'jsonl')).split('\n').slice(0, -1);
}

describe.each([
  ['files', fileHouse],
  ['memory', memoryHouse],
])('through the store of %s', (_, makeHouse) => {
  test(`${RUNS} contents come back as they were, or are refused`, async () => {
    const house = makeHouse();
    let sessions = 0;
    const property = fc.asyncProperty(
      fc.array(content, { minLength: PER_SESSION, maxLength: PER_SESSION }),
      async (contents) => {
        const session = `s${++sessions}`;
        let manager = house.open();
        await manager.createSession('ada', { session_id: session });
        const kept = new Map<string, unknown>();
        for (const each of contents) {
          const adding = manager.addMemory(session, { type: 'finding', content: each as JsonObject });
          if (isHoldable(each)) kept.set(await adding, each);
          else await expect(adding).rejects.toMatchObject({ code: 'INVALID_TEXT' });
        }
        const first = await exported(manager, session);
        const check = async (): Promise<void> => {
          expect(await exported(manager, session)).toEqual(first);
          expect(first).toHaveLength(kept.size);
          for (const [id, given] of kept) {
            const entry = (await manager.getMemory(session, id))!;
            expectSame(entry.content, given);
          }
        };
        await check();
        await manager.close();
        manager = house.open();
        await check();
        await manager.compactSession(session);
        await check();
        await manager.deleteSession(session);
        await manager.close();
      },
    );
    await fc.assert(property, { numRuns: Math.ceil(RUNS / PER_SESSION) });
  });

  test('ids and references with the names of built-in properties', async () => {
    await using manager = makeHouse().open();
    const { id: session } = await manager.createSession('ada');
    const ids = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf'];
    for (const id of ids) expect(await manager.getMemory(session, id)).toBeNull();
    for (const id of ids) {
      await manager.addMemory(session, { type: 'finding', id, content: { id }, references: ids, tags: ids });
    }
    for (const id of ids) {
      expect(await manager.getMemory(session, id)).toMatchObject({
        id,
        content: { id },
        references: ids,
        tags: ids,
      });
    }
    await manager.rebuildIndex(session);
    expect(await manager.deleteMemory(session, '__proto__')).toBe(true);
    expect(await manager.deleteMemory(session, '__proto__')).toBe(false);
    expect(await manager.getMemory(session, 'constructor')).not.toBeNull();
    await manager.compactSession(session);
    expect((await manager.getSessionStats(session)).total_entries).toBe(ids.length - 1);
  });

  test('a content of exactly 1 MB comes back whole, one byte more is refused', async () => {
    await using manager = makeHouse().open();
    const { id: session } = await manager.createSession('ada');
    const filler = (bytes: number): JsonObject => ({
      text: 'é'.repeat(Math.floor((bytes - 11) / 2)).padEnd(bytes - 11 - Math.floor((bytes - 11) / 2), 'x'),
    });
    const exact = filler(1_048_576);
    expect(Buffer.byteLength(JSON.stringify(exact))).toBe(1_048_576);
    const id = await manager.addMemory(session, { type: 'finding', content: exact });
    expect((await manager.getMemory(session, id))!.content).toEqual(exact);
    const tooLarge = manager.addMemory(session, { type: 'finding', content: filler(1_048_577) });
    await expect(tooLarge).rejects.toMatchObject({ code: 'CONTENT_TOO_LARGE' });
  });

  test('64 levels are held, 65 are refused, and so is a circle', async () => {
    await using manager = makeHouse().open();
    const { id: session } = await manager.createSession('ada');
    const nested = (levels: number, isList: boolean): JsonObject => {
      let inner: unknown = 'core';
      for (let i = 1; i < levels; i++) inner = isList ? [inner] : { inner };
      return { inner } as JsonObject;
    };
    for (const isList of [true, false]) {
      const id = await manager.addMemory(session, { type: 'finding', content: nested(64, isList) });
      expect((await manager.getMemory(session, id))!.content).toEqual(nested(64, isList));
      const tooDeep = manager.addMemory(session, { type: 'finding', content: nested(65, isList) });
      await expect(tooDeep).rejects.toMatchObject({ code: 'CONTENT_TOO_DEEP' });
    }
    const circle: Record<string, unknown> = {};
    circle.self = circle;
    const endless = manager.addMemory(session, { type: 'finding', content: circle as JsonObject });
    await expect(endless).rejects.toMatchObject({ code: 'CONTENT_TOO_DEEP' });
    expect((await manager.getSessionStats(session)).total_entries).toBe(2);
  });

  test('NUL and half surrogate pairs are refused wherever they stand', async () => {
    await using manager = makeHouse().open();
    const { id: session } = await manager.createSession('ada');
    for (const bad of ['\0', 'a\0b', '\ud800', 'x\udc00', '\udc00\ud800']) {
      for (const each of [{ bad }, { [bad]: 1 }, { list: [[bad]] }, { deep: { [bad]: null } }]) {
        const adding = manager.addMemory(session, { type: 'finding', content: each });
        await expect(adding).rejects.toMatchObject({ name: 'ValidationError', code: 'INVALID_TEXT' });
      }
    }
    expect((await manager.getSessionStats(session)).total_entries).toBe(0);
  });
});

test('the bytes in the file are those of the JSON text, in UTF-8', async () => {
  const root = join(temporaryFolder(false), 'store');
  await using manager = new MemoryManager({ storageRoot: root });
  const { id: session } = await manager.createSession('ada');
  const content = { nfc: '\u00e9', nfd: 'e\u0301', separators: '\u2028\u2029', mark: '\ufeff' };
  const id = await manager.addMemory(session, { type: 'finding', content });
  const lineOf = (): Buffer => {
    const log = readFileSync(join(root, 'sessions', session, 'memory.jsonl'));
    const at = log.indexOf(`"id":"${id}"`);
    return log.subarray(log.lastIndexOf(0x0a, at) + 1, log.indexOf(0x0a, at));
  };
  const before = lineOf();
  expect(before.includes(Buffer.from(`"content":${JSON.stringify(content)}`))).toBe(true);
  await manager.compactSession(session);
  expect(lineOf().equals(before)).toBe(true);
});

/** Equal in every value and in the order of keys; JSON has one zero. */
function expectSame(actual: MemoryEntry['content'], given: unknown): void {
  expect(JSON.stringify(actual)).toBe(JSON.stringify(given));
}
