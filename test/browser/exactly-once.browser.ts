import { expect, it } from 'vitest';
import { chooseSeed } from '../../packages/longhand/test/chance.ts';
import { createChance } from '../../packages/longhand/test/processes/chance.ts';
import { endProcess, startServerProcess } from '../../packages/server/test/server-process.ts';
import { openBrowser, startPage, type TestBrowser, testFolder } from './harness.ts';
import { keptOn, openStore, type StorePage } from './store-page.ts';

/**
 * Two tabs write without a pause, behind a connection that loses every tenth request before the server sees it and every
 * seventh answer after. Again and again something ends by force. What a tab was told is kept is on the server in the end, once.
 */
const ENDS = [
  'server killed',
  'tab closed',
  'page crashed',
  'offline',
  'page left',
  'browser killed',
] as const;
/** Twelve ends in every run; `LONGHAND_ENDS=120` is the campaign of docs/browser.md. */
const ROUNDS = Number(process.env.LONGHAND_ENDS ?? 12);
const OPTIONS = { everyMessages: 4, everyMs: 200 };

it(`archives everything once, through ${ROUNDS} violent ends`, async () => {
  const seed = chooseSeed();
  const chance = createChance(seed);
  const root = testFolder();
  let server = await startServerProcess(root);
  const front = await startPage(server.url, 'store.ts');
  const profile = testFolder();
  const lost = { requests: 0, answers: 0 };
  front.fate = () => {
    const drawn = chance.next();
    if (drawn < 0.1) lost.requests++;
    else if (drawn < 0.25) lost.answers++;
    return drawn < 0.1 ? 'lose-request' : drawn < 0.25 ? 'lose-answer' : 'pass';
  };
  const acknowledged = new Map<string, string>();
  const begun = new Map<string, string>();
  let browser: TestBrowser | undefined;
  let tabs: StorePage[] = [];
  let number = 0;

  /** Until the tab is gone. */
  async function write(tab: StorePage, isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      const text = `Message ${number++}`;
      const id = `m${number}-${chance.below(1_000_000)}`;
      begun.set(id, text);
      try {
        await tab.add(text, id);
        acknowledged.set(id, text);
      } catch {
        // The tab is gone, or about to be: nothing was acknowledged.
        return;
      }
    }
  }

  for (let round = 0; round < ROUNDS; round++) {
    if (browser === undefined) {
      browser = await openBrowser({ profile });
      tabs = [];
    }
    while (tabs.length < 2) tabs.push(await openStore(browser.context, front, OPTIONS));
    let isOver = false;
    const before = acknowledged.size;
    const writing = tabs.map((tab) => write(tab, () => isOver));
    const wanted = 4 + chance.below(16);
    // By what has been done, not by the clock.
    await expect.poll(() => acknowledged.size - before, { interval: 1 }).toBeGreaterThanOrEqual(wanted);
    const [first] = tabs as [StorePage, StorePage];
    const end = ENDS[round % ENDS.length]!;
    if (end === 'server killed') {
      await endProcess(server.child, 'SIGKILL');
      server = await startServerProcess(root);
      front.upstream = server.url;
    } else if (end === 'tab closed') {
      await first.page.close();
    } else if (end === 'page crashed') {
      const session = await browser.context.newCDPSession(first.page);
      const crashed = first.page.waitForEvent('crash');
      void session.send('Page.crash').catch(() => undefined);
      await crashed;
      await first.page.close();
    } else if (end === 'offline') {
      await browser.context.setOffline(true);
      const there = acknowledged.size;
      await expect.poll(() => acknowledged.size, { interval: 1 }).toBeGreaterThan(there + 3);
      await browser.context.setOffline(false);
    } else if (end === 'page left') {
      await first.page.goto(`${front.url}/other`);
      await first.page.close();
    } else {
      await browser.kill();
      browser = undefined;
    }
    isOver = true;
    await Promise.all(writing);
    tabs = tabs.filter(({ page }) => !page.isClosed());
  }

  browser ??= await openBrowser({ profile });
  const last = await openStore(browser.context, front, OPTIONS);
  const { sessionId } = await last.state();
  await expect.poll(async () => (await last.state()).archive).toMatchObject({ waiting: 0, failed: [] });
  const kept = await keptOn(server.url, sessionId);
  const ids = kept.map(({ id }) => id);
  const context = `LONGHAND_SEED=${seed}`;
  expect(
    [...acknowledged.keys()].filter((id) => !ids.includes(id)),
    `${context}: lost`,
  ).toEqual([]);
  expect(new Set(ids).size, `${context}: twice`).toBe(ids.length);
  for (const { id, content } of kept) expect(content).toBe(begun.get(id));
  expect(lost.requests).toBeGreaterThan(0);
  expect(lost.answers).toBeGreaterThan(0);
  if (process.env.LONGHAND_ENDS !== undefined)
    process.stdout.write(
      `${ROUNDS} ends, ${acknowledged.size} messages acknowledged, ${kept.length} kept, ${front.seen.length} requests, ${lost.requests} lost, ${lost.answers} answers lost\n`,
    );
});
