import { describe, expect, test } from 'vitest';
import { FrameMemory } from './caches.ts';
import { RecallIndex } from './recall-index.ts';
import { Segment } from './segment.ts';
import type { SegmentReader } from './segment-format.ts';

describe('the memory of frames', () => {
  test('takes no more than two generations, however many frames are put into it', () => {
    const memory = new FrameMemory(100, 2);
    const used = new Set<ArrayBufferLike>();
    for (let i = 0; i < 1_000; i++) {
      const room = memory.take(30);
      if (room === undefined) memory.turn();
      else used.add(room.buffer);
    }
    expect(memory.generation).toBeGreaterThan(10);
    expect(used.size).toBe(4);
  });

  test('leaves what was put into it as it is until the generation after the next', () => {
    const memory = new FrameMemory(100, 1);
    const fill = (value: number): Uint8Array[] => {
      const rooms: Uint8Array[] = [];
      for (let room = memory.take(40); room !== undefined; room = memory.take(40))
        rooms.push(room.fill(value));
      return rooms;
    };
    const first = fill(1);
    expect(first).toHaveLength(2);
    memory.turn();
    const second = fill(2);
    expect(first.every((room) => room.every((byte) => byte === 1))).toBe(true);
    memory.turn();
    fill(3);
    expect(second.every((room) => room.every((byte) => byte === 2))).toBe(true);
    expect(first.every((room) => room.every((byte) => byte === 3))).toBe(true);
  });

  test('does not turn as long as there is room, and keeps no frame that is larger than its pieces', () => {
    const memory = new FrameMemory(100, 1);
    expect(memory.take(101)).toBeUndefined();
    memory.take(100);
    memory.turn();
    expect(memory.generation).toBe(0);
    expect(memory.take(1)).toBeUndefined();
    memory.turn();
    expect(memory.generation).toBe(1);
    expect(memory.take(100)).toHaveLength(100);
  });

  test('is that of all segments', () => {
    const frames = ['garden', 'desk'].map((word) => {
      const index = new RecallIndex();
      const [timestamp, type] = ['2026-01-01T00:00:00.000Z', 'finding'] as const;
      const entry = { id: `mem_${word}`, session_id: 's', timestamp, type, content: { text: word } };
      const rest = { importance: 0.5, tags: [], references: [], decay_factor: 1, schema_version: 1 };
      index.add({ ...entry, ...rest } as never, 1, { log: 0, offset: 0, length: 1 });
      const segment = new Segment(readerOf(index.sealTail()));
      return segment.frame(segment.find(word)!.postings);
    });
    expect(frames[0]!.buffer).toBe(frames[1]!.buffer);
    expect(frames[0]!.byteOffset).not.toBe(frames[1]!.byteOffset);
  });
});

function readerOf(bytes: Uint8Array): SegmentReader {
  return {
    size: bytes.length,
    read: (offset, length, into) => {
      const part = bytes.subarray(offset, offset + length);
      if (into === undefined) return part;
      into.set(part);
      return into.subarray(0, part.length);
    },
  };
}
