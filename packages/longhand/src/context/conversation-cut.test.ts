import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CutItem, findCut } from './tail.ts';

const item = (number: number, tokens = 10): CutItem => ({
  identity: `msg_${number}`,
  tokens,
  isOpening: number % 2 === 0,
});

describe('findCut', () => {
  it('cuts nothing when all fits and all is there', () => {
    expect(findCut([item(0), item(1)], 20, 'all')).toBe(0);
    expect(findCut([], 20, 'all')).toBe(0);
  });

  it('keeps the newest stretch that fits, and most of the room filled', () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 80 });
    fc.assert(
      fc.property(sizes, fc.integer({ min: 0, max: 600 }), fc.boolean(), (tokens, room, isComplete) => {
        const items = tokens.map((size, number) => item(number, size));
        const cut = findCut(items, room, isComplete ? 'all' : 'mark');
        const kept = tokens.slice(cut).reduce((sum, size) => sum + size, 0);
        expect(kept).toBeLessThanOrEqual(room);
        const next = tokens[cut - 1] ?? 0;
        // Either the half is filled, or the next message is too large to fit.
        if (cut > 0) expect(kept >= room / 2 || kept + next > room).toBe(true);
      }),
    );
  });

  it('stays where it is for many turns while a conversation grows', () => {
    let changes = 0;
    let before: string | undefined;
    for (let length = 100; length < 600; length += 2) {
      const items = Array.from({ length }, (_, number) => item(number));
      const first = items[findCut(items, 400, 'all')]!.identity;
      if (before !== undefined && first !== before) changes++;
      before = first;
    }
    // 250 turns; without chunks every one of them would begin at another message.
    expect(changes).toBeLessThan(60);
  });
});
