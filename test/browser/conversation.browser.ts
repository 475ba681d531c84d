import { setTimeout } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { startStandIn } from '../../packages/server/test/openai-stand-in.ts';
import { endProcess, startServerProcess } from '../../packages/server/test/server-process.ts';
import type { Fate, Front } from './front.ts';
import { openBrowser, sharedLonghand, startPage, type TestBrowser, testFolder } from './harness.ts';
import { keptOn, openStore, type StorePage, textsOn } from './store-page.ts';

const ARCHIVE = '/api/chat/session/archive_messages';

async function start(): Promise<{ url: string; front: Front; browser: TestBrowser }> {
  const { url } = await sharedLonghand();
  const [front, browser] = await Promise.all([startPage(url, 'store.ts'), openBrowser()]);
  return { url, front, browser };
}

async function shown(store: StorePage): Promise<readonly string[]> {
  return (await store.state()).messages.map(({ text }) => text);
}

async function restored(store: StorePage): Promise<StorePage> {
  await expect.poll(async () => (await store.state()).isRestoring).toBe(false);
  return store;
}

it('comes back after a reload, and a restart of the browser, each message once', async () => {
  const { url, front, browser } = await start();
  const store = await openStore(browser.context, front);
  expect((await store.state()).sessionId).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4/);
  await store.act('send', 'Remember that my dog is called Rex');
  const { sessionId, messages } = await store.state();
  expect(messages.map(({ sender, id, timestamp }) => [sender, typeof id, timestamp instanceof Date])).toEqual(
    [
      ['user', 'string', true],
      ['ai', 'string', true],
    ],
  );
  expect(messages[1]!.remembered).toMatchObject([{ text: 'My dog is called Rex' }]);
  // Both sides have archived it.
  await store.act('retryArchive');
  expect((await keptOn(url, sessionId)).map(({ id }) => id)).toEqual(messages.map(({ id }) => id));

  // The second is only in the outbox: its server is gone before it hears of it.
  front.fate = () => 'lose-request';
  await store.act('send', 'Are you there?');
  expect(await store.state()).toMatchObject({
    isAnswering: false,
    error: { code: 'UNREACHABLE', isRetryable: true },
  });
  await browser.kill();
  const again = await openBrowser({ profile: browser.profile });
  const alone = await restored(await openStore(again.context, front));
  expect(await alone.state()).toMatchObject({ sessionId, error: { code: 'NOT_RESTORED' } });
  expect(await shown(alone)).toEqual(['Are you there?']);
  front.fate = () => 'pass';
  await alone.act('tryAgain');
  const texts = messages.map(({ text }) => text);
  expect(await shown(alone)).toEqual([...texts, 'Are you there?']);
  await alone.act('tryAgain');
  expect(await shown(alone)).toHaveLength(4);
  await alone.act('retryArchive');
  expect(await textsOn(url, sessionId)).toEqual(await shown(alone));

  const next = (await alone.act('newSession')) as string;
  expect(next).not.toBe(sessionId);
  expect(await shown(alone)).toEqual([]);
  await alone.page.reload();
  const later = await openStore(again.context, front);
  expect((await later.state()).sessionId).toBe(next);
  await later.act('openSession', sessionId);
  expect(await shown(later)).toHaveLength(4);
  expect(again.trouble).toEqual({ violations: [], errors: [], foreign: [] });
});

it('stands where it was said, though a later message was archived first', async () => {
  const { url, front, browser } = await start();
  const store = await openStore(browser.context, front, { everyMs: 2_000_000_000 });
  front.fate = () => 'lose-request';
  await store.add('first');
  front.fate = ({ path }) => (path === ARCHIVE ? 'lose-request' : 'pass');
  await store.act('send', 'second');
  const said = await shown(store);
  expect(said).toHaveLength(3);
  await store.page.close();
  await expect.poll(() => front.seen.filter(({ path }) => path === ARCHIVE).length).toBeGreaterThan(0);
  const again = await restored(await openStore(browser.context, front));
  await expect.poll(() => shown(again)).toEqual(said);
  expect(await textsOn(url, (await again.state()).sessionId)).toEqual(said.slice(1));
});

it('is the same in all tabs, of which one sends at a time', async () => {
  const { url, front, browser } = await start();
  // Long enough for another tab's request to come in between, if it could.
  front.fate = async ({ path }): Promise<Fate> => {
    if (path === ARCHIVE) await setTimeout(50);
    return 'pass';
  };
  const tabs = [await openStore(browser.context, front), await openStore(browser.context, front)];
  const { sessionId } = await tabs[0]!.state();
  expect((await tabs[1]!.state()).sessionId).toBe(sessionId);
  await Promise.all(
    tabs.map(async (tab, i) => {
      for (let number = 0; number < 20; number++) await tab.add(`${i} ${number}`);
    }),
  );
  await Promise.all(tabs.map((tab) => tab.act('retryArchive')));
  expect([...(await textsOn(url, sessionId))].sort()).toHaveLength(40);
  for (const tab of tabs) {
    await expect.poll(async () => [...(await shown(tab))].sort().length).toBe(40);
    await expect.poll(async () => (await tab.state()).archive.waiting).toBe(0);
  }
  const bodies = front.seen.filter(({ path }) => path === ARCHIVE).map(({ body }) => JSON.parse(body));
  const sent = bodies.flatMap(({ messages_batch }) => messages_batch.map(({ id }: { id: string }) => id));
  expect(new Set(sent).size).toBe(sent.length);
  expect(front.most.get(ARCHIVE)).toBe(1);
});

it('stops an answer when asked, keeps the question, and answers it again', async () => {
  const model = await startStandIn();
  const root = testFolder();
  const flags = { 'openai-model': 'test', 'openai-base-url': model.baseURL, 'openai-api-key': 'none' };
  const server = await startServerProcess(root, flags);
  const [front, browser] = await Promise.all([startPage(server.url, 'store.ts'), openBrowser()]);
  const store = await openStore(browser.context, front);
  model.script.push({ text: 'The whole answer.' });
  await store.act('send', 'A question');
  expect(await shown(store)).toEqual(['A question', 'The whole answer.']);
  model.script.push('silence');
  const stopped = store.act('send', 'A question that takes long');
  await expect.poll(() => model.requests.length).toBe(2);
  await store.act('stop');
  await stopped;
  expect(await store.state()).toMatchObject({ isAnswering: false });
  expect((await store.state()).error).toBeUndefined();
  model.script.push({ text: 'It came at last.' });
  await store.act('tryAgain');
  await endProcess(server.child, 'SIGKILL');
  await store.act('send', 'Another question');
  expect((await store.state()).error).toMatchObject({ isRetryable: true });
  const second = await startServerProcess(root, flags);
  front.upstream = second.url;
  model.script.push({ text: 'Another answer.' });
  await store.act('tryAgain');
  expect(await shown(store)).toEqual([
    ...['A question', 'The whole answer.', 'A question that takes long', 'It came at last.'],
    ...['Another question', 'Another answer.'],
  ]);
  await model.close();
});
