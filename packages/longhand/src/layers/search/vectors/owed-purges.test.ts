import { expect, test } from 'vitest';
import type { UserIndex } from '../user-index.ts';
import { OwedPurges } from './owed-purges.ts';

test('a second request waits for a purge that has begun: the store may be closed afterwards', async () => {
  const purge = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  let isPurged = false;
  const owed = new OwedPurges({
    mayHaveAny: async () => true,
    purge: async () => {
      begun.resolve();
      await purge.promise;
      isPurged = true;
    },
    emit: () => undefined,
  });
  owed.owe('ada', {} as UserIndex);
  const first = owed.pay('ada');
  await begun.promise;
  const second = owed.pay('ada').then(() => isPurged);
  // Long enough for one that does not wait.
  await new Promise((resolve) => setImmediate(resolve));
  purge.resolve();
  expect(await second).toBe(true);
  await first;
});
