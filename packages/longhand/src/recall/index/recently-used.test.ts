import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RecentlyUsed } from './caches.ts';

describe('what was used lately', () => {
  it('is there as long as less than half of the room was used since', () => {
    const uses = fc.array(fc.record({ key: fc.nat(30), isRead: fc.boolean() }), { maxLength: 200 });
    fc.assert(
      fc.property(uses, fc.integer({ min: 2, max: 40 }), (all, room) => {
        const kept = new RecentlyUsed<number, string>(room);
        const order: number[] = [];
        for (const { key, isRead } of all) {
          const value = isRead ? kept.get(key) : undefined;
          if (value === undefined) kept.set(key, `value of ${key}`);
          else expect(value).toBe(`value of ${key}`);
          const since = new Set(order.slice(order.lastIndexOf(key) + 1));
          if (isRead && order.includes(key) && since.size < Math.floor(room / 2) - 1)
            expect(value).toBeDefined();
          order.push(key);
        }
      }),
    );
  });

  it('keeps no more than there is room for', () => {
    const kept = new RecentlyUsed<number, number>(10);
    for (let key = 0; key < 100; key++) kept.set(key, key);
    const found = Array.from({ length: 100 }, (_, key) => kept.get(key)).filter(
      (value) => value !== undefined,
    );
    expect(found.length).toBeLessThanOrEqual(10);
    const none = new RecentlyUsed<number, number>(0);
    none.set(1, 1);
    expect(none.get(1)).toBeUndefined();
  });
});
