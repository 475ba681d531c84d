import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { endProcess, startServerProcess } from '../../packages/server/test/server-process.ts';
import type { Fate, Front, SeenRequest } from './front.ts';
import { openBrowser, sharedLonghand, startPage, type TestBrowser, testFolder } from './harness.ts';
import { openStore, type StorePage, textsOn } from './store-page.ts';

/** Whatever goes wrong, a person reads it in the panel, and nothing is lost. */
const ARCHIVE = '/api/chat/session/archive_messages';
const NEVER = { everyMessages: 1_000_000, everyMs: 2_000_000_000, isOpen: true };

async function start(): Promise<{ url: string; front: Front; browser: TestBrowser }> {
  const { url } = await sharedLonghand();
  const [front, browser] = await Promise.all([startPage(url, 'panel.tsx'), openBrowser()]);
  return { url, front, browser };
}

/** Megabytes need not be painted. */
const CLOSED = { ...NEVER, isOpen: false };

async function openEmpty(store: StorePage): Promise<void> {
  await store.act('newSession');
  await store.act('toggleChatPanel', true);
}

/** What the foot of the panel says. */
function foot({ page }: StorePage): Promise<string> {
  return page.locator('.lh-chat-foot > span').innerText();
}

/** What it says of each message that could not be kept. */
async function why({ page }: StorePage): Promise<readonly string[]> {
  await page.getByText('See why').click();
  return page.locator('.lh-chat-foot li').allInnerTexts();
}

/** What stands above the panel, and stays when it is closed. */
function notice({ page }: StorePage): Promise<string> {
  return page.locator('.lh-chat-notice > span').innerText();
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
  const { archive } = await store.state();
  expect(archive).toMatchObject({ waiting: 0, failed: [{ text: 'NUL: \0' }] });
  await expect.poll(() => foot(store)).toBe('1 could not be kept');
  expect(await notice(store)).toMatch(/^A message could not be kept: .*NUL/);
  expect(await why(store)).toEqual([expect.stringMatching(/^NUL: .*NUL.* Remove$/)]);
  expect(await store.errors()).toMatchObject([{ code: 'INVALID_TEXT' }]);
  expect(await store.act('downloadArchive')).toContain('NUL: \\u0000');

  // The next page reports it too, until it is removed.
  await store.page.close();
  const next = await openStore(browser.context, front, NEVER);
  expect(await notice(next)).toMatch(/^A message could not be kept: .*NUL/);
  await why(next);
  await next.page.getByRole('button', { name: 'Remove' }).click();
  await expect.poll(() => foot(next)).toBe('All kept');
  expect((await next.state()).archive.failed).toEqual([]);
});

it('keeps long messages as far as the server does, and the longer ones here', async () => {
  const { url, front, browser } = await start();
  const store = await openStore(browser.context, front, CLOSED);
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
  expect(await notice(store)).toMatch(/^2 messages could not be kept: The body is longer than/);
  await openEmpty(store);
  await expect.poll(() => foot(store)).toBe('2 could not be kept');
  expect(await why(store)).toEqual([
    expect.stringContaining('1048576 are allowed'),
    expect.stringContaining('longer than'),
  ]);
});

it('sends 10 MB in batches below the limit of requests that outlive a page', async () => {
  const { url, front, browser } = await start();
  const store = await openStore(browser.context, front, CLOSED);
  const { sessionId } = await store.state();
  await store.page.evaluate(async () => {
    for (let number = 0; number < 250; number++) await add(`${number} ${'y'.repeat(40_000)}`);
    for (let number = 250; number < 1_500; number++) await add(`${number} "${'\n'.repeat(number - 250)}`);
  });
  await store.act('retryArchive');
  const kept = await textsOn(url, sessionId);
  expect(kept.map((text) => Number.parseInt(text, 10))).toEqual(
    Array.from({ length: 1_500 }, (_, number) => number),
  );
  expect((await store.state()).archive).toMatchObject({ waiting: 0, failed: [] });
  const sizes = front.seen.flatMap(({ path, body }) => (path === ARCHIVE ? [Buffer.byteLength(body)] : []));
  expect(Math.max(...sizes)).toBeLessThanOrEqual(48 * 1_024);
  // Nor are they smaller than they have to be.
  expect(sizes.length).toBeLessThan(300);
  await openEmpty(store);
  await expect.poll(() => foot(store)).toBe('All kept');
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
  await expect.poll(() => foot(store)).toBe('1 could not be kept');
  expect(await notice(store)).toBe('A message could not be kept: Another message has the same id.');
  expect(await why(store)).toEqual([expect.stringMatching(/another text.* Another message has the same id/)]);
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
  await expect.poll(() => foot(theirs)).toBe('2 could not be kept');
  expect(await notice(theirs)).toMatch(/^2 messages could not be kept: There is no session/);
  expect(await why(theirs)).toHaveLength(2);
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
  expect((await store.state()).archive).toMatchObject({ waiting: 0, failed: [] });
  expect((await store.state()).notice).toMatchObject({ code: 'SESSION_DELETED' });
  expect(await notice(store)).toMatch(/^A message could not be kept: .*stays gone/);
  await expect.poll(() => foot(store)).toBe('All kept');
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
  await expect
    .poll(() => foot(store))
    .toMatch(/^Offline, \d+ waiting, next try in \d+ s\. This window keeps nothing: do not close it yet\.$/);
  front.fate = () => 'pass';
  await store.act('retryArchive');
  expect(await textsOn(url, sessionId)).toEqual(said);
  await expect.poll(() => foot(store)).toBe('All kept');
  expect((await store.state()).archive).toMatchObject({ waiting: 0, failed: [], isPersistent: true });
});

