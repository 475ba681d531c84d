import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BEFORE_FIRST_LINE, orderAfter } from './line-order.ts';

function ordersOf(seqs: readonly (number | undefined)[]): number[] {
  let before = BEFORE_FIRST_LINE;
  return seqs.map((seq) => {
    before = orderAfter(before, seq);
    return before;
  });
}

describe('the order of lines', () => {
  it('is their number, and between two numbers for those that have none', () => {
    const [own, first, second, next] = ordersOf([7, undefined, undefined, 8]);
    expect([own, next]).toEqual([7, 8]);
    expect(first).toBeGreaterThan(7);
    expect(second).toBeGreaterThan(first!);
    expect(second).toBeLessThan(8);
  });

  it('rises with the lines, whatever their numbers are', () => {
    const seq = fc.option(fc.oneof(fc.nat(5), fc.nat(Number.MAX_SAFE_INTEGER - 1)), { nil: undefined });
    fc.assert(
      fc.property(fc.array(seq), (seqs) => {
        const orders = ordersOf(seqs);
        for (const [at, order] of orders.entries()) expect(order).toBeGreaterThan(orders[at - 1] ?? 0);
      }),
    );
  });
});
