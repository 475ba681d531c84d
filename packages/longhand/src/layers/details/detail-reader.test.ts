import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LIMITS } from '../../core/limits.ts';
import type { OpenBlob } from '../../core/store.ts';
import { STRETCH_BYTES } from '../value-pieces.ts';
import {
  checkRetrieveOptions,
  type RetrievedDetail,
  type RetrieveOptions,
  readDetail,
} from './detail-reader.ts';
import type { KeptDetail } from './detail-records.ts';
import { DetailScan } from './detail-scan.ts';

/** A value in memory that notes how much was read at most at a time, and in all. */
function open(content: string | Uint8Array): {
  blob: OpenBlob;
  detail: KeptDetail;
  reads: { most: number; total: number };
} {
  const bytes = Buffer.from(content as string);
  const scan = new DetailScan();
  for (let from = 0; from < bytes.length; from += STRETCH_BYTES)
    scan.add(bytes.subarray(from, from + STRETCH_BYTES));
  const { sizeBytes, lines, isUtf8, digest, lineMarks } = scan.finish();
  const known = {
    memory_key: 'k',
    size_bytes: sizeBytes,
    lines,
    is_utf8: isUtf8,
    digest,
    line_marks: lineMarks,
  };
  const reads = { most: 0, total: 0 };
  const blob: OpenBlob = {
    size: bytes.length,
    read: async (offset, length) => {
      const part = bytes.subarray(offset, offset + length);
      reads.most = Math.max(reads.most, part.length);
      reads.total += part.length;
      return part;
    },
    close: () => undefined,
  };
  return { blob, detail: known as unknown as KeptDetail, reads };
}

async function retrieve(
  content: string | Uint8Array,
  options: RetrieveOptions = {},
): Promise<RetrievedDetail> {
  checkRetrieveOptions(options);
  const { blob, detail } = open(content);
  return readDetail(blob, detail, options);
}
const refusal = { code: 'INVALID_OPTION' };

const words = fc.constantFrom('a', 'be', 'ä', '😀', '\n', '\n\n', '\r\n', ' ', 'the quick brown fox', 'E');
const texts = fc.array(words, { maxLength: 80 }).map((parts) => parts.join(''));

describe('a value', () => {
  test('comes whole when it is small, byte for byte', async () => {
    const text = '\ufeffone\r\ntwo 😀\n';
    expect(await retrieve(text)).toEqual({
      memory_key: 'k',
      part: 'whole',
      content: text,
      is_truncated: false,
      size_bytes: Buffer.byteLength(text),
      total_lines: 2,
      is_utf8: true,
      trust: 'untrusted',
    });
    expect(await retrieve('')).toMatchObject({ content: '', total_lines: 0, part: 'whole' });
  });

  test('comes as its first page, and says so, when it is too large', async () => {
    const found = await retrieve('line\n'.repeat(300_000));
    expect(found).toMatchObject({ part: 'page', page: 1, total_pages: 92, is_truncated: true });
    expect(found.content.length).toBeLessThanOrEqual(16_384);
    const less = await retrieve('line\n'.repeat(300), { wholeUpTo: 1_000 });
    expect(less).toMatchObject({ part: 'page', page: 1, total_pages: 2, is_truncated: true });
    expect(await retrieve('line\n'.repeat(200), { wholeUpTo: 1_000 })).toMatchObject({ part: 'whole' });
  });

  test('that is no text is shown with replacement characters, and says so', async () => {
    expect(await retrieve(Uint8Array.of(0x61, 0xff, 0x62))).toMatchObject({ content: 'a�b', is_utf8: false });
  });

  test('that is not what was stored is refused', async () => {
    const { detail } = open('abc');
    await expect(readDetail(open('abcd').blob, detail, {})).rejects.toMatchObject({ code: 'CORRUPT_ENTRY' });
    await expect(readDetail(open('abd').blob, detail, {})).rejects.toMatchObject({ code: 'CORRUPT_ENTRY' });
  });
});

