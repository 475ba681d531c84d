import { expect, test } from 'vitest';
import { encodeLine, type LogLine } from '../src/core/line.ts';
import { type DecodePosition, decodeLog, START } from '../src/core/log-decoder.ts';
import { sized } from './campaign.ts';
import { createChance } from './processes/chance.ts';

/**
 * Every truncation and every flipped bit, on the decoder alone: no altered entry is ever given out, a cut
 * loses the entry it cuts and no other, and a flip loses one at most, wherever it strikes.
 */

interface Sample {
  readonly bytes: Buffer;
  /** Where each line starts, and how long it is without its newline. */
  readonly lines: readonly { readonly offset: number; readonly length: number }[];
}

function makeLog(bytes: number, seed: number): Sample {
  const chance = createChance(seed);
  const parts: Buffer[] = [];
  const lines: { offset: number; length: number }[] = [];
  let size = 0;
  for (let seq = 1; size < bytes; seq++) {
    const text = chance.pick([
      'Just Jazz, 🦆',
      'Ünï\u2028code',
      'J*J*',
      '{"schema_version":1}',
      'x'.repeat(150),
    ]);
    const content = { text: text.repeat(chance.below(3)), number: chance.below(1e9) };
    const line = Buffer.from(
      encodeLine(JSON.stringify({ schema_version: 1, id: `mem_${seq}`, content }), seq, true),
    );
    lines.push({ offset: size, length: line.length - 1 });
    parts.push(line);
    size += line.length;
  }
  return { bytes: Buffer.concat(parts), lines };
}

/** Lines that were given out but never written so; the flipped byte, when there is one, is in none of them. */
function countAltered({ lines }: Sample, given: readonly LogLine[], flippedAt = -1): number {
  let altered = 0;
  let next = 0;
  for (const line of given) {
    while (next < lines.length && lines[next]!.offset < line.offset) next++;
    const original = lines[next];
    const isWhole = original?.offset === line.offset && original.length === line.length;
    const isHit = flippedAt >= line.offset && flippedAt < line.offset + line.length;
    if (!isWhole || isHit) altered++;
    // The same line a second time is altered too: it was written once.
    next++;
  }
  return altered;
}

const SEEDS = Array.from({ length: sized(1, 10) }, (_, i) => i + 1);

test.each(SEEDS)('65,537 truncations lose the entry that was cut and no other (log %i)', (seed) => {
  const sample = makeLog(66_000, seed);
  let position = START;
  let line = 0;
  let wrong = 0;
  for (let cut = 0; cut <= 65_536; cut++) {
    // From the last line that is whole and closed: what lies before it has been decoded and found right.
    const { offset, length } = sample.lines[line]!;
    if (cut > offset + length) {
      position = decodeLog(sample.bytes.subarray(offset, cut), position, { check: 'full' }).position;
      line++;
    }
    const { lines, damage, unfinishedBytes } = decodeLog(
      sample.bytes.subarray(position.offset, cut),
      position,
      { check: 'full' },
    );
    const isWhole = cut === sample.lines[line]!.offset + sample.lines[line]!.length;
    const isRight =
      position.offset === sample.lines[line]!.offset &&
      lines.length === (isWhole ? 1 : 0) &&
      countAltered(sample, lines) === 0 &&
      damage.length === 0 &&
      unfinishedBytes === (isWhole ? 0 : cut - position.offset);
    if (!isRight) wrong++;
  }
  expect(wrong).toBe(0);
});

test('truncations decoded from the start give the same', () => {
  const sample = makeLog(66_000, 1);
  for (let cut = 0; cut <= 65_536; cut += 487) {
    const { lines, damage } = decodeLog(sample.bytes.subarray(0, cut), START, { check: 'full' });
    const whole = sample.lines.filter(({ offset, length }) => offset + length <= cut).length;
    expect([lines.length, damage.length, countAltered(sample, lines)]).toEqual([whole, 0, 0]);
  }
});

test.each(SEEDS)('131,072 flipped bits alter no entry and lose one at most (log %i)', (seed) => {
  const sample = makeLog(16_384, seed);
  const bytes = Buffer.from(sample.bytes);
  const lostCounts = new Set<number>();
  let altered = 0;
  let unreported = 0;
  const tally = (at: number, from: DecodePosition, until: number, lines: number): void => {
    const decoded = decodeLog(bytes.subarray(from.offset, until), from, { check: 'full' });
    altered += countAltered(sample, decoded.lines, at);
    lostCounts.add(lines - decoded.lines.length);
    if (decoded.damage.length === 0) unreported++;
  };
  let line = 0;
  for (let bit = 0; bit < 131_072; bit++) {
    const at = bit >> 3;
    while (at > sample.lines[line]!.offset + sample.lines[line]!.length) line++;
    bytes[at]! ^= 1 << (bit & 7);
    // The lines next to the one that is hit: further away nothing changes, which every 61st decoding of it all
    // makes sure of.
    const first = Math.max(0, line - 1);
    const behind = Math.min(sample.lines.length, line + 3);
    const from = { offset: sample.lines[first]!.offset, lineNumber: first, lastSeq: first };
    tally(at, from, sample.lines[behind]?.offset ?? bytes.length, behind - first);
    if (bit % 61 === 0) tally(at, START, bytes.length, sample.lines.length);
    bytes[at]! ^= 1 << (bit & 7);
  }
  expect({ altered, unreported }).toEqual({ altered: 0, unreported: 0 });
  expect([...lostCounts].sort()).toEqual([0, 1]);
});