it('works in a window that keeps nothing, and says so', async () => {
  const { url } = await sharedLonghand();
  const front = await startPage(url, 'panel.tsx');
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
  const said = 'All kept. This window keeps nothing: each message is sent at once.';
  await expect.poll(() => foot(store)).toBe(said);
  front.fate = toArchive(() => 'lose-request');
  await store.add('kept in the page');
  const { sessionId, archive } = await store.state();
  expect(archive).toMatchObject({ waiting: 1, isPersistent: false });
  await expect.poll(() => foot(store)).toMatch(/^Offline, 1 waiting.*keeps nothing: do not close it yet\.$/);
  front.fate = () => 'pass';
  await expect.poll(() => textsOn(url, sessionId)).toEqual(['kept in the page']);
  // Each message is sent at once.
  await store.add('another');
  await expect.poll(() => textsOn(url, sessionId)).toEqual(['kept in the page', 'another']);
  await expect.poll(() => foot(store)).toBe(said);
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
  const reload = 'A newer version of this app is open in another tab. Reload this one.';
  await expect.poll(() => foot(store)).toBe(reload);
  await store.add('after');
  // Sent at once; what is in the database is the newer version's to send.
  await expect.poll(() => textsOn(url, sessionId)).toContain('after');
  await expect.poll(() => foot(store)).toBe(reload);
});

type Refused = Extract<Fate, { readonly status: number }>;

it('waits for a key, and for a server that is busy or refuses for the time being', async () => {
  const { url, front, browser } = await start();
  const store = await openStore(browser.context, front, NEVER);
  const { sessionId } = await store.state();
  const answers: Refused[] = [
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
    const words = new RegExp(
      `^The test answers ${answer.status}, ${archive.waiting} waiting, next try in \\d+ s$`,
    );
    await expect.poll(() => foot(store)).toMatch(words);
  }
  const { retryAt = 0 } = (await store.state()).archive;
  expect(retryAt - Date.now()).toBeGreaterThan(1_800_000);
  expect(await store.errors()).toEqual([]);
  front.fate = () => 'pass';
  await store.act('retryArchive');
  expect(await textsOn(url, sessionId)).toHaveLength(answers.length);
  await expect.poll(() => foot(store)).toBe('All kept');
});

it('has a ticket that is over, or unknown, cost a request and no message', async () => {
  const root = testFolder();
  const first = await startServerProcess(root);
  const [front, browser] = await Promise.all([startPage(first.url, 'panel.tsx'), openBrowser()]);
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
  front.fate = toArchive(() => 'lose-request');
  const next = await openStore(browser.context, front, NEVER);
  await next.page.locator('.lh-chat-text', { hasText: 'one' }).waitFor();
  await expect.poll(() => foot(next)).toMatch(/^Offline, 1 waiting/);
  front.fate = () => 'pass';
  await expect.poll(() => textsOn(second.url, sessionId)).toEqual(['one']);
  await expect.poll(() => foot(next)).toBe('All kept');
});

it('shows a conversation as it was held, on a clock that is wrong by a day', async () => {
  const { url, front, browser } = await start();
  for (const days of [-1, 1]) {
    const store = await openStore(browser.context, front, { scope: String(days), isOpen: true });
    await store.page.clock.setSystemTime(Date.now() + days * 86_400_000);
    for (const text of ['Remember that my dog is called Rex', 'Remember that my cat is called Tom'])
      await store.act('send', text);
    const { messages, sessionId } = await store.state();
    expect(messages.map(({ sender }) => sender)).toEqual(['user', 'ai', 'user', 'ai']);
    await store.act('retryArchive');
    await store.page.close();
    const again = await openStore(browser.context, front, { scope: String(days), isOpen: true });
    await expect.poll(async () => (await again.state()).isRestoring).toBe(false);
    const shown = (await again.state()).messages;
    expect(shown.map(({ text }) => text)).toEqual(messages.map(({ text }) => text));
    expect(shown.map(({ id }) => id)).toEqual(messages.map(({ id }) => id));
    const texts = again.page.locator('.lh-chat-text');
    await expect.poll(() => texts.allInnerTexts()).toEqual(messages.map(({ text }) => text));
    await expect.poll(() => foot(again)).toBe('All kept');
    expect(await textsOn(url, sessionId)).toHaveLength(4);
  }
});

