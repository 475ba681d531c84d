import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { renderMemory } from './new-memory.ts';
import type { JsonObject, MemoryEntry } from './records.ts';

describe('renderMemory', () => {
  it('writes exactly what JSON.stringify writes', () => {
    const entries = fc.record({
      schema_version: fc.constant(1),
      id: fc.stringMatching(/^[A-Za-z0-9_]{1,32}$/),
      session_id: fc.stringMatching(/^[A-Za-z0-9_-]{1,64}$/),
      timestamp: fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
      type: fc.constantFrom('conversation', 'decision', 'finding', 'preference'),
      content: fc.dictionary(fc.string(), fc.jsonValue()) as fc.Arbitrary<JsonObject>,
      importance: fc.double({ min: 0, max: 1, noNaN: true }),
      decay_factor: fc.double({ min: 0, max: 1, noNaN: true }),
      tags: fc.array(fc.string()),
      references: fc.array(fc.string()),
      provenance: fc.record({
        author: fc.constant('user'),
        trust: fc.constant('owner'),
        source: fc.string(),
      }),
    }) as fc.Arbitrary<MemoryEntry>;
    fc.assert(
      fc.property(entries, (entry) => {
        expect(renderMemory(entry)).toBe(JSON.stringify(entry));
      }),
    );
  });
});
