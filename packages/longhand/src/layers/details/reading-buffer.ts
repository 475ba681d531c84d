import { STRETCH_BYTES } from './detail-scan.ts';

/**
 * Memory that large values are read into, a stretch at a time. A buffer for each stretch would be collected late: a
 * value of 50 MB then takes up to as much again, though a stretch is done with as soon as it was looked at.
 */
const spare: Uint8Array[] = [];
/** For readings at the same time; more than that make their own. */
const MAX_SPARE = 4;

/** Lends a buffer of `STRETCH_BYTES` until the work is done, to be used again for each of its readings. */
export async function withReadingBuffer<Result>(
  work: (buffer: Uint8Array) => Promise<Result>,
): Promise<Result> {
  const buffer = spare.pop() ?? new Uint8Array(STRETCH_BYTES);
  try {
    return await work(buffer);
  } finally {
    if (spare.length < MAX_SPARE) spare.push(buffer);
  }
}
