import { describe, expect, test } from 'vitest';
import { LIMITS } from './limits.ts';
import { type MemoryDefaults, parseNewMemory, parseTag } from './new-memory.ts';

const NOW = Date.UTC(2026, 0, 10);
const defaults: MemoryDefaults = {
  sessionId: 'sess_1',
  nowMs: NOW,
  makeId: (prefix) => `${prefix}made`,
  decayFactorOf: (_, timestampMs) => (timestampMs < NOW ? 0.5 : 1),
};
const parse = (input: unknown) => parseNewMemory(input, defaults);
const least = { type: 'finding', content: { text: 'x' } };

describe('a new memory', () => {
  test('needs a type and a content, and gets the rest', () => {
    const { entry, body, hasOwnId } = parse(least);
    expect(entry).toEqual({
      schema_version: 1,
      id: 'mem_made',
      session_id: 'sess_1',
      timestamp: '2026-01-10T00:00:00.000Z',
      type: 'finding',
      content: { text: 'x' },
      importance: 0.5,
      decay_factor: 1,
      tags: [],
      references: [],
      provenance: { author: 'user', trust: 'owner' },
    });
    expect(body).toBe(JSON.stringify(entry));
    // The order of the fields is part of the file format: the id can be found without parsing.
    expect(body.startsWith('{"schema_version":1,"id":"mem_made",')).toBe(true);
    expect(hasOwnId).toBe(false);
  });

  test('may be a plain text, and is a finding unless it says otherwise', () => {
    const { entry } = parse({ content: 'tea' });
    expect(entry).toMatchObject({
      type: 'finding',
      content: { text: 'tea' },
      provenance: { author: 'user' },
    });
    expect(parse({ type: 'preference', content: 'tea' }).entry.type).toBe('preference');
    expect(parse({ content: { text: 'tea' } }).entry.type).toBe('finding');
    expect(() => parse({ type: 'finding', content: ' \n' })).toThrow(/blank/);
    expect(() => parse({ type: 'finding', content: 'a\0b' })).toThrow(
      expect.objectContaining({ code: 'INVALID_TEXT' }),
    );
  });

  test.each([3, 12])('is refused when its list of %i tags has a hole', (length) => {
    const tags = Array.from({ length }, (_, i) => `t${i}`);
    delete tags[1];
    expect(() => parse({ ...least, tags })).toThrow(/tag/);
  });

  test('keeps what it brings', () => {
    const given = {
      id: 'mine',
      timestamp: '2026-01-09T01:00:00+01:00',
      importance: 0,
      decay_factor: 0.25,
      tags: ['Security.auth', 'a', 'a'],
      references: ['b', 'b', 'c'],
      provenance: { author: 'tool', source: 'browser', message_id: 'm1', agent_id: 'ann' },
    };
    const { entry, hasOwnId } = parse({ ...least, ...given });
    expect(entry).toMatchObject({
      id: 'mine',
      timestamp: '2026-01-09T00:00:00.000Z',
      importance: 0,
      decay_factor: 0.25,
    });
    const { timestamp } = given;
    expect(parse({ ...least, timestamp }).entry.decay_factor).toBe(0.5);
    for (const decay_factor of [-0.1, 1.1, '1', null])
      expect(() => parse({ ...least, decay_factor })).toThrow(/decay_factor must be a number/);
    expect(entry.tags).toEqual(['Security.auth', 'a']);
    expect(entry.references).toEqual(['b', 'c']);
    expect(entry.provenance).toEqual({
      author: 'tool',
      trust: 'external',
      source: 'browser',
      message_id: 'm1',
      agent_id: 'ann',
    });
    expect(hasOwnId).toBe(true);
  });

  test.each([
    [{ role: 'user' }, undefined, 'user', 'owner'],
    [{ role: 'assistant' }, undefined, 'assistant', 'agent'],
    [{ role: 'tool' }, undefined, 'tool', 'external'],
    [{ role: 'assistant' }, { author: 'import' }, 'import', 'external'],
    [{ text: 'x' }, { author: 'system' }, 'system', 'owner'],
    [{ text: 'x' }, { trust: 'untrusted' }, 'user', 'untrusted'],
    [{ text: 'x' }, { author: undefined, trust: undefined }, 'user', 'owner'],
  ])('by %j with %j was written by the %s and is trusted as %s', (content, provenance, author, trust) => {
    expect(parse({ type: 'finding', content, provenance }).entry.provenance).toEqual({ author, trust });
  });

  test.each([
    [undefined, 'INVALID_ENTRY'],
    [null, 'INVALID_ENTRY'],
    [[], 'INVALID_ENTRY'],
    [{}, 'INVALID_ENTRY'],
    [{ ...least, colour: 'red' }, 'INVALID_ENTRY'],
    [{ ...least, seq: 1 }, 'INVALID_ENTRY'],
    [{ ...least, type: 'note' }, 'INVALID_ENTRY'],
    [{ type: 'finding' }, 'INVALID_CONTENT'],
    [{ ...least, id: 'a b' }, 'INVALID_ID'],
    [{ ...least, references: ['a b'] }, 'INVALID_ID'],
    [{ ...least, provenance: { agent_id: '' } }, 'INVALID_NAME'],
    [{ ...least, provenance: [] }, 'INVALID_ENTRY'],
  ])('%j is refused with %s', (input, code) => {
    expect(() => parse(input)).toThrow(expect.objectContaining({ name: 'ValidationError', code }));
  });

  test.each([{}, { text: '' }, { text: ' \n' }, { a: null, b: [], c: { d: '' } }, { a: undefined }])(
    'needs something to remember, and %j is nothing',
    (content) => {
      const refusal = expect.objectContaining({ code: 'INVALID_CONTENT' });
      expect(() => parse({ type: 'finding', content })).toThrow(refusal);
      // What was kept before comes back as it was, and what stands in a log stays.
      expect(parse({ type: 'finding', content, decay_factor: 1 }).entry.content).toEqual(content);
      const inLog = { ...defaults, isInLog: true };
      expect(parseNewMemory({ type: 'finding', content }, inLog).entry.content).toEqual(content);
    },
  );

  test.each([{ count: 0 }, { done: false }, { list: [null, { deep: 'x' }] }])(
    '%j is something',
    (content) => {
      expect(parse({ type: 'finding', content }).entry.content).toEqual(content);
    },
  );

  test('without a content is told so, whatever else is missing', () => {
    for (const input of [{}, { type: 'finding' }, { tags: ['a'] }])
      expect(() => parse(input)).toThrow('A memory needs a content');
  });

  test('may take 1 MB of content, in bytes, and not one more', () => {
    const sized = (text: string) => ({ type: 'finding', content: { text } });
    const room = LIMITS.contentBytes - '{"text":""}'.length;
    expect(() => parse(sized('x'.repeat(room)))).not.toThrow();
    expect(() => parse(sized('é'.repeat(room / 2)))).not.toThrow();
    for (const text of ['x'.repeat(room + 1), 'é'.repeat(room / 2 + 1), `x${'\n'.repeat(room / 2 + 1)}`]) {
      expect(() => parse(sized(text))).toThrow(expect.objectContaining({ code: 'CONTENT_TOO_LARGE' }));
    }
  });
});

test.each(['a', 'A-b_9', 'security.authentication', 'x'.repeat(32), 'a.b.c', '-', '_'])(
  '%s is a tag',
  (tag) => {
    expect(parseTag(tag)).toBe(tag);
  },
);

test.each(['', ' ', 'a b', '.a', 'a.', 'a..b', 'a/b', 'a,b', '#a', 'a\0', 'x'.repeat(33), 7, null])(
  '%j is no tag',
  (tag) => {
    expect(() => parseTag(tag)).toThrow(expect.objectContaining({ code: 'INVALID_TAG' }));
  },
);
