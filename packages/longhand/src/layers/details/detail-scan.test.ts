import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sha256Hex } from '../../core/sha256.ts';
import { STRETCH_BYTES } from '../value-pieces.ts';
import { DetailScan, type ScannedContent, scanned, textChunks, WHOLE_BYTES } from './detail-scan.ts';

async function scan(chunks: Iterable<Uint8Array>): Promise<ScannedContent & { bytes: Buffer }> {
  const seen = new DetailScan();
  const parts: Uint8Array[] = [];
  for await (const part of scanned(chunks, seen)) parts.push(part);
  return { ...seen.finish(), bytes: Buffer.concat(parts) };
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

describe('a value that streams by', () => {
  test('is known as if it had been read whole, however it was cut', async () => {
    const pieces = fc.array(
      fc.oneof(
        fc.uint8Array({ maxLength: 20 }),
        fc.string({ unit: 'binary' }).map((text) => Buffer.from(text)),
      ),
    );
    const run = fc.asyncProperty(pieces, fc.constantFrom(0, 1, 9_000), async (parts, padding) => {
      const chunks = [...parts, Buffer.from('ä\n'.repeat(padding)), ...parts];
      const whole = Buffer.concat(chunks);
      const found = await scan(chunks);
      expect(found.bytes.equals(whole)).toBe(true);
      expect(found.sizeBytes).toBe(whole.length);
      expect(found.digest).toBe(sha256Hex(whole));
      expect(found.isUtf8).toBe(isUtf8(whole));
      const ends = whole.toString('latin1').split('\n').length - 1;
      expect(found.lines).toBe(ends + (whole.length > 0 && whole.at(-1) !== 10 ? 1 : 0));
      if (!found.isUtf8) return;
      expect(found.whole).toBe(whole.toString());
      expect(whole.toString().startsWith(found.head)).toBe(true);
      expect(whole.toString().endsWith(found.tail)).toBe(true);
    });
    await fc.assert(run, { seed: 1, numRuns: 60 });
  });

  test('is marked line by line in stretches that double when there are too many of them', async () => {
    const bytes = Buffer.from('0123456789\n'.repeat(20_000));
    const small = await scan([bytes]);
    expect(small.lineMarks!.every_bytes).toBe(STRETCH_BYTES);
    expect(small.lineMarks!.line_ends).toHaveLength(Math.ceil(bytes.length / STRETCH_BYTES));
    expect(small.lineMarks!.line_ends.reduce((sum, ends) => sum + ends)).toBe(20_000);

    const chunk = Buffer.alloc(STRETCH_BYTES, 'x');
    chunk[7] = 10;
    const seen = new DetailScan();
    for (let i = 0; i < 2_100; i++) seen.add(chunk);
    const large = seen.finish();
    expect(large.lines).toBe(2_101);
    expect(large.lineMarks).toEqual({
      every_bytes: 4 * STRETCH_BYTES,
      line_ends: Array.from({ length: 525 }, () => 4),
    });
    expect(large.whole).toBeUndefined();
    expect([large.head.length, large.tail.length]).toEqual([8_192, 4_096]);
  });

  test('is kept whole only while it is small', async () => {
    expect((await scan([Buffer.alloc(WHOLE_BYTES, 'a')])).whole).toHaveLength(WHOLE_BYTES);
    expect((await scan([Buffer.alloc(WHOLE_BYTES + 1, 'a')])).whole).toBeUndefined();
  });

  test('loses no half of a character when a text is cut into chunks', () => {
    for (const text of ['', 'a', `${'a'.repeat(16_383)}😀b`, '😀'.repeat(20_000)])
      expect(Buffer.concat([...textChunks(text)]).toString()).toBe(text);
  });
});
