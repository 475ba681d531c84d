import { expect, test } from 'vitest';
import { checksumOf } from '../../recall/index/bytes.ts';
import { parseManifest, renderManifest } from './index-manifest.ts';

const manifest = { id: 'one', user_id: 'ada', mark: undefined, segments: [], sessions: {}, uses: {} };

/** Sound in itself, unlike one that was harmed. */
function withChecksum(body: string): string {
  const bytes = new TextEncoder().encode(body);
  return `${body}\n${checksumOf(bytes, 0, bytes.length, 0).toString(16).padStart(8, '0')}\n`;
}

test('a sound manifest of another version, or of another Unicode library, counts as none', () => {
  const text = renderManifest(manifest);
  const [body = ''] = text.split('\n');
  expect(withChecksum(body)).toBe(text);
  expect(parseManifest(text, 'ada')?.id).toBe('one');
  const [, version = ''] = /"version":"([^"]+)"/.exec(body)!;
  for (const other of ['1', `999 ${process.versions.icu}`, `${version.split(' ')[0]} 1.0`])
    expect(parseManifest(withChecksum(body.replace(version, other)), 'ada'), other).toBeUndefined();
});

test('a manifest of another user counts as none, also where only capital letters differ', () => {
  const text = renderManifest(manifest);
  for (const other of ['bob', 'Ada', '']) expect(parseManifest(text, other), other).toBeUndefined();
});
