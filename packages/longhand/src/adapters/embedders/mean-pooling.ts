/**
 * One vector for each text of a batch: the mean of its tokens' vectors, without the padding, at length 1.
 *
 * @param hidden text by text, token by token
 * @param mask 1 for a token, 0 for padding, in the same order
 */
export function meanPooling(
  hidden: Float32Array,
  mask: readonly number[],
  {
    texts,
    tokens,
    dimensions,
  }: { readonly texts: number; readonly tokens: number; readonly dimensions: number },
): Float32Array[] {
  return Array.from({ length: texts }, (_, text) => {
    // The mean's divisor goes away with the length.
    const sum = new Float64Array(dimensions);
    for (let token = text * tokens; token < (text + 1) * tokens; token++) {
      if (mask[token] !== 1) continue;
      for (let at = 0; at < dimensions; at++) sum[at]! += hidden[token * dimensions + at]!;
    }
    const length = Math.sqrt(sum.reduce((squares, value) => squares + value * value, 0));
    return Float32Array.from(sum, (value) => (length === 0 ? 0 : value / length));
  });
}
