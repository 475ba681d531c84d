/** So often all sentences are gone through. More gains nothing. */
const ROUNDS = 4;
const RATE = 0.5;
/** How strongly a word is held where it began: rare words should not follow the few sentences that have them. */
const HOLD = 0.02;

/**
 * Moves the vectors of words so that their sum over a sentence points where the model puts the sentence. What a word
 * counts beside others is learned with it, as the length of its vector.
 * @param words changed in place
 * @param sentences the words of each, by their numbers
 * @param goals of length 1, one for each sentence
 */
export function fit(
  words: readonly Float32Array[],
  sentences: readonly (readonly number[])[],
  goals: readonly Float32Array[],
): void {
  const begun = words.map((vector) => vector.slice());
  const seen = new Float64Array(words.length);
  const sum = new Float64Array(words[0]!.length);
  let state = 1;
  const order = sentences.map((_, number) => number);
  for (let round = 0; round < ROUNDS; round++) {
    for (let at = order.length - 1; at > 0; at--) {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      const other = Math.floor((state / 2 ** 32) * (at + 1));
      [order[at], order[other]] = [order[other]!, order[at]!];
    }
    let distance = 0;
    for (const number of order) {
      const sentence = sentences[number]!;
      const goal = goals[number]!;
      sum.fill(0);
      for (const word of sentence) for (let d = 0; d < sum.length; d++) sum[d]! += words[word]![d]!;
      const length = Math.hypot(...sum);
      if (length < 1e-6) continue;
      let cosine = 0;
      for (let d = 0; d < sum.length; d++) cosine += (sum[d]! / length) * goal[d]!;
      distance += 1 - cosine;
      for (const word of sentence) {
        seen[word]!++;
        const step = (RATE * length) / sentence.length / Math.sqrt(seen[word]!);
        const vector = words[word]!;
        const first = begun[word]!;
        for (let d = 0; d < sum.length; d++) {
          const slope = (cosine * sum[d]!) / length - goal[d]!;
          vector[d]! -= step * (slope + HOLD * (vector[d]! - first[d]!));
        }
      }
    }
    console.log(`  round ${round + 1}: mean distance ${(distance / order.length).toFixed(4)}`);
  }
}
