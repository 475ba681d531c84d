/**
 * Fills a store, opens every page of the console, and makes pictures of each: light, dark and as on a phone.
 *
 *     npm run screenshots -- FOLDER [PATH…]
 */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { chromium } from 'playwright-core';
import { LonghandClient } from '../packages/longhand/src/client/index.ts';
import { type FilledStore, fillStore } from '../test/browser/fill-store.ts';
import './build.ts';
import { findChromium } from './install-for-browser.ts';

const VIEWS = {
  light: { viewport: { width: 1_280, height: 900 }, colorScheme: 'light' },
  dark: { viewport: { width: 1_280, height: 900 }, colorScheme: 'dark' },
  phone: { viewport: { width: 390, height: 844 }, colorScheme: 'light', isMobile: true, hasTouch: true },
} as const;

/** Each page by the name of its pictures. */
const pathsOf = ({ mainSession, decisionId, detailKey }: FilledStore): Readonly<Record<string, string>> => ({
  overview: '/',
  agents: '/agents',
  agent: '/agents/planner',
  search: '/search?q=import%20team',
  'search-messages': '/search?q=import&layer=transcript',
  'search-peek': `/search?q=storage&open=${mainSession}/${decisionId}`,
  sessions: '/sessions',
  transcript: `/sessions/${mainSession}`,
  'session-memories': `/sessions/${mainSession}?tab=memories`,
  references: `/sessions/${mainSession}?tab=references`,
  'references-from': `/sessions/${mainSession}?tab=references&from=${decisionId}&depth=3`,
  'session-days': `/sessions/${mainSession}?tab=memories&view=days`,
  decay: `/sessions/${mainSession}?tab=decay`,
  notes: '/notes/planner',
  versions: '/notes/planner?versions=1',
  details: '/details',
  detail: `/details/${detailKey}`,
  chat: '/chat',
  turn: '/chat',
  proposals: '/proposals',
  privacy: '/privacy',
  export: '/privacy?tab=export',
  import: '/privacy?tab=import',
  receipts: '/privacy?tab=receipts',
  access: '/privacy?tab=access',
  log: '/privacy?tab=log',
});

/** Said on the page `turn`, whose picture shows the answers and what was in the last prompt. */
const SAID = ['I am allergic to peanuts.', 'What food should I avoid?'];

/** Of long lists and what floats, only what is in sight. */
const ONLY_IN_SIGHT = /open=|search|^\/sessions/;

const [out = 'screenshots', ...chosen] = process.argv.slice(2);
const executablePath = findChromium();
if (executablePath === undefined) throw new Error('There is no Chromium: apt-get install chromium.');
mkdirSync(out, { recursive: true });
const folder = mkdtempSync(join(tmpdir(), 'longhand-screenshots-'));
const bin = join(import.meta.dirname, '../packages/server/bin/longhand.js');
const flags = ['serve', '--storage-root', folder, '--port', '0', '--json'];
const server = spawn(process.execPath, [bin, ...flags], { stdio: ['ignore', 'pipe', 'ignore'] });
try {
  const url = await urlOf(server.stdout);
  const paths = pathsOf(await fillStore(new LonghandClient({ baseUrl: url })));
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const browser = await chromium.launch({ executablePath, args });
  for (const [view, options] of Object.entries(VIEWS)) {
    const page = await (await browser.newContext(options)).newPage();
    for (const [name, path] of Object.entries(paths)) {
      if (chosen.length > 0 && !chosen.includes(name)) continue;
      // The stream of changes never ends, so the network is never idle.
      await page.goto(url + path);
      if (name === 'turn') {
        for (const [turn, message] of SAID.entries()) {
          await page.getByRole('textbox', { name: 'Message' }).fill(message);
          await page.keyboard.press('Enter');
          await page.getByText('Why this answer?').nth(turn).waitFor();
        }
      }
      await page.waitForTimeout(900);
      await page.screenshot({ path: join(out, `${name}-${view}.png`), fullPage: !ONLY_IN_SIGHT.test(path) });
    }
  }
  await browser.close();
} finally {
  server.kill();
  await new Promise((resolve) => server.once('exit', resolve));
  rmSync(folder, { recursive: true });
}

async function urlOf(output: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: output })) {
    const [, url] = /"url": "([^"]+)"/.exec(line) ?? [];
    if (url !== undefined) return url;
  }
  throw new Error('The server has ended before it listened.');
}
