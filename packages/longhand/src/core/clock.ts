/** Time as a port, so that tests can move it and a skewed system clock harms nothing but timestamps. */
export interface Clock {
  /** Milliseconds since 1970, UTC. May jump in either direction. */
  now(): number;
  /** Milliseconds from an arbitrary start. Never goes back: every deadline is measured with it. */
  monotonic(): number;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
};
