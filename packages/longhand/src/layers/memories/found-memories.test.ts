import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { MemoryEntry } from '../../core/records.ts';
import { FoundMemories } from './found-memories.ts';

const MEGABYTE = 1024 * 1024;
const PLACE = { log: 1, offset: 7, length: 100 };
const LARGE = { ...PLACE, length: MEGABYTE };

function entryOf(changes: Partial<Record<keyof MemoryEntry, unknown>> = {}): MemoryEntry {
  return {
    schema_version: 1,
    id: 'mem_1',
    session_id: 'sess_1',
    timestamp: '2026-01-01T00:00:00.000Z',
    type: 'finding',
    content: { message: 'The door is green.', count: 3, isSure: true, nothing: null },
    importance: 0.5,
    decay_factor: 1,
    tags: ['door', 'colour'],
    references: [],
    provenance: { author: 'user', trust: 'user' },
    ...changes,
  } as unknown as MemoryEntry;
}

function keptAs(entry: MemoryEntry): MemoryEntry | undefined {
  const found = new FoundMemories(true);
  found.keep(entry.id, { entry, generation: 'g', place: PLACE });
  return found.get(entry.id, 'g', PLACE);
}

describe('found memories', () => {
  test.each<[string, Partial<Record<keyof MemoryEntry, unknown>>]>([
    ['plain', {}],
    ['with references', { references: ['mem_2', 'mem_3'] }],
    ['without tags', { tags: [] }],
    ['with objects in the content', { content: { message: 'm', by: { name: 'n', ages: [1, 2] } } }],
    ['with an empty content', { content: {} }],
    [
      'with keys that objects have',
      { content: JSON.parse('{"__proto__":"a","constructor":"b","2":"c","1":"d"}') },
    ],
    [
      'with numbers that JSON has no other word for',
      { content: { huge: Number.POSITIVE_INFINITY, zero: -0 } },
    ],
    ['with a list for content', { content: ['a', 'b'] }],
    ['with tags that are no list', { tags: 'door' }],
    ['with tags that are no texts', { tags: [1, { a: 1 }] }],
    ['with an unknown field', { colour: 'green' } as object],
    ['without provenance', { provenance: null }],
    ['with a number for its id’s session', { session_id: 5 }],
  ])('come back as they were: %s', (_, changes) => {
    const entry = entryOf(changes);
    const kept = keptAs(entry);
    expect(kept).toStrictEqual(entry);
    expect(JSON.stringify(kept)).toBe(JSON.stringify(entry));
  });

  test('come back as they were, whatever they hold, and with nothing of each other', () => {
    const value = fc.oneof(fc.string(), fc.double({ noNaN: true }), fc.boolean(), fc.jsonValue());
    const fields = fc.dictionary(fc.constantFrom('a', 'b', '__proto__', '1'), value, {
      noNullPrototype: true,
    });
    const changes = fc.record(
      {
        content: fields,
        provenance: fields,
        importance: value,
        decay_factor: value,
        note: value,
        type: value,
        tags: fc.array(fc.string(), { maxLength: 3 }),
        references: fc.array(fc.string(), { maxLength: 2 }),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.array(changes, { maxLength: 8 }), (many) => {
        const found = new FoundMemories(true);
        const entries = many.map((own, at) => entryOf({ id: `mem_${at}`, ...own }));
        for (const entry of entries) {
          found.keep(entry.id, { entry, generation: 'g', place: PLACE });
        }
        for (const entry of entries) {
          const kept = found.get(entry.id, 'g', PLACE);
          expect(kept).toStrictEqual(entry);
          expect(JSON.stringify(kept)).toBe(JSON.stringify(entry));
        }
      }),
    );
  });

  test('belong to the caller: no other caller sees a change to one', () => {
    for (const content of [{ message: 'm' }, { message: 'm', by: { name: 'n' } }]) {
      const entry = entryOf({ content, references: ['mem_2'] });
      const before = JSON.stringify(entry);
      const found = new FoundMemories(true);
      found.keep('mem_1', { entry, generation: 'g', place: PLACE });
      const theirs = [entry, found.get('mem_1', 'g', PLACE)!] as unknown as Record<
        string,
        Record<string, unknown>
      >[];
      for (const own of theirs) {
        own.content!.message = 'changed';
        own.provenance!.author = 'changed';
        (own.tags as unknown as string[]).push('changed');
        (own.references as unknown as string[]).length = 0;
        delete own.importance;
      }
      expect(JSON.stringify(found.get('mem_1', 'g', PLACE))).toBe(before);
    }
  });

  test('are those of a place in a log, and of no other', () => {
    const found = new FoundMemories(true);
    found.keep('mem_1', { entry: entryOf(), generation: 'g', place: PLACE });
    expect(found.get('mem_1', 'g', PLACE)).toBeDefined();
    expect(found.get('mem_1', 'h', PLACE)).toBeUndefined();
    for (const other of [{ log: 2 }, { offset: 8 }, { length: 99 }]) {
      expect(found.get('mem_1', 'g', { ...PLACE, ...other })).toBeUndefined();
    }
    expect(found.get('mem_2', 'g', PLACE)).toBeUndefined();
    found.keep('mem_1', {
      entry: entryOf({ type: 'decision' }),
      generation: 'h',
      place: { ...PLACE, offset: 9 },
    });
    expect(found.get('mem_1', 'g', PLACE)).toBeUndefined();
    expect(found.get('mem_1', 'h', { ...PLACE, offset: 9 })?.type).toBe('decision');
  });

  test('are forgotten when others have come, unless they are asked for', () => {
    const found = new FoundMemories(true);
    const keep = (id: string): void =>
      found.keep(id, { entry: entryOf({ id }), generation: 'g', place: LARGE });
    keep('asked for');
    keep('not asked for');
    for (let n = 0; n < 30; n++) {
      keep(`other ${n}`);
      expect(found.get('asked for', 'g', LARGE)?.id).toBe('asked for');
    }
    expect(found.get('not asked for', 'g', LARGE)).toBeUndefined();
  });

  test('are none when nothing is to be kept, or one is too large', () => {
    const nothing = new FoundMemories(false);
    nothing.keep('mem_1', { entry: entryOf(), generation: 'g', place: PLACE });
    expect(nothing.get('mem_1', 'g', PLACE)).toBeUndefined();
    const found = new FoundMemories(true);
    found.keep('mem_1', { entry: entryOf(), generation: 'g', place: { ...PLACE, length: 9 * MEGABYTE } });
    expect(found.get('mem_1', 'g', { ...PLACE, length: 9 * MEGABYTE })).toBeUndefined();
  });
});
