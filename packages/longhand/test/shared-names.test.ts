import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FileStore, MemoryManager } from '../src/index.ts';
import { sized, startProcess, temporaryFolder, withSeed } from './campaign.ts';
import type { SharerTask } from './processes/sharer.ts';

/** Several processes work for several users, and all of them with sessions of the same few names. */
const USERS = ['ada', 'bob', 'eve'];
const NAMES = ['alpha', 'beta', 'gamma'];
const STEPS = sized(1_200, 50_000);
/** By each: sessions change hands repeatedly. */
const DELETIONS = STEPS / 60;

test(`no user sees or writes another’s text, in ${STEPS} steps of each`, async () => {
  await withSeed(async (seed) => {
    const root = join(temporaryFolder(), 'store');
    let enough = 0;
    const { promise: isEnough, resolve } = Promise.withResolvers<void>();
    const onLine = (line: string): void => {
      if (line === 'enough' && ++enough === USERS.length) resolve();
    };
    const processes = USERS.map((user, i) => {
      const others = USERS.filter((other) => other !== user);
      const sizes = { steps: STEPS, deletions: DELETIONS };
      const task: SharerTask = { root, user, others, names: NAMES, ...sizes, seed: seed + i };
      return startProcess('sharer.ts', task, onLine);
    });
    await Promise.race([isEnough, ...processes.map(({ failure }) => failure)]);
    for (const each of processes) each.say('stop');
    for (const { ended } of processes) expect((await ended).code).toBe(0);
    const said = processes.flatMap(({ lines }) => lines);
    expect(said.filter((line) => line.startsWith('saw'))).toEqual([]);
    // Everything was done that can be done with a session.
    for (const { lines } of processes)
      expect(lines.filter((line) => line.startsWith('did '))).toHaveLength(23);

    const store = new FileStore({ root });
    await using manager = new MemoryManager({ store });
    const owners = new Map((await manager.listSessions()).map(({ id, user_id }) => [id, user_id]));
    for await (const { place, bytes } of store.scan()) {
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