it('says that the page is older or newer than the server, when that does not know what the page asks', async () => {
  const { url, front, browser } = await start();
  const store = await openStore(browser.context, front, NEVER);
  const { sessionId } = await store.state();
  // As long as they understand each other it is of no interest.
  front.version = '99.0.0';
  await store.add('one');
  await store.act('retryArchive');
  await expect.poll(() => foot(store)).toBe('All kept');
  const sides = [
    ['99.0.0', /^This page \([\d.]+\) is older than the server \(99\.0\.0\): reload it/],
    ['0.0.1', /^This page \([\d.]+\) is newer than the server \(0\.0\.1\): try again when/],
  ] as const;
  const said = ['one'];
  for (const [version, words] of sides) {
    front.version = version;
    // An operation that is elsewhere, and one that is done otherwise: what was said waits.
    for (const other of [{ path: '/api/chat/elsewhere' }, { method: 'PUT' }]) {
      front.alter = ({ path }) => (path === ARCHIVE ? other : {});
      said.push(`${version} ${JSON.stringify(other)}`);
      await store.add(said.at(-1)!);
      await store.act('retryArchive');
      await expect.poll(() => foot(store)).toMatch(words);
      expect(await foot(store)).toMatch(/, \d waiting, next try in \d+ s$/);
    }
    // A field that the server does not know.
    front.alter = ({ path, body }) =>
      path === ARCHIVE ? { body: JSON.stringify({ ...JSON.parse(body), added_later: true }) } : {};
    await store.act('retryArchive');
    await expect.poll(() => foot(store)).toBe('2 could not be kept');
    for (const reason of await why(store)) expect(reason).toMatch(new RegExp(words.source.slice(1)));
    front.alter = () => ({});
    await store.page.locator('.lh-chat-foot').getByRole('button', { name: 'Retry' }).click();
    await expect.poll(() => foot(store)).toBe('All kept');
    expect(await textsOn(url, sessionId)).toEqual(said);

    // An answer of another shape, and a question that the server cannot be asked.
    const alert = store.page.locator('.lh-chat-error');
    front.alter = ({ path }) => (path.includes('/messages?') ? { path: '/api/chat/sessions' } : {});
    await store.act('openSession', sessionId);
    await expect.poll(() => alert.innerText()).toMatch(words);
    front.alter = () => ({});
    await alert.getByRole('button', { name: 'Try again' }).click();
    await expect.poll(() => store.page.locator('.lh-chat-text').count()).toBe(said.length);
    front.alter = ({ path }) => (path === '/api/chat' ? { path: '/api/talk' } : {});
    await store.act('send', 'Are you there?');
    await expect.poll(() => alert.innerText()).toMatch(words);
    front.alter = () => ({});
    said.push('Are you there?');
    await store.act('retryArchive');
  }
  // The same version does not know it either: that is another matter.
  front.version = undefined;
  front.alter = ({ path }) => (path === ARCHIVE ? { path: '/api/chat/elsewhere' } : {});
  await store.add('last');
  await store.act('retryArchive');
  await expect.poll(() => foot(store)).toMatch(/^There is no such path/);
  front.alter = () => ({});
  await store.act('retryArchive');
  expect(await textsOn(url, sessionId)).toEqual([...said, 'last']);
});

for (const how of ['deletes', 'holds'] as const)
  it(`works, and says so, while another tab ${how} the database`, async () => {
    const { url, front, browser } = await start();
    const first = await openStore(browser.context, front, NEVER);
    await first.page.close();
    const other = await browser.context.newPage();
    await other.goto(`${front.url}/other`);
    await other.evaluate(async (how) => {
      const [{ name }] = (await indexedDB.databases()) as [{ name: string }];
      await new Promise((resolve) => {
        indexedDB.open(name).onsuccess = resolve;
      });
      // It is never over: the connection above stays open.
      if (how === 'deletes') indexedDB.deleteDatabase(name);
    }, how);
    // As the next version of this page would: its database has another shape.
    if (how === 'holds')
      await browser.context.addInitScript(() => {
        const { open } = IDBFactory.prototype;
        IDBFactory.prototype.open = function (this: IDBFactory, name) {
          return open.call(this, name, 2);
        };
      });
    const store = await openStore(browser.context, front, NEVER);
    const words = 'Another tab holds what this app keeps. Close its other tabs, then reload this one.';
    await expect.poll(() => foot(store)).toBe(words);
    await store.add('one');
    const { sessionId } = await store.state();
    await expect.poll(() => textsOn(url, sessionId)).toEqual(['one']);
    await other.close();
    if (how === 'holds') return;
    await store.page.reload();
    await expect.poll(() => foot(store)).toBe('All kept');
    expect((await store.state()).archive.isPersistent).toBe(true);
  });

declare function add(text: string): Promise<string>;
