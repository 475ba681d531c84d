import { describe, expect, it, onTestFinished } from 'vitest';
import {
  expectUntouched,
  fill,
  HANDLE_CHANGES,
  HANDLE_READS,
  open,
  READS,
  SESSION,
} from '../test/changing-hands.ts';
import { STORES } from '../test/open-stores.ts';
import { MemoryManager } from './memory-manager.ts';

/** At whatever moment it happens, the campaign `changed-hands` sees to. */
describe.each(STORES)('a session on the store %s that has changed hands', (_name, make) => {
  it('is not there for any method of a handle from before', async () => {
    const opened = await open(make(), { isWarm: true });
    await opened.other.deleteSession(SESSION);
    await fill(opened.other, 'bob', 'bob');
    for (const [name, call] of Object.entries({ ...HANDLE_READS, ...HANDLE_CHANGES })) {
      await expect(call(opened), name).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
    }
    await expectUntouched(opened);
  });

  it('is there for all that reads when it is the same owner’s again', async () => {
    const opened = await open(make(), { isWarm: true, next: 'ada' });
    for (const [name, call] of Object.entries(READS)) {
      opened.exchangeAfter(0);
      const outcome = JSON.stringify(await call(opened));
      // These have no text in them.
      const isBare = ['loadSession', 'previewFading', 'getSessionStats'].includes(name);
      expect(outcome, name).toContain(isBare ? 'ada' : 'ada_again');
    }
  });

  it('gets no summary that another process began to write for its former owner', async () => {
    const openStore = make();
    const other = new MemoryManager({ store: openStore() });
    const summariser = {
      name: 'slow',
      summarise: async () => {
        await other.deleteSession(SESSION);
        await fill(other, 'bob', 'bob');
        return 'ada secret, in short';
      },
    };
    const config = { summary: { enabled: true, threshold: 4, keep_last: 1 } };
    const manager = new MemoryManager({ store: openStore(), summariser, config });
    onTestFinished(async () => {
      await manager.close();
      await other.close();
    });
    await fill(other, 'ada', 'ada');
    const { summary } = await manager.as({ account_id: 'local', user_id: 'ada' }).conversation(SESSION);
    await expect(summary.update()).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
    expect(await (await other.layers()).summaries.current(SESSION)).toBeUndefined();
  });
});
