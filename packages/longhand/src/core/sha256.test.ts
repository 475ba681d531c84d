import { hash } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { plainSha256Hex, sha256Hex } from './sha256.ts';

it('gives what Node gives, for every length around the ends of blocks', () => {
  for (let length = 0; length < 200; length++) {
    const bytes = Uint8Array.from({ length }, (_, i) => (i * 37 + length) & 255);
    expect(plainSha256Hex(bytes)).toBe(hash('sha256', bytes, 'hex'));
  }
});

it('gives what Node gives, for any bytes and texts, before and after the native hash has taken over', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 2_000 }), fc.string({ unit: 'binary' }), (bytes, text) => {
      expect(plainSha256Hex(bytes)).toBe(hash('sha256', bytes, 'hex'));
      expect(sha256Hex(bytes)).toBe(hash('sha256', bytes, 'hex'));
      expect(sha256Hex(text)).toBe(hash('sha256', text, 'hex'));
    }),
  );
});

it('hashes much at once', () => {
  const bytes = new Uint8Array(1_000_000).fill(97);
  expect(plainSha256Hex(bytes)).toBe(hash('sha256', bytes, 'hex'));
  expect(sha256Hex(bytes)).toBe(hash('sha256', bytes, 'hex'));
});
