import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { endProcess, startServerProcess } from '../../packages/server/test/server-process.ts';
import type { Fate, Front, SeenRequest } from './front.ts';
import { openBrowser, sharedLonghand, startPage, type TestBrowser, testFolder } from './harness.ts';
import { openStore, textsOn } from './store-page.ts';

/** Whatever goes wrong is said in words, and nothing is lost. */
const ARCHIVE = '/api/chat/session/archive_messages';
const NEVER = { everyMessages: 1_000_000, everyMs: 2_000_000_000 };

async function start(): Promise<{ url: string; front: Front; browser: TestBrowser }> {
  const { url } = await sharedLonghand();
  const [front, browser] = await Promise.all([startPage(url, 'store.ts'), openBrowser()]);
  return { url, front, browser };
}

/** What happens to requests that archive; all others pass. */
function toArchive(fate: (seen: SeenRequest) => Fate): Front['fate'] {
  return (seen) => (seen.path === ARCHIVE ? fate(seen) : 'pass');
}

it('keeps the rest of a batch when one message cannot be kept, and that one for a person to see', async () => {
  const { url, front, browser } = await start();
  const store = await openStore(browser.context, front, NEVER);
  const { sessionId } = await store.state();
  for (const text of ['one', 'two', 'NUL: \0', 'four', 'five']) await store.add(text);
  await store.act('retryArchive');
  expect(await textsOn(url, sessionId)).toEqual(['one', 'two', 'four', 'five']);
  const { archive, notice } = await store.state();
  expect(archive).toMatchObject({
    waiting: 0,
    failed: [{ text: 'NUL: \0', reason: expect.stringContaining('NUL') }],
  });
  expect(notice).toMatchObject({ code: 'INVALID_TEXT', messageIds: [archive.failed[0]!.id] });
  expect(await store.errors()).toMatchObject([{ code: 'INVALID_TEXT' }]);
  expect(await store.act('downloadArchive')).toContain('NUL: \\u0000');

  // The next page tells of it too, until it is removed.
  await store.page.close();
  const next = await openStore(browser.context, front, NEVER);
  const again = await next.state();
  expect(again.notice).toMatchObject({ messageIds: [archive.failed[0]!.id] });
  await next.act('discard', archive.failed[0]!.id);
  expect((await next.state()).archive.failed).toEqual([]);
});

it('keeps long messages as far as the server does, and the longer ones here', async () => {
  const { url, front, browser } = await start();
  const store = await openStore(browser.context, front, NEVER);
  const { sessionId } = await store.state();
  const lengths = [500_000, 2_000_000, 10_000_000];
  await store.add('before');
  for (const length of lengths) await store.page.evaluate((length) => void add('x'.repeat(length)), length);
  await store.add('after');
  await expect.poll(async () => (await store.state()).archive.waiting).toBe(5);
  await store.act('retryArchive');
  const kept = await textsOn(url, sessionId);
  expect(kept.map(({ length }) => length)).toEqual([6, 500_000, 5]);
  const { failed } = (await store.state()).archive;
  expect(failed.map(({ text, reason }) => [text.length, reason])).toEqual([
    [2_000_000, expect.stringContaining('1048576 are allowed')],
    [10_000_000, expect.stringContaining('longer than')],
  ]);
  expect(String(await store.act('downloadArchive')).length).toBeGreaterThan(12_000_000);
});

it('sends a batch of 10 MB in pieces', async () => {
  const { url, front, browser } = await start();
  const store = await openStore(browser.context, front, NEVER);
  const { sessionId } = await store.state();
  await store.page.evaluate(async () => {
    for (let number = 0; number < 250; number++) await add(`${number} ${'y'.repeat(40_000)}`);
  });
  await store.act('retryArchive');
  const kept = await textsOn(url, sessionId);
  expect(kept.map((text) => Number.parseInt(text, 10))).toEqual(
    Array.from({ length: 250 }, (_, number) => number),
  );
  expect((await store.state()).archive).toMatchObject({ waiting: 0, failed: [] });
});

it('does not lose a message whose id stands for another text', async () => {
  const { url, front, browser } = await start();
  const store = await openStore(browser.context, front, NEVER);
  const { sessionId } = await store.state();
  await store.add('the first text', 'same');
  await store.act('retryArchive');
  await store.add('another text', 'same');
  await store.add('more');
  await store.act('retryArchive');
  expect(await textsOn(url, sessionId)).toEqual(['the first text', 'more']);
  const { failed } = (await store.state()).archive;
  expect(failed).toEqual([{ id: 'same', text: 'another text', reason: 'Another message has the same id.' }]);
});

