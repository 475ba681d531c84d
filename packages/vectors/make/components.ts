import { MODEL_DIMENSIONS as D } from './model.ts';

export function meanOf(vectors: Float32Array): Float64Array {
  const mean = new Float64Array(D);
  for (let at = 0; at < vectors.length; at++) mean[at % D]! += vectors[at]! / (vectors.length / D);
  return mean;
}

/** The directions in which vectors differ most, the first ones first. */
export function principalComponents(
  vectors: Float32Array,
  mean: Float64Array,
  count: number,
): Float64Array[] {
  const matrix = Array.from({ length: D }, () => new Float64Array(D));
  const vector = new Float64Array(D);
  for (let from = 0; from < vectors.length; from += D) {
    for (let at = 0; at < D; at++) vector[at] = vectors[from + at]! - mean[at]!;
    for (let row = 0; row < D; row++) {
      const cells = matrix[row]!;
      for (let at = 0; at < D; at++) cells[at]! += vector[row]! * vector[at]!;
    }
  }
  const turned = matrix.map((_, at) => new Float64Array(D).fill(1, at, at + 1));
  diagonalise(matrix, turned);
  return turned
    .map((direction, at) => ({ direction, spread: matrix[at]![at]! }))
    .sort((left, right) => right.spread - left.spread)
    .slice(0, count)
    .map(({ direction }) => direction);
}

/** Jacobi's method: turns pairs of axes until nothing is left beside the diagonal. */
function diagonalise(matrix: readonly Float64Array[], axes: readonly Float64Array[]): void {
  const SWEEPS = 12;
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    for (let p = 0; p < D; p++) {
      for (let q = p + 1; q < D; q++) {
        const beside = matrix[p]![q]!;
        if (Math.abs(beside) < 1e-10) continue;
        const half = (matrix[q]![q]! - matrix[p]![p]!) / (2 * beside);
        const tangent = Math.sign(half || 1) / (Math.abs(half) + Math.sqrt(half * half + 1));
        const cosine = 1 / Math.sqrt(tangent * tangent + 1);
        const sine = tangent * cosine;
        turn(matrix[p]!, matrix[q]!, cosine, sine);
        for (const row of matrix) {
          const [x, y] = [row[p]!, row[q]!];
          row[p] = cosine * x - sine * y;
          row[q] = sine * x + cosine * y;
        }
        turn(axes[p]!, axes[q]!, cosine, sine);
      }
    }
  }
}

function turn(left: Float64Array, right: Float64Array, cosine: number, sine: number): void {
  for (let at = 0; at < D; at++) {
    const [x, y] = [left[at]!, right[at]!];
    left[at] = cosine * x - sine * y;
    right[at] = sine * x + cosine * y;
  }
}

/** The vectors along some directions, each an array of its own. */
export function project(
  vectors: Float32Array,
  mean: Float64Array,
  directions: readonly Float64Array[],
): Float32Array[] {
  return Array.from({ length: vectors.length / D }, (_, number) =>
    Float32Array.from(directions, (direction) => {
      let sum = 0;
      for (let at = 0; at < D; at++) sum += (vectors[number * D + at]! - mean[at]!) * direction[at]!;
      return sum;
    }),
  );
}
