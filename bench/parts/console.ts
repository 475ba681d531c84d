import { join } from 'node:path';
import { LonghandClient } from 'longhand/client';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { findChromium } from '../../scripts/install-for-browser.ts';
import { makeEntries, textOf } from '../entries.ts';
import { goal, type Part } from '../result.ts';
import { COMMAND, start } from '../start-server.ts';
import { median, percentile, summarise } from '../statistics.ts';
import { withTemporaryFolder } from '../temporary-folder.ts';

const ROWS = 10_000;
const SESSIONS = 1_000;
const SESSION = 'long';
const TEXT_CHARACTERS = 240;

interface LongList {
  readonly name: string;
  readonly path: string;
  readonly rows: number;
  readonly rowHeight: number;
}

const LISTS: readonly LongList[] = [
  { name: 'search', path: '/search', rows: ROWS, rowHeight: 84 },
  { name: 'sessions', path: '/sessions', rows: SESSIONS, rowHeight: 76 },
  { name: 'transcript', path: `/sessions/${SESSION}`, rows: ROWS, rowHeight: 96 },
  { name: 'memories', path: `/sessions/${SESSION}?tab=memories`, rows: ROWS, rowHeight: 84 },
];

/** What a person sees of the console in a browser: how soon there is something, and whether long lists scroll without a hitch. */
export const console: Part = ({ isQuick }) =>
  withTemporaryFolder(async (folder) => {
    const rounds = isQuick ? 1 : 3;
    const executablePath = findChromium();
    if (executablePath === undefined) throw new Error('There is no Chromium: apt-get install chromium.');
    const root = join(folder, 'longhand');
    const { child, url } = await start([COMMAND, 'serve', '--storage-root', root]);
    const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
    const browser = await chromium.launch({ executablePath, args: ['--disable-gpu', ...sandbox] });
    try {
      await fill(new LonghandClient({ baseUrl: url }));
      const context = await browser.newContext({ viewport: { width: 1_280, height: 900 } });
      const paints: number[] = [];
      for (let visit = -1; visit < (isQuick ? 3 : 20); visit++) {
        const paint = await firstPaint(browser, url);
        if (visit >= 0) paints.push(paint);
      }
      const longest = new Map(
        LISTS.map(({ name }) => [name, { work: [] as number[], wall: [] as number[] }]),
      );
      for (let round = 0; round < rounds; round++)
        for (const list of LISTS) {
          const { work, wall } = await longestTask(browser, context, url + list.path, list);
          longest.get(list.name)!.work.push(work);
          longest.get(list.name)!.wall.push(wall);
        }
      return {
        title: 'The console in a browser',
        method: `A server of its own process holds a session with ${ROWS} memories and ${ROWS} messages, and ${SESSIONS} more sessions; Chromium without a screen opens the console as it was built. The first paint is "first-contentful-paint" of the overview, in a new profile each time. Each list is scrolled with the wheel from its first row to its last, ten rows at a step, and loads its rows meanwhile. A task is what the page does at one go, by the browser's own trace: its processor time, since the clock also counts other programs; the longest by the clock stands beside it. Medians of ${rounds} rounds.`,
        measurements: [
          { name: 'first paint of the overview', unit: 'ms', value: summarise(paints) },
          ...[...longest].map(([name, { wall }]) => ({
            name: `${name}, longest task by the clock`,
            unit: 'ms' as const,
            value: median(wall),
          })),
        ],
        goals: [
          goal({
            what: 'console, first paint of the overview, p95',
            bound: 'at most',
            limit: 1_000,
            unit: 'ms',
            measured: percentile(paints, 0.95),
          }),
          ...LISTS.map(({ name, rows }) =>
            goal({
              what: `console, longest task while ${name} scrolls through ${rows} rows`,
              bound: 'at most',
              limit: 50,
              unit: 'ms',
              measured: median(longest.get(name)!.work),
            }),
          ),
        ],
      };
    } finally {
      await browser.close();
      child.kill();
    }
  });