it('writes into no session of another user, and keeps what was said', async () => {
  const { url, front, browser } = await start();
  const mine = await openStore(browser.context, front, NEVER);
  const { sessionId } = await mine.state();
  await mine.add('mine');
  await mine.act('retryArchive');
  const theirs = await openStore(browser.context, front, { ...NEVER, scope: 'kim' }, { user: 'kim' });
  await theirs.act('openSession', sessionId);
  expect((await theirs.state()).messages).toEqual([]);
  for (const text of ['not', 'here']) await theirs.add(text);
  await theirs.act('retryArchive');
  expect(await textsOn(url, sessionId)).toEqual(['mine']);
  expect((await theirs.state()).archive.failed.map(({ text }) => text)).toEqual(['not', 'here']);
  expect(await theirs.errors()).toMatchObject([
    { code: 'SESSION_NOT_FOUND', messageIds: [{}, {}].map(() => expect.any(String)) },
  ]);
});

it('brings no deleted session back, and says so', async () => {
  const { url, front, browser } = await start();
  const store = await openStore(browser.context, front, NEVER);
  const { sessionId } = await store.state();
  await store.add('before');
  await store.act('retryArchive');
  expect((await fetch(`${url}/api/sessions/${sessionId}`, { method: 'DELETE' })).status).toBe(200);
  await store.add('late');
  await store.act('retryArchive');
  const { archive, notice } = await store.state();
  expect(archive).toMatchObject({ waiting: 0, failed: [] });
  expect(notice).toMatchObject({ code: 'SESSION_DELETED', reason: expect.stringContaining('stays gone') });
  expect((await fetch(`${url}/api/sessions/${sessionId}`)).status).toBe(404);
});

it('keeps a message in the page when the disk is full, says so, and sends it at once', async () => {
  const { url, front, browser } = await start();
  const other = await browser.context.newPage();
  await other.goto(`${front.url}/other`);
  const session = await browser.context.newCDPSession(other);
  await session.send('Storage.overrideQuotaForOrigin', { origin: front.url, quotaSize: 100_000 });
  const store = await openStore(browser.context, front, NEVER);
  const { sessionId } = await store.state();
  front.fate = toArchive(() => 'lose-request');
  const said: string[] = [];
  const fill = async (): Promise<boolean> => {
    said.push(`${said.length} ${'z'.repeat(40_000)}`);
    await store.add(said.at(-1)!);
    return (await store.state()).archive.isPersistent;
  };
  await expect.poll(fill).toBe(false);
  expect((await store.state()).archive).toMatchObject({ waiting: said.length, failed: [] });
  front.fate = () => 'pass';
  await store.act('retryArchive');
  expect(await textsOn(url, sessionId)).toEqual(said);
  expect((await store.state()).archive).toMatchObject({ waiting: 0, failed: [], isPersistent: true });
});

it('works in a window that keeps nothing, and says so', async () => {
  const { url } = await sharedLonghand();
  const front = await startPage(url, 'store.ts');
  const profile = testFolder();
  // What a person sets who lets no site keep anything: databases and the local storage are refused.
  mkdirSync(join(profile, 'Default'), { recursive: true });
  const settings = { profile: { default_content_setting_values: { cookies: 2 } } };
  writeFileSync(join(profile, 'Default/Preferences'), JSON.stringify(settings));
  const { context, trouble } = await openBrowser({ profile });
  const store = await openStore(context, front, NEVER);
  expect(
    await store.page.evaluate(() => {
      try {
        return localStorage.length;
      } catch {
        return 'refused';
      }
    }),
  ).toBe('refused');
  front.fate = toArchive(() => 'lose-request');
  await store.add('kept in the page');
  const { sessionId, archive } = await store.state();
  expect(archive).toMatchObject({ waiting: 1, isPersistent: false });
  front.fate = () => 'pass';
  await expect.poll(() => textsOn(url, sessionId)).toEqual(['kept in the page']);
  // Each message is sent at once.
  await store.add('another');
  await expect.poll(() => textsOn(url, sessionId)).toEqual(['kept in the page', 'another']);
  expect(trouble.errors).toEqual([]);
});

it('lets a newer version of the application have the database, asks for a reload, and loses nothing', async () => {
  const { url, front, browser } = await start();
  const store = await openStore(browser.context, front, NEVER);
  const { sessionId } = await store.state();
  await store.add('before');
  const newer = await browser.context.newPage();
  await newer.goto(`${front.url}/other`);
  await newer.evaluate(async () => {
    const [{ name }] = (await indexedDB.databases()) as [{ name: string }];
    await new Promise((resolve, reject) => {
      const opening = indexedDB.open(name, 2);
      opening.onsuccess = resolve;
      opening.onerror = reject;
    });
  });
  expect((await store.state()).archive.reason).toContain('Reload this one');
  await store.add('after');
  // Sent at once; what is in the database is the newer version's to send.
  await expect.poll(() => textsOn(url, sessionId)).toContain('after');
  expect((await store.state()).archive).toMatchObject({ reason: expect.stringContaining('Reload this one') });
});

