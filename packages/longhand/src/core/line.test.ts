import { describe, expect, it } from 'vitest';
import { encodeLine, LINE_OVERHEAD_BYTES, LogLine, TAIL_BYTES } from './line.ts';
import { sha256Hex } from './sha256.ts';

function lineOf(text: string): LogLine {
  const bytes = Buffer.from(text);
  return new LogLine(bytes, 0, bytes.length, 0, 1);
}
const BODY = '{"schema_version":1,"id":"mem_a","content":"Ü"}';
const withoutNewline = (text: string): string => text.slice(0, -1);

describe('encodeLine', () => {
  it('closes a record with its number and the checksum of everything before', () => {
    const covered = `${BODY.slice(0, -1)},"seq":42`;
    expect(encodeLine(BODY, 42, true)).toBe(`${covered},"checksum":"sha256:${sha256Hex(covered)}"}\n`);
    expect(encodeLine(BODY, 42, false)).toBe(`${covered}}\n`);
  });

  it('adds no more than it says, and closes within the tail', () => {
    const added = Buffer.byteLength(encodeLine('{"a":1}', Number.MAX_SAFE_INTEGER, true)) - '{"a":1}'.length;
    expect(added).toBeLessThanOrEqual(LINE_OVERHEAD_BYTES);
    expect(added + 1).toBeLessThanOrEqual(TAIL_BYTES);
  });
});

describe('LogLine', () => {
  it('gives the parts of a line of its own', () => {
    const text = withoutNewline(encodeLine(BODY, 42, true));
    const line = lineOf(text);
    expect([line.text, line.length, line.seq, line.memoryId]).toEqual([
      text,
      Buffer.byteLength(text),
      42,
      'mem_a',
    ]);
    expect(line.bytes.toString()).toBe(text);
    expect([line.hasChecksumField, line.check()]).toEqual([true, 'verified']);
  });

  it('takes a person’s line without a checksum, and no other thing', () => {
    const states = {
      [withoutNewline(encodeLine(BODY, 7, false))]: 'unverified',
      '{"a":1}': 'unverified',
      '{"a":"short"}': 'unverified',
      '{}': 'unverified',
      '[1]': 'damaged',
      null: 'damaged',
      '"text"': 'damaged',
      '{"a":': 'damaged',
      '{"a":1,"checksum":"md5:1"}': 'damaged',
      [`{"a":1,"checksvm":"sha256:${'0'.repeat(64)}"}`]: 'damaged',
    };
    for (const [text, state] of Object.entries(states)) expect(lineOf(text).check(), text).toBe(state);
  });

  it('takes the line of another program, whose checksum covers a form of its own', () => {
    const entry = { id: 'mem_001', type: 'finding', content: { text: 'x' }, tags: [], references: [] };
    const sealed = (value: object, checksum: string) => JSON.stringify({ ...value, checksum });
    const canonical = JSON.stringify(entry, Object.keys(entry).sort());
    const zeros = `sha256:${'0'.repeat(64)}`;
    for (const checksum of [`sha256:${sha256Hex(canonical)}`, zeros])
      expect(lineOf(sealed(entry, checksum)).check()).toBe('unverified');
    const front = JSON.stringify({ checksum: zeros, ...entry });
    expect(lineOf(front).check()).toBe('unverified');
    const withVersion = { schema_version: 1, ...entry };
    const right = `sha256:${sha256Hex(JSON.stringify(withVersion, Object.keys(withVersion).sort()))}`;
    expect(lineOf(sealed(withVersion, right)).check()).toBe('unverified');
    expect(lineOf(sealed(withVersion, zeros)).check()).toBe('damaged');
    expect(lineOf(sealed({ ...entry, seq: 4 }, zeros)).check()).toBe('damaged');
    expect(lineOf(sealed({ type: 'finding' }, zeros)).check()).toBe('damaged');
  });

  it('sees that a byte was changed', () => {
    const text = withoutNewline(encodeLine(BODY, 42, true));
    expect(lineOf(text.replace('mem_a', 'mem_b')).check()).toBe('damaged');
    expect(lineOf(text.replace('"seq":42', '"seq":43')).check()).toBe('damaged');
  });

  it('reads a number only where a writer puts it', () => {
    expect(lineOf('{"a":1,"seq":5}').seq).toBe(5);
    expect(lineOf('{"a":1,"seq":5x}').seq).toBeUndefined();
    expect(lineOf('{"a":1}').seq).toBeUndefined();
    expect(lineOf('').seq).toBeUndefined();
    expect(new LogLine(Buffer.from('{"a":1,"seq":5}'), 0, 0, 0, 1).seq).toBeUndefined();
  });

  it('reads an id only where a memory has it', () => {
    expect(lineOf('{"schema_version":1,"id":"').memoryId).toBeUndefined();
    expect(lineOf('{"schema_version":1,"kind":"session_x"}').memoryId).toBeUndefined();
    expect(lineOf('{"schema_version":1,"id":"mem_a').memoryId).toBeUndefined();
    const two = Buffer.from('{"schema_version":1,"id":"mem_a\n"}');
    expect(new LogLine(two, 0, two.indexOf('\n'), 0, 1).memoryId).toBeUndefined();
  });
});