describe('pages', () => {
  test('add up to the value, and break no character, and no line that is shorter than half a page', async () => {
    const run = fc.asyncProperty(texts, fc.integer({ min: 16, max: 60 }), async (text, pageSize) => {
      const pages: string[] = [];
      const first = await retrieve(text, { pageSize });
      expect(first.total_pages).toBe(Math.max(1, Math.ceil(Buffer.byteLength(text) / pageSize)));
      for (let page = 1; page <= first.total_pages!; page++)
        pages.push((await retrieve(text, { page, pageSize })).content);
      expect(pages.join('')).toBe(text);
      for (const [i, page] of pages.slice(0, -1).entries()) {
        expect(page.isWellFormed()).toBe(true);
        const bytes = Buffer.byteLength(page);
        expect(bytes).toBeGreaterThanOrEqual(pageSize / 2 - 4);
        expect(bytes).toBeLessThanOrEqual(pageSize * 1.5 + 4);
        const lineAcross = page.slice(page.lastIndexOf('\n') + 1) + pages[i + 1]!.split('\n')[0]!;
        if (!page.endsWith('\n'))
          expect(Buffer.byteLength(lineAcross)).toBeGreaterThanOrEqual(pageSize / 2 - 4);
      }
    });
    await fc.assert(run, { seed: 1 });
  });

  test('add up to bytes that are no text too', async () => {
    const run = fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (bytes) => {
      let total = 0;
      const { blob, detail } = open(bytes);
      const ranges: [number, number][] = [];
      const noting: OpenBlob = {
        ...blob,
        read: async (offset, length) => {
          ranges.push([offset, length]);
          return blob.read(offset, length);
        },
      };
      const { total_pages } = await readDetail(blob, detail, { pageSize: 16 });
      for (let page = 1; page <= total_pages!; page++) {
        await readDetail(noting, detail, { page, pageSize: 16 });
        const [offset, length] = ranges.at(-1)!;
        expect(offset).toBe(total);
        total += length;
      }
      expect(total).toBe(bytes.length);
    });
    await fc.assert(run, { seed: 2 });
  });

  test('beyond the last are refused, with the number of pages', async () => {
    await expect(retrieve('abc', { page: 2 })).rejects.toMatchObject({
      ...refusal,
      details: { total_pages: 1 },
    });
  });
});

describe('lines', () => {
  const linesOf = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

  test('come by their numbers, as they are', async () => {
    const run = fc.asyncProperty(texts, fc.nat(20), fc.nat(20), async (text, skip, more) => {
      const lines = linesOf(text);
      const range: [number, number] = [1 + skip, 1 + skip + more];
      if (skip >= lines.length) {
        await expect(retrieve(text, { lines: range })).rejects.toMatchObject(refusal);
        return;
      }
      const found = await retrieve(text, { lines: range });
      expect(found.content).toBe(lines.slice(skip, range[1]).join(''));
      expect(found.lines).toEqual([range[0], Math.min(range[1], lines.length)]);
      expect(found.is_truncated).toBe(false);
    });
    await fc.assert(run, { seed: 3 });
  });

  test('of a large value are found without reading what comes before them', async () => {
    const text = Array.from(
      { length: 400_000 },
      (_, i) => `line ${i + 1}${i % 7 === 0 ? ' longer' : ''}\n`,
    ).join('');
    const { blob, detail, reads } = open(text);
    for (const line of [1, 2, 70_000, 123_456, 399_999, 400_000]) {
      reads.total = 0;
      const { content } = await readDetail(blob, detail, { lines: [line, line] });
      expect(content).toMatch(new RegExp(`^line ${line}( longer)?\n$`));
      expect(reads.total).toBeLessThanOrEqual(4 * STRETCH_BYTES);
    }
  });

  test('fill at most one answer, and say that there is more', async () => {
    const found = await retrieve(`${'ä'.repeat(30)}\n`.repeat(50_000), { lines: [2, 50_000] });
    expect(found.is_truncated).toBe(true);
    expect(Buffer.byteLength(found.content)).toBeLessThanOrEqual(LIMITS.detailAnswerBytes);
    expect(Buffer.byteLength(found.content)).toBeGreaterThan(LIMITS.detailAnswerBytes - 4);
    expect(found.content).not.toContain('�');
    expect(found.lines![1]).toBe(1 + Math.ceil(found.content.length / 31));
  });
});