async function fill(client: LonghandClient): Promise<void> {
  const entries = makeEntries(ROWS);
  const textAt = (at: number): string => textOf(entries[at]!).slice(0, TEXT_CHARACTERS);
  const endMs = Date.now();
  const timeAt = (at: number): string => new Date(endMs - (ROWS - at) * 60_000).toISOString();
  await client.call('createSession', { session_id: SESSION });
  for (let from = 0; from < ROWS; from += 1_000) {
    const places = Array.from({ length: 1_000 }, (_, at) => from + at);
    await client.call('addMemories', {
      session_id: SESSION,
      memories: places.map((at) => {
        const { type = 'finding', importance = 0.5, tags = [] } = entries[at]!;
        return { type, importance, tags, content: textAt(at), timestamp: timeAt(at) };
      }),
    });
    for (let part = 0; part < 1_000; part += 200)
      await client.call('archiveMessages', {
        session_id: SESSION,
        messages_batch: places.slice(part, part + 200).map((at) => ({
          role: at % 2 === 0 ? ('user' as const) : ('assistant' as const),
          // Some are long.
          content: at % 7 === 0 ? `${textAt(at)}\n\n${textOf(entries[at]!)}` : textAt(at),
          timestamp: timeAt(at),
        })),
      });
  }
  for (let at = 0; at < SESSIONS; at += 20)
    await Promise.all(
      Array.from({ length: 20 }, (_, one) =>
        client.call('archiveMessages', {
          session_id: `session-${at + one}`,
          messages_batch: [{ role: 'user', content: textAt(at + one), timestamp: timeAt(at + one) }],
        }),
      ),
    );
}

async function firstPaint(
  browser: Awaited<ReturnType<typeof chromium.launch>>,
  url: string,
): Promise<number> {
  const context = await browser.newContext({ viewport: { width: 1_280, height: 900 } });
  const page = await context.newPage();
  await page.goto(url);
  await page.getByText('What was remembered').waitFor();
  const paint = await page.evaluate(
    () => performance.getEntriesByName('first-contentful-paint')[0]!.startTime,
  );
  await context.close();
  return paint;
}

/** Scrolls through a list, and gives the longest of the page's tasks meanwhile: how long it computed, and how long it took. */
async function longestTask(
  browser: Browser,
  context: BrowserContext,
  address: string,
  { rows, rowHeight }: LongList,
): Promise<{ readonly work: number; readonly wall: number }> {
  const page = await context.newPage();
  await page.goto(address);
  await page.locator('main [aria-posinset]').first().waitFor();
  await page.waitForTimeout(1_500);
  await browser.startTracing(page, { categories: ['toplevel', 'devtools.timeline'] });
  await page.mouse.move(700, 500);
  for (let tries = 0; tries < rows && !(await isAtEnd(page, rows)); tries++) {
    await page.mouse.wheel(0, 10 * rowHeight);
    await page.waitForTimeout(16);
  }
  if (!(await isAtEnd(page, rows))) throw new Error(`${address} was not scrolled to its end.`);
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as {
    traceEvents: TraceEvent[];
  };
  await page.close();
  const threads = traceEvents.filter(({ args }) => args?.name === 'CrRendererMain').map(threadOf);
  const tasks = traceEvents.filter(
    (event) => /RunTask$/.test(event.name) && threads.includes(threadOf(event)),
  );
  const longest = (field: 'dur' | 'tdur'): number =>
    tasks.reduce((most, task) => Math.max(most, task[field] ?? 0), 0) / 1_000;
  return { work: longest('tdur'), wall: longest('dur') };
}

/** As Chromium writes them; times in microseconds. */
interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  readonly dur?: number;
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

function threadOf({ pid, tid }: TraceEvent): string {
  return `${pid} ${tid}`;
}

function isAtEnd(page: Page, rows: number): Promise<boolean> {
  return page.evaluate((last) => document.querySelector(`main [aria-posinset="${last}"]`) !== null, rows);
}
