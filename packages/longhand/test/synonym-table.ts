import { encodeTable } from '../../vectors/make/encode-table.ts';

/** A small table for tests: the words of a group have one vector, at right angles to those of up to 31 other groups. */
export function synonymTable(groups: readonly (readonly string[])[], id = '0000000000000000'): Uint8Array {
  const words = groups.flatMap((group, number) => {
    // A row of Hadamard's matrix.
    const isOdd = (bits: number): boolean => bits !== 0 && isOdd(bits & (bits - 1)) === false;
    const vector = Float32Array.from({ length: 32 }, (_, at) => (isOdd(number & at) ? -1 : 1));
    return group.map((word) => ({ word, vector }));
  });
  return encodeTable(words, id);
}
