import { describe, expect, it } from 'vitest';
import { runJson } from '../../packages/server/test/run-cli.ts';
import type { Front } from './front.ts';
import {
  openBrowser,
  sharedLonghand,
  startLonghand,
  startPage,
  type TestBrowser,
  testFolder,
} from './harness.ts';
import { openStore, type StorePage, textsOn } from './store-page.ts';

/** What sends the outbox, each alone: neither a number of messages nor a time comes first. */
const NEVER = { everyMessages: 1_000_000, everyMs: 2_000_000_000 };
const ARCHIVE = '/api/chat/session/archive_messages';

async function start(): Promise<{ url: string; front: Front; browser: TestBrowser }> {
  const { url } = await sharedLonghand();
  const [front, browser] = await Promise.all([startPage(url, 'store.ts'), openBrowser()]);
  return { url, front, browser };
}

function archivings({ seen }: Front) {
  return seen.filter(({ path }) => path === ARCHIVE);
}

describe('what was said is archived', () => {
  it('after so many messages, and after some time', async () => {
    const { url, front, browser } = await start();
    const byCount = await openStore(browser.context, front, { ...NEVER, everyMessages: 3, scope: 'count' });
    for (const text of ['one', 'two']) await byCount.add(text);
    expect(archivings(front)).toEqual([]);
    expect((await byCount.state()).archive).toMatchObject({ waiting: 2, isPersistent: true, failed: [] });
    await byCount.add('three');
    const { sessionId } = await byCount.state();
    await expect.poll(() => textsOn(url, sessionId)).toEqual(['one', 'two', 'three']);
    await expect.poll(async () => (await byCount.state()).archive.waiting).toBe(0);
    expect(archivings(front)).toHaveLength(1);

    const byTime = await openStore(browser.context, front, { ...NEVER, everyMs: 100, scope: 'time' });
    await byTime.add('four');
    const other = (await byTime.state()).sessionId;
    await expect.poll(() => textsOn(url, other)).toEqual(['four']);
    expect(browser.trouble).toEqual({ violations: [], errors: [], foreign: [] });
  });

  it('when the panel is closed, when another conversation begins, and when the store is closed', async () => {
    const { url, front, browser } = await start();
    const store = await openStore(browser.context, front, { ...NEVER, isOpen: true });
    const { sessionId } = await store.state();
    await store.add('one');
    await store.act('toggleChatPanel', false);
    await expect.poll(() => textsOn(url, sessionId)).toEqual(['one']);
    await store.add('two');
    const next = (await store.act('newSession')) as string;
    expect(next).not.toBe(sessionId);
    await expect.poll(() => textsOn(url, sessionId)).toEqual(['one', 'two']);
    await store.add('three');
    await store.act('close');
    await expect.poll(() => textsOn(url, next)).toEqual(['three']);
  });

  it('of every conversation when the store is closed, though the answer to the first one has not come yet', async () => {
    const { url, front, browser } = await start();
    const store = await openStore(browser.context, front, { ...NEVER, scope: 'two at the end' });
    const { sessionId } = await store.state();
    await store.add('two');
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
    front.fate = async ({ path }) => {
      if (path === ARCHIVE && archivings(front).length === 1) await answered;
      return 'pass' as const;
    };
    const next = (await store.act('newSession')) as string;
    await expect.poll(() => archivings(front).length).toBe(1);
    await store.add('three');
    await store.act('close');
    await expect.poll(() => textsOn(url, next)).toEqual(['three']);
    answer();
    await expect.poll(() => textsOn(url, sessionId)).toEqual(['two']);
  });

  it('when another tab comes in front of the page', async () => {
    const { url } = await sharedLonghand();
    const front = await startPage(url, 'store.ts');
    const browser = await openBrowser({ hidesTabs: true });
    const store = await openStore(browser.context, front, NEVER);
    await store.add('one');
    const { sessionId } = await store.state();
    expect(await store.page.evaluate(() => document.visibilityState)).toBe('visible');
    expect(archivings(front)).toEqual([]);
    const other = await browser.context.newPage();
    await other.bringToFront();
    await expect.poll(() => store.page.evaluate(() => document.visibilityState)).toBe('hidden');
    await expect.poll(() => textsOn(url, sessionId)).toEqual(['one']);
    await expect.poll(async () => (await store.state()).archive.waiting).toBe(0);
  });

  /** The next try is in an hour: only an event can bring it earlier. */
  const IN_AN_HOUR = { status: 429, code: 'RATE_LIMITED', retryAfter: 3_600 } as const;
  async function waiting(): Promise<Awaited<ReturnType<typeof start>> & { store: StorePage }> {
    const started = await start();
    const store = await openStore(started.browser.context, started.front, NEVER);
    started.front.fate = ({ path }) => (path === ARCHIVE ? IN_AN_HOUR : 'pass');
    await store.add('one');
    await store.act('retryArchive');
    expect((await store.state()).archive.retryAt).toBeGreaterThan(Date.now() + 1_800_000);
    return { ...started, store };
  }

  it('when the page comes back from the cache of the browser', async () => {
    const { url, front, store } = await waiting();
    const { sessionId } = await store.state();
    await store.page.evaluate(() =>
      addEventListener('pageshow', ({ persisted }) => Object.assign(globalThis, { persisted })),
    );
    await store.page.goto(`${front.url}/other`);
    expect(await textsOn(url, sessionId)).toEqual([]);
    front.fate = () => 'pass';
    await store.page.goBack({ waitUntil: 'commit' });
    await expect.poll(() => store.page.evaluate('globalThis.persisted')).toBe(true);
    await expect.poll(() => textsOn(url, sessionId)).toEqual(['one']);
    await expect.poll(async () => (await store.state()).archive.waiting).toBe(0);
  });

  it('when the network is back', async () => {
    const { url, front, browser, store } = await waiting();
    const { sessionId } = await store.state();
    await browser.context.setOffline(true);
    front.fate = () => 'pass';
    expect(await textsOn(url, sessionId)).toEqual([]);
    await browser.context.setOffline(false);
    await expect.poll(() => textsOn(url, sessionId)).toEqual(['one']);
  });

  it('by a request that goes on when its page is left', async () => {
    const { url, front, browser } = await start();
    await browser.context.addInitScript(() => {
      delete (globalThis as { fetchLater?: unknown }).fetchLater;
      navigator.sendBeacon = () => false;
    });
    const store = await openStore(browser.context, front, NEVER);
    const { sessionId } = await store.state();
    await store.add('one');
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    // Only the first request arrives, and it is under way when the page is left.
    front.fate = async ({ path }) => {
      if (path !== ARCHIVE) return 'pass';
      if (archivings(front).length > 1) return 'lose-request';
      await held;
      return 'pass';
    };
    // A page that goes into the cache of the browser keeps its requests; with such a handler it goes for good.
    await store.page.evaluate(() => addEventListener('unload', () => undefined));
    void store.act('retryArchive').catch(() => undefined);
    await expect.poll(() => archivings(front).length).toBe(1);
    await store.page.goto(`${front.url}/other`);
    await store.page.reload();
    release();
    await expect.poll(() => textsOn(url, sessionId)).toEqual(['one']);
  });

  it('from a database that writes to the disk before it answers', async () => {
    const { front, browser } = await start();
    await browser.context.addInitScript(() => {
      const begun: string[] = [];
      const { transaction } = IDBDatabase.prototype;
      IDBDatabase.prototype.transaction = function (this: IDBDatabase, ...given) {
        const made = transaction.apply(this, given);
        begun.push(`${made.mode} ${made.durability}`);
        return made;
      };
      Object.assign(globalThis, { begun });
    });
    const store = await openStore(browser.context, front, NEVER);
    await store.add('one');
    const begun = (await store.page.evaluate('begun')) as string[];
    expect(new Set(begun.filter((one) => !one.startsWith('readonly')))).toEqual(
      new Set(['readwrite strict']),
    );
  });

  const LEAVING = ['navigates', 'reloads', 'closes the tab'] as const;
  for (const how of LEAVING) {
    for (const means of ['fetchLater', 'a beacon with a ticket']) {
      it(`when the page ${how}, by ${means}`, async () => {
        const { url, front, browser } = await start();
        if (means !== 'fetchLater')
          await browser.context.addInitScript(() => {
            delete (globalThis as { fetchLater?: unknown }).fetchLater;
          });
        const store = await openStore(browser.context, front, NEVER);
        const { sessionId } = await store.state();
        await store.add('one');
        await store.add('two 🙂');
        const isReady = (): boolean =>
          means === 'fetchLater' || front.seen.some(({ path }) => path === '/api/archive_ticket');
        await expect.poll(isReady).toBe(true);
        if (how === 'navigates') await store.page.goto(`${front.url}/other`);
        else if (how === 'reloads') await store.page.reload();
        else await store.page.close({ runBeforeUnload: true });
        await expect.poll(() => textsOn(url, sessionId)).toEqual(['one', 'two 🙂']);
        if (means !== 'fetchLater') {
          const beacon = archivings(front).find(({ headers }) => headers['content-type'] === 'text/plain');
          expect(JSON.parse(beacon!.body)).toMatchObject({ ticket: expect.any(String) });
          expect(beacon!.headers.authorization).toBeUndefined();
        }
      });
    }
  }

  it('by what the browser was armed with, when the page crashes', async () => {
    const { url, front, browser } = await start();
    const store = await openStore(browser.context, front, NEVER);
    const { sessionId } = await store.state();
    await store.add('last words');
    const session = await browser.context.newCDPSession(store.page);
    void session.send('Page.crash').catch(() => undefined);
    await expect.poll(() => textsOn(url, sessionId)).toEqual(['last words']);
  });

  for (const means of ['fetchLater', 'a beacon with a ticket'])
    for (const who of ['with a key', 'who has signed in'])
      it(`of a user ${who}, when the page is left, by ${means}`, async () => {
        const root = testFolder();
        const args = ['keys', 'create', 'page', '--for-user', 'ada', '--storage-root', root];
        const { token: key } = await runJson<{ token: string }>(...args);
        const { url } = await startLonghand({ 'auth-enabled': true }, root);
        const [front, browser] = await Promise.all([startPage(url, 'store.ts'), openBrowser()]);
        if (means !== 'fetchLater')
          await browser.context.addInitScript(() => {
            delete (globalThis as { fetchLater?: unknown }).fetchLater;
          });
        const more = who === 'with a key' ? { key } : { signIn: key };
        const store = await openStore(browser.context, front, NEVER, more);
        const { sessionId, error } = await store.state();
        expect(error).toBeUndefined();
        await store.add('one');
        const isReady = (): boolean =>
          means === 'fetchLater' || front.seen.some(({ path }) => path === '/api/archive_ticket');
        await expect.poll(isReady).toBe(true);
        // Another key could not be had now: the answers to all but archiving are lost.
        front.fate = ({ path }) => (path === ARCHIVE ? 'pass' : 'lose-request');
        await store.page.goto(`${front.url}/other`);
        const kept = async (): Promise<unknown> => {
          const path = `/api/chat/sessions/${sessionId}/messages`;
          const answer = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${key}` } });
          return answer.status === 200 ? await answer.json() : answer.status;
        };
        await expect.poll(kept).toMatchObject({ messages: [{ content: 'one' }] });
      });
});
