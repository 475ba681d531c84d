/** Numbers from 0 to 1 that are the same on every run. */
export type Random = () => number;

export function createRandom(seed: number): Random {
  let state = seed;
  return () => {
    // A linear congruence over 32 bits: good enough to shuffle and to pick words.
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

export function shuffle<Item>(items: readonly Item[], random: Random): Item[] {
  return items
    .map((item) => ({ item, key: random() }))
    .sort((a, b) => a.key - b.key)
    .map(({ item }) => item);
}
