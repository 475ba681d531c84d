import { createHash } from 'node:crypto';

/**
 * A content that follows from its label, and how often it was put right, alone; from a few bytes to some 20 KB: one
 * altered byte shows.
 */
export function payloadOf(label: string, revision = 0): { label: string; revision: number; text: string } {
  const digest = createHash('sha256').update(`${label} ${revision}`).digest('hex');
  const repeats = digest.charCodeAt(0) < 0x33 ? 300 : digest.charCodeAt(1) % 7;
  return { label, revision, text: `${digest} “\u2028${digest}” `.repeat(repeats) };
}
