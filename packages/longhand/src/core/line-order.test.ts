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
  it('is their number, and the next one for those that have none, until the numbers have caught up', () => {
    expect(ordersOf([7, undefined, undefined, 8, 9, 20])).toEqual([7, 8, 9, 10, 11, 20]);
  });

  it('is the same when they are numbered by it, also without some of them', () => {
    const seq = fc.option(fc.nat(20), { nil: undefined });
    fc.assert(
      fc.property(fc.array(fc.tuple(seq, fc.boolean())), (lines) => {
        const orders = ordersOf(lines.map(([number]) => number));
        const kept = orders.filter((_, at) => lines[at]![1]);
        expect(ordersOf(kept)).toEqual(kept);
      }),
    );
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
