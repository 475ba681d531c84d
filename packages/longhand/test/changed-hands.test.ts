import { describe, test } from 'vitest';
import { sized } from './campaign.ts';
import { EVERY_CALL, expectNothingShown } from './changing-hands.ts';
import { STORES } from './open-stores.ts';

/**
 * A session changes hands at each look that a call takes at the store, known to the process before and new to it. On
 * files, where it takes long, at every few of them.
 */
describe.each(STORES)('a session on the store %s that changes hands', (name, make) => {
  const stride = name === 'file' ? sized(11, 1) : 1;

  test.each(EVERY_CALL)('during %s', async (call) => {
    for (const isWarm of [false, true]) await expectNothingShown(call, make, { isWarm, stride });
  });
});
