import { expect, test } from 'vitest';
import { LeastRecentlyUsed } from './least-recently-used.ts';

test('forgets what was not asked for longest', () => {
  const cache = new LeastRecentlyUsed<number>(2);
  cache.set('a', 1);
  cache.set('b', 2);
  expect(cache.get('a')).toBe(1);
  cache.set('c', 3);
  expect([cache.get('a'), cache.get('b'), cache.get('c')]).toEqual([1, undefined, 3]);
  cache.set('a', 4);
  cache.set('d', 5);
  expect([...cache.keys()]).toEqual(['a', 'd']);
  expect(cache.get('a')).toBe(4);
  cache.delete('a');
  expect([cache.get('a'), cache.size]).toEqual([undefined, 1]);
});

test('keeps nothing when it has no room', () => {
  const cache = new LeastRecentlyUsed<number>(0);
  cache.set('a', 1);
  expect([cache.get('a'), cache.size]).toEqual([undefined, 0]);
});
