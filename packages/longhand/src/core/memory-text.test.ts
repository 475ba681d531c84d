import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseNewMemory } from './new-memory.ts';

describe('the text of a memory', () => {
  it('is exactly what JSON.stringify writes', () => {
    const inputs = fc.record(
      {
        type: fc.constantFrom('conversation', 'decision', 'finding', 'preference'),
        content: fc
          .dictionary(textWithoutFaults(), fc.oneof(textWithoutFaults(), fc.integer(), fc.boolean()))
          .map((fields): object => ({ ...fields, said: true })),
        id: fc.stringMatching(/^[A-Za-z0-9_]{1,32}$/),
        timestamp: fc.date({ noInvalidDate: true, min: new Date(0), max: new Date('2100-01-01') }),
        importance: fc.double({ min: 0, max: 1, noNaN: true }),
        tags: fc.array(fc.stringMatching(/^[\p{L}\p{N}_-]{1,5}(\.[\p{L}\p{N}_-]{1,5})?$/u), {
          maxLength: 12,
        }),
        references: fc.array(fc.stringMatching(/^[A-Za-z0-9_]{1,32}$/), { maxLength: 12 }),
        provenance: fc.record(
          {
            author: fc.constantFrom('user', 'assistant', 'tool'),
            trust: fc.constantFrom('owner', 'agent', 'external'),
            agent_id: fc.constantFrom('Ada', 'the "one"'),
            message_id: textWithoutFaults(),
            source: textWithoutFaults(),
          },
          { requiredKeys: [] },
        ),
      },
      { requiredKeys: ['type', 'content'] },
    );
    fc.assert(
      fc.property(inputs, fc.double({ min: 0, max: 1, noNaN: true }), (input, decayFactor) => {
        const { entry, body } = parseNewMemory(input, {
          sessionId: 'sess_a-1',
          nowMs: 0,
          makeId: () => 'mem_made',
          decayFactorOf: () => decayFactor,
        });
        expect(body).toBe(JSON.stringify(entry));
      }),
    );
  });
});

function textWithoutFaults(): fc.Arbitrary<string> {
  return fc.string({ unit: 'grapheme', maxLength: 40 }).filter((text) => !text.includes('\0'));
}
