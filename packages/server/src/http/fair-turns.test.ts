import { setImmediate as nextLook } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { FairTurns } from './fair-turns.ts';

test('a request that finds none waiting has the turn at once, and again after the next look', async () => {
  const turns = new FairTurns(2);
  for (let i = 0; i < 3; i++) {
    expect(turns.next()).toBeUndefined();
    expect(turns.next()).toBeUndefined();
    await nextLook();
    await nextLook();
  }
});

test('turns are given in the order of coming, a few between two looks, and newcomers wait at the end', async () => {
  const turns = new FairTurns(2);
  const given: number[] = [];
  const ask = (caller: number): void => {
    const turn = turns.next();
    if (turn === undefined) given.push(caller);
    else void turn.then(() => given.push(caller));
  };
  for (let caller = 1; caller <= 6; caller++) ask(caller);
  expect(given).toEqual([1, 2]);
  await nextLook();
  ask(7);
  expect(given).toEqual([1, 2, 3, 4]);
  await nextLook();
  expect(given).toEqual([1, 2, 3, 4, 5, 6]);
  await nextLook();
  expect(given).toEqual([1, 2, 3, 4, 5, 6, 7]);
});
