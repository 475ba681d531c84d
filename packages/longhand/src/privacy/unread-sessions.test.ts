import { describe, expect, it, onTestFinished } from 'vitest';
import { STORES } from '../../test/open-stores.ts';
import { type LogStore, MemoryManager } from '../index.ts';

/** A session that cannot be read must keep no user from being forgotten, and nothing may be claimed of it. */
const [BAD, GOOD] = ['bad', 'good'];
const WORD = 'canaryword';
const TAG = 'secrettopic';
const ALL_TIMES = { start: '2000-01-01', end: '2100-01-01' };
const address = { kind: 'session', id: BAD } as const;

const SPOILT: Readonly<Record<string, { spoil(store: LogStore): Promise<unknown>; memories: number }>> = {
  CORRUPT_SESSION: {
    // The record that names the owner is gone.
    spoil: (store) =>
      store.rewrite(address, ({ lines }) => ({
        keep: lines.slice(1).map((line) => ({ line })),
        append: [],
      })),
    memories: 2,
  },
  SCHEMA_TOO_NEW: {
    spoil: (store) => store.append(address, [`{"schema_version":99,"text":"${WORD}"}`]),
    memories: 1,
  },
};

const PARTS = {
  topic: { topic: TAG },
  ids: { ids: ['mem_bad', 'mem_good'] },
  time: { timeRange: ALL_TIMES },
};

/** @param more so many more memories in the session, for an index that is worth keeping on the disk */
async function open(openStore: () => LogStore, spoil: (store: LogStore) => Promise<unknown>, more = 0) {
  const before = new MemoryManager({ store: openStore() });
  for (const id of [BAD, GOOD]) {
    await before.createSession('ada', { session_id: id });
    await before.addMemory(id, {
      type: 'finding',
      id: `mem_${id}`,
      tags: [TAG],
      content: { text: `${WORD} only${id}` },
    });
  }
  await before.createSession('bob', { session_id: 'bobs' });
  await before.addMemory('bobs', { type: 'finding', content: { text: 'of another user' } });
  const others = Array.from(
    { length: more },
    (_, i) => ({ type: 'finding', content: { text: `thing ${i}` } }) as const,
  );
  await before.addMemories(BAD, others);
  expect(await before.queryMemories(GOOD, { text: WORD, scope: 'user' })).toHaveLength(2);
  await before.close();
  await spoil(openStore());
  const manager = new MemoryManager({ store: openStore() });
  onTestFinished(() => manager.close());
  const { privacy } = await manager.layers();
  const placesOf = async () => (await privacy.verifyErased([WORD, TAG])).found.map(({ place }) => place);
  return { manager, privacy, placesOf };
}

for (const [name, make] of STORES) {
  for (const [code, { spoil, memories }] of Object.entries(SPOILT)) {
    describe(`a session with ${code} on the store ${name}`, () => {
      it('goes with its user, and its content counts as far as it can be read', async () => {
        const { manager, privacy, placesOf } = await open(make(), spoil);
        const expected = { sessions: 2, memories, unread_sessions: 1 };
        expect(await privacy.preview({ user: 'ada' })).toMatchObject(expected);
        expect((await privacy.forget({ user: 'ada' })).pieces).toMatchObject(expected);
        expect(await placesOf()).toEqual([]);
        expect(await manager.queryMemories('bobs', { text: 'another' })).toHaveLength(1);
      });

      it('can be forgotten alone, as a whole', async () => {
        const { manager, privacy, placesOf } = await open(make(), spoil);
        const receipt = await privacy.forget({ session: BAD });
        expect(receipt.pieces).toMatchObject({ sessions: 1, memories: memories - 1, unread_sessions: 1 });
        expect((await manager.listSessions()).map(({ id }) => id)).toEqual(['bobs', GOOD]);
        expect(
          (await manager.queryMemories(GOOD, { text: WORD, scope: 'user' })).map(({ id }) => id),
        ).toEqual(['mem_good']);
        await privacy.forget({ session: GOOD });
        expect(await placesOf()).toEqual([]);
      });

      it('can be forgotten by its user as a whole, and by no other user', async () => {
        const { manager, privacy } = await open(make(), spoil);
        const as = (user_id: string) => manager.as({ account_id: 'local', user_id });
        const request = { session: BAD };
        for (const stranger of ['bob', 'eve']) {
          await expect(as(stranger).previewForgetting(request)).rejects.toMatchObject({ code });
          await expect(as(stranger).forget(request)).rejects.toMatchObject({ code });
        }
        await expect(as('ada').forget({ ...request, topic: TAG })).rejects.toMatchObject({ code });
        const expected = { sessions: 1, memories: memories - 1, unread_sessions: 1 };
        expect(await as('ada').previewForgetting(request)).toMatchObject(expected);
        expect((await as('ada').forget(request)).pieces).toMatchObject(expected);
        expect(await privacy.verifyErased([`only${BAD}`])).toMatchObject({ found: [] });
        await expect(as('ada').forget(request)).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
      });

      it('leaves no word in the search index when it goes alone', async () => {
        const { privacy } = await open(make(), spoil, 500);
        await privacy.forget({ session: BAD });
        expect(await privacy.verifyErased([`only${BAD}`])).toMatchObject({ isErased: true, found: [] });
      });

      for (const [by, part] of Object.entries(PARTS)) {
        it(`is named when something is forgotten by ${by}, after all others are done, without a receipt`, async () => {
          const { manager, privacy, placesOf } = await open(make(), spoil);
          expect(await privacy.preview({ user: 'ada', ...part })).toMatchObject({
            memories: 1,
            unread_sessions: 1,
          });
          const refused = {
            code,
            message: expect.stringContaining(`session ${BAD} cannot be read`),
            details: { session_ids: [BAD] },
          };
          await expect(privacy.forget({ user: 'ada', ...part })).rejects.toMatchObject(refused);
          expect(await manager.exportSession(GOOD, 'jsonl')).not.toContain(WORD);
          expect(await privacy.receipts()).toEqual([]);
          expect((await placesOf()).some((place) => place.includes(BAD))).toBe(true);
          await expect(privacy.forget({ session: BAD, ...part })).rejects.toMatchObject(refused);
          // A session that cannot be read goes as a whole, also on a second request.
          await privacy.forget({ session: BAD });
          await privacy.forget({ user: 'ada', ...part });
          expect(await placesOf()).toEqual([]);
        });
      }

      it('keeps nothing from being forgotten in another session', async () => {
        const { manager, privacy } = await open(make(), spoil);
        expect((await privacy.forget({ session: GOOD, topic: TAG })).pieces).toMatchObject({ memories: 1 });
        expect(await manager.exportSession(GOOD, 'jsonl')).not.toContain(WORD);
        expect((await privacy.forget({ session: GOOD })).pieces).toMatchObject({ sessions: 1 });
      });

      it('is named when an agent is forgotten, after all others are done', async () => {
        const { manager, privacy } = await open(make(), spoil);
        await manager.updateSession(GOOD, { agents: ['ann'] });
        await expect(privacy.forget({ agent: 'ann' })).rejects.toMatchObject({
          code,
          details: { session_ids: [BAD] },
        });
        expect((await manager.loadSession(GOOD)).agents).toEqual([]);
      });
    });
  }
}
