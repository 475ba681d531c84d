import { describe, expect, it } from 'vitest';
import type { MemoryEntry } from '../../core/records.ts';
import { SessionRegistry } from './session-registry.ts';
import { Tail } from './tail.ts';

const WORDS = ['roses', 'rose', 'gardens', 'garden', 'tokens', 'rotated', 'the', 'naïve'];

function entry(number: number): MemoryEntry {
  const words = Array.from(
    { length: 1 + (number % 5) },
    (_, at) => WORDS[(number * (at + 3)) % WORDS.length],
  );
  return {
    schema_version: 1,
    id: `mem_${number}`,
    session_id: `sess_${number % 7}`,
    timestamp: new Date(1_760_000_000_000 + number * 60_000).toISOString(),
    type: 'conversation',
    content: { speaker: number % 3 === 0 ? 'Ada' : 'Ben', text: words.join(' ') },
    importance: 0.5,
    tags: [`topic.${number % 4}`],
    references: number % 6 === 0 ? [`mem_${number - 1}`] : [],
    decay_factor: 1,
    provenance: { author: 'user', trust: 'owner' },
  };
}

describe('a tail', () => {
  it('finds the same whether its documents came one by one or all at once', () => {
    const registry = new SessionRegistry();
    const [slow, quick] = [new Tail(), new Tail()];
    for (let number = 0; number < 2_000; number++) {
      slow.add(entry(number), number, { log: 0, offset: 0, length: 0 }, registry);
      slow.postings('rose');
      // Some of it is in the postings when the rest comes.
      if (number === 20) quick.postings('rose');
      quick.add(entry(number), number, { log: 0, offset: 0, length: 0 }, registry);
    }
    for (const tail of [slow, quick]) for (let dead = 5; dead < 2_000; dead += 9) tail.remove(dead, registry);
    const terms = [...slow.lexicon.terms, ...slow.labelTerms.filter((_, at) => at % 50 === 0), 'unknown'];
    expect(terms.length).toBeGreaterThan(20);
    // Long enough for both ways: searches of the stream, and then postings.
    for (const round of [1, 2, 3]) {
      for (const term of terms)
        expect(quick.postings(term), `${term}, round ${round}`).toEqual(slow.postings(term));
    }
  });
});
