import type { Clock } from '../core/clock.ts';

/** A clock that stands still until a test moves it. */
export class FakeClock implements Clock {
  #nowMs: number;
  #monotonicMs = 0;

  constructor(nowMs = Date.UTC(2026, 0, 1)) {
    this.#nowMs = nowMs;
  }

  now(): number {
    return this.#nowMs;
  }

  monotonic(): number {
    return this.#monotonicMs;
  }

  /** Time passes: both clocks go on. */
  advance(ms: number): void {
    if (ms < 0) throw new RangeError('Time only passes forward. Use jumpTo for a clock that is set back.');
    this.#nowMs += ms;
    this.#monotonicMs += ms;
  }

  /** As when a person sets the system's clock. The monotonic clock does not move. */
  jumpTo(nowMs: number): void {
    this.#nowMs = nowMs;
  }
}
