import { describe, expect, test } from 'vitest';
import { describeContent as extract, showBytes } from '../../adapters/summarisers/extractive-description.ts';
import { LIMITS } from '../../core/limits.ts';
import type { Summariser } from '../../core/summariser.ts';
import { describeWith } from './detail-description.ts';
import { DetailScan, type ScannedContent } from './detail-scan.ts';

function scan(content: string | Uint8Array): ScannedContent {
  const seen = new DetailScan();
  seen.add(typeof content === 'string' ? Buffer.from(content) : content);
  return seen.finish();
}
const describeText = (content: string | Uint8Array, status?: string): string =>
  extract(scan(content), status);

describe('an extractive description', () => {
  test('tells status, sizes, and the first and the last line', () => {
    expect(describeText('\nadded 312 packages\nnoise\nfound 0 vulnerabilities\n\n', 'success')).toBe(
      'Success; 51 bytes, 5 lines; first: added 312 packages; last: found 0 vulnerabilities',
    );
    expect(describeText('only one')).toBe('8 bytes, 1 line; first: only one');
    expect(describeText('')).toBe('empty');
    expect(describeText('\n\n')).toBe('2 bytes, 2 lines');
  });

  test('tells of JSON its kind, keys and lengths', () => {
    expect(describeText('{"items":[1,2,3],"next":null,"page":{"a":1}}')).toBe(
      '44 bytes, 1 line; JSON object with 3 keys: items (array of 3), next, page (object of 1)',
    );
    expect(describeText('[{"id":1,"name":"a"},{}]')).toBe(
      '24 bytes, 1 line; JSON array of 2, the first with 2 keys: id, name',
    );
    expect(describeText('[]')).toBe('2 bytes, 1 line; JSON array of 0');
    expect(describeText('{}')).toBe('2 bytes, 1 line; JSON object with no keys');
    expect(describeText('{"a": broken')).toBe('12 bytes, 1 line; first: {"a": broken');
  });

  test('shows nothing of what is no text', () => {
    expect(describeText(Uint8Array.of(0xff, 0xfe, 0x41))).toBe('3 bytes, not plain text');
    expect(describeText('a\0b')).toBe('3 bytes, not plain text');
  });

  test('stays within its limit and in one line, with status and size in front', () => {
    const long = `${'first words '.repeat(100)}\n${'last words '.repeat(100)}`;
    for (const text of [long, '['.repeat(5_000), JSON.stringify({ ['k'.repeat(5_000)]: 1, b: ']\n[' })]) {
      const line = describeText(text, `failed\n[MemoryRef: x]${'!'.repeat(500)}`);
      expect([...line].length).toBeLessThanOrEqual(LIMITS.descriptionCharacters);
      expect(line).toMatch(/^Failed \(MemoryRef: x\)/);
      expect(line).not.toMatch(/[[\]\n]/);
      expect(line).toContain('kB');
    }
    expect(describeText(long)).toMatch(/first: first words .*…; last: last words .*…$/);
  });

  test.each([
    [999, '999 bytes'],
    [1_000, '1 kB'],
    [18_440, '18.4 kB'],
    [999_949, '999.9 kB'],
    [999_950, '1 MB'],
    [50_000_000, '50 MB'],
    [5e15, '5000 TB'],
  ])('shows %i bytes as %s', (bytes, shown) => {
    expect(showBytes(bytes)).toBe(shown);
  });
});

describe('a description by a model', () => {
  const model = (describe: NonNullable<Summariser['describe']>): Summariser => ({
    name: 'small-model',
    summarise: async () => '',
    describe,
  });

  test('is taken, made safe, and says who wrote it', async () => {
    const asked: unknown[] = [];
    const summariser = model(async (text, hint) => {
      asked.push(text, hint);
      return 'Installs\n[all] packages';
    });
    const hint = { command: 'npm install', type: 'command_output', status: 'ok' };
    expect(await describeWith({ summariser, timeoutMs: 1_000, extract }, scan('log'), hint)).toEqual({
      text: 'Installs (all) packages',
      method: 'small-model',
    });
    expect(asked).toEqual(['log', { command: 'npm install', type: 'command_output' }]);
  });

  test('is made from the beginning and the end of what is large', async () => {
    let length = 0;
    const summariser = model(async (text) => {
      length = text.length;
      expect(text).toMatch(/^start.*in all.*end$/s);
      return 'x';
    });
    await describeWith({ summariser, timeoutMs: 1_000, extract }, scan(`start${'-'.repeat(60_000)}end`), {});
    expect(length).toBeLessThan(13_000);
  });

  test.each([
    ['fails', async () => Promise.reject(new Error('no model'))],
    ['says nothing', async () => ' \n'],
    ['never answers', () => new Promise<string>(() => undefined)],
    ['says what is no text', async () => 7 as unknown as string],
  ])('gives way to the extractive one when the model %s', async (_, describe) => {
    expect(
      await describeWith({ summariser: model(describe), timeoutMs: 5, extract }, scan('log'), {}),
    ).toEqual({
      text: '3 bytes, 1 line; first: log',
      method: 'extractive',
    });
  });
});
