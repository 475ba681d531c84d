import { expect, test } from 'vitest';
import { isOutdated, parseManifest, renderManifest, withChecksum } from './index-manifest.ts';

const manifest = { id: 'one', user_id: 'ada', mark: undefined, segments: [], sessions: {}, uses: {} };

test('a sound manifest of another version, or of another Unicode library, counts as none', () => {
  const text = renderManifest(manifest);
  const [body = ''] = text.split('\n');
  expect(withChecksum(body)).toBe(text);
  expect(parseManifest(text, 'ada')?.id).toBe('one');
  const [, version = ''] = /"version":"([^"]+)"/.exec(body)!;
  expect(isOutdated(text)).toBe(false);
  for (const other of ['1', `999 ${process.versions.icu}`, `${version.split(' ')[0]} 1.0`]) {
    const changed = withChecksum(body.replace(version, other));
    expect(parseManifest(changed, 'ada'), other).toBeUndefined();
    expect(isOutdated(changed), other).toBe(true);
    expect(isOutdated(changed.replace('one', 'two')), 'damaged').toBe(false);
  }
});

test('a manifest of another user counts as none, also where only capital letters differ', () => {
  const text = renderManifest(manifest);
  for (const other of ['bob', 'Ada', '']) expect(parseManifest(text, other), other).toBeUndefined();
});