describe('a search inside', () => {
  test('shows lines with their numbers and what stands around them', async () => {
    const text = 'one\r\ntwo\r\nthree ERROR\r\nfour\r\nfive\nsix\nseven\nerror\n';
    expect(await retrieve(text, { search: 'error', context: 1 })).toMatchObject({
      content: '2- two\n3: three ERROR\n4- four\n--\n7- seven\n8: error\n',
      total_matches: 2,
      is_truncated: false,
      matches: [
        { line: 3, text: 'three ERROR' },
        { line: 8, text: 'error' },
      ],
    });
    expect(await retrieve(text, { search: 'nothing' })).toMatchObject({ content: '', total_matches: 0 });
  });

  test('shows as many as were asked for, and counts all', async () => {
    const found = await retrieve('hit\nmiss\n'.repeat(100), { search: 'hit', limit: 3, context: 0 });
    expect(found.content).toBe('1: hit\n--\n3: hit\n--\n5: hit\n');
    expect([found.total_matches, found.is_truncated]).toEqual([100, true]);
  });

  test('finds what a plain search line by line finds', async () => {
    const run = fc.asyncProperty(texts, words, async (text, search) => {
      if (search.trim() === '') return;
      const lines = text.split('\n');
      if (lines.at(-1) === '') lines.pop();
      const expected = lines.flatMap((line, i) =>
        line.toLowerCase().includes(search.toLowerCase()) ? [i + 1] : [],
      );
      const found = await retrieve(text, { search, limit: 200, context: 0 });
      expect(found.matches!.map(({ line }) => line)).toEqual(expected);
    });
    await fc.assert(run, { seed: 4 });
  });

  test('goes through one endless line, finds what lies across pieces, and holds little of it', async () => {
    const before = 'x'.repeat(STRETCH_BYTES - 3);
    const { blob, detail, reads } = open(`${before}NEEDLE${'y'.repeat(3 * STRETCH_BYTES)}needle`);
    const found = await readDetail(blob, detail, { search: 'needle' });
    expect(found.total_matches).toBe(1);
    expect(found.matches![0]!.text).toMatch(/^…x+NEEDLEy+…$/);
    expect(found.content.length).toBeLessThan(500);
    expect(reads.most).toBeLessThanOrEqual(STRETCH_BYTES);
  });
});

describe('a JSON pointer', () => {
  const json = JSON.stringify({ items: [{ name: 'a\nb' }, { name: 'c' }], total: 2 });
  test.each([
    ['/items/1', '{\n  "name": "c"\n}'],
    ['/items/0/name', 'a\nb'],
    ['/total', '2'],
  ])('%s leads to its place', async (pointer, content) => {
    expect(await retrieve(json, { pointer })).toMatchObject({
      part: 'pointer',
      content,
      is_truncated: false,
    });
  });

  test('is refused where it leads nowhere, in what is no JSON, and in what is too large', async () => {
    await expect(retrieve(json, { pointer: '/nothing' })).rejects.toMatchObject(refusal);
    await expect(retrieve('no json', { pointer: '/a' })).rejects.toMatchObject(refusal);
    const large = open(Buffer.alloc(LIMITS.detailJsonBytes + 1, '1'));
    await expect(readDetail(large.blob, large.detail, { pointer: '' })).rejects.toThrow('pages or lines');
    expect(large.reads.total).toBe(0);
  });

  test('gives no more than an answer holds', async () => {
    const found = await retrieve(JSON.stringify(['😀'.repeat(600_000)]), { pointer: '/0' });
    expect(found.is_truncated).toBe(true);
    expect(found.content.isWellFormed()).toBe(true);
  });
});

test('what cannot be asked for is refused', () => {
  const wrong: unknown[] = [
    { page: 0 },
    { page: 1.5 },
    { page: 1, lines: [1, 2] },
    { search: 'a', pointer: '' },
    { pageSize: 15 },
    { pageSize: 1_000_000 },
    { lines: [0, 1] },
    { lines: [2, 1] },
    { lines: [1] },
    { lines: 'all' },
    { search: '' },
    { search: 'a\nb' },
    { search: 'a'.repeat(1_001) },
    { search: 'a', limit: 0 },
    { search: 'a', context: -1 },
    { pointer: 1 },
    { whole: true },
  ];
  for (const options of wrong) {
    expect(() => checkRetrieveOptions(options as RetrieveOptions), JSON.stringify(options)).toThrow(
      expect.objectContaining(refusal),
    );
  }
});
