import { randomBytes } from 'node:crypto';

const RANDOM_BYTES = 13;

/** A name that no other file has. */
export function randomName(): string {
  return randomBytes(RANDOM_BYTES).toString('hex');
}
