import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FileStore, MemoryManager } from '../src/index.ts';
import { sized, startProcess, temporaryFolder, withSeed } from './campaign.ts';
import type { SharerTask } from './processes/sharer.ts';

/** Several processes work for several users, and all of them with sessions of the same few names. */
const USERS = ['ada', 'bob', 'eve'];
const NAMES = ['alpha', 'beta', 'gamma'];
const STEPS = sized(1_200, 50_000);

test(`nobody sees or writes another’s text, in ${STEPS} steps of each`, async () => {
  await withSeed(async (seed) => {
    const root = join(temporaryFolder(), 'store');
    const processes = USERS.map((user, i) => {
      const others = USERS.filter((other) => other !== user);
      const task: SharerTask = { root, user, others, names: NAMES, steps: STEPS, seed: seed + i };
      return startProcess('sharer.ts', task);
    });
    for (const { ended } of processes) expect((await ended).code).toBe(0);
    const said = processes.flatMap(({ lines }) => lines);
    expect(said.filter((line) => line.startsWith('saw'))).toEqual([]);
    const did = new Map<string, number>();
    for (const line of said) {
      const [word, what, count] = line.split(' ');
      if (word === 'did') did.set(what!, (did.get(what!) ?? 0) + Number(count));
    }
    // Sessions have changed hands again and again, and everything was done that can be done with one.
    expect(did.get('delete')).toBeGreaterThan(STEPS / 20);
    expect(did.size).toBe(23);

    const store = new FileStore({ root });
    await using manager = new MemoryManager({ store });
    const owners = new Map((await manager.listSessions()).map(({ id, user_id }) => [id, user_id]));
    for await (const { place, bytes } of store.everything()) {
      const session = place.split('/')[0] === 'sessions' ? place.split('/')[1]! : undefined;
      const owner = session === undefined ? undefined : owners.get(session);
      if (owner === undefined) continue;
      const words =
        Buffer.from(bytes)
          .toString('utf8')
          .match(/mine_[a-z]+_/g) ?? [];
      expect(
        words.filter((word) => word !== `mine_${owner}_`),
        place,
      ).toEqual([]);
    }
  });
});