it('waits for a key, for a server that is busy, and for one that is older or newer', async () => {
  const { url, front, browser } = await start();
  const store = await openStore(browser.context, front, NEVER);
  const { sessionId } = await store.state();
  const answers: Fate[] = [
    { status: 401, code: 'UNAUTHORIZED' },
    { status: 404, code: 'ROUTE_NOT_FOUND' },
    { status: 426, code: 'CLIENT_TOO_OLD' },
    { status: 403, code: 'CSRF_REJECTED' },
    { status: 500, code: 'INTERNAL' },
    { status: 429, code: 'RATE_LIMITED', retryAfter: 3_600 },
  ];
  for (const answer of answers) {
    front.fate = toArchive(() => answer);
    await store.add(JSON.stringify(answer));
    await store.act('retryArchive');
    const { archive } = await store.state();
    expect(archive).toMatchObject({
      failed: [],
      retryAt: expect.any(Number),
      reason: expect.stringContaining('The test answers'),
    });
  }
  const { retryAt = 0 } = (await store.state()).archive;
  expect(retryAt - Date.now()).toBeGreaterThan(1_800_000);
  expect(await store.errors()).toEqual([]);
  front.fate = () => 'pass';
  await store.act('retryArchive');
  expect(await textsOn(url, sessionId)).toHaveLength(answers.length);
});

it('has a ticket that is over, or unknown, cost a request and no message', async () => {
  const root = testFolder();
  const first = await startServerProcess(root);
  const [front, browser] = await Promise.all([startPage(first.url, 'store.ts'), openBrowser()]);
  await browser.context.addInitScript(() => {
    delete (globalThis as { fetchLater?: unknown }).fetchLater;
  });
  const store = await openStore(browser.context, front, NEVER);
  const { sessionId } = await store.state();
  await store.add('one');
  await expect.poll(() => front.seen.some(({ path }) => path === '/api/archive_ticket')).toBe(true);
  await endProcess(first.child, 'SIGKILL');
  // Its clock is an hour ahead: the ticket is over there.
  const ahead = 'data:text/javascript,const{now}=Date;Date.now=()=>now()+36e5;';
  const second = await startServerProcess(root, {}, ['--import', ahead]);
  front.upstream = second.url;
  const refused: string[] = [];
  // What is sent with a key is lost, so the beacon is alone.
  front.fate = toArchive((seen) => {
    if (seen.headers['content-type'] !== 'text/plain') return 'lose-request';
    refused.push(seen.body);
    return 'pass';
  });
  await store.page.goto(`${front.url}/other`);
  await expect.poll(() => refused.length).toBe(1);
  expect((await fetch(`${second.url}${ARCHIVE}`, { method: 'POST', body: refused[0]! })).status).toBe(401);
  expect(await textsOn(second.url, sessionId)).toEqual([]);
  front.fate = () => 'pass';
  const next = await openStore(browser.context, front, NEVER);
  await expect.poll(() => textsOn(second.url, sessionId)).toEqual(['one']);
  await expect.poll(async () => (await next.state()).archive.waiting).toBe(0);
});

it('shows a conversation as it was held, on a clock that is wrong by a day', async () => {
  const { url, front, browser } = await start();
  for (const days of [-1, 1]) {
    const store = await openStore(browser.context, front, { scope: String(days) });
    await store.page.clock.setSystemTime(Date.now() + days * 86_400_000);
    for (const text of ['Remember that my dog is called Rex', 'Remember that my cat is called Tom'])
      await store.act('send', text);
    const { messages, sessionId } = await store.state();
    expect(messages.map(({ sender }) => sender)).toEqual(['user', 'ai', 'user', 'ai']);
    await store.act('retryArchive');
    await store.page.close();
    const again = await openStore(browser.context, front, { scope: String(days) });
    await expect.poll(async () => (await again.state()).isRestoring).toBe(false);
    const shown = (await again.state()).messages;
    expect(shown.map(({ text }) => text)).toEqual(messages.map(({ text }) => text));
    expect(shown.map(({ id }) => id)).toEqual(messages.map(({ id }) => id));
    expect(await textsOn(url, sessionId)).toHaveLength(4);
  }
});

declare function add(text: string): Promise<string>;
