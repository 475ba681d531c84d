import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { AxeResults } from 'axe-core';
import { type BrowserContext, type Page as BrowserPage, chromium } from 'playwright-core';
import { rolldown } from 'rolldown';
import { afterAll, onTestFinished } from 'vitest';
import { type ServerProcess, startServerProcess } from '../../packages/server/test/server-process.ts';
import { findChromium } from '../../scripts/install-for-browser.ts';
import { type Front, type Page, startFront } from './front.ts';

/**
 * What tests in a browser share: a real server on a folder of its own, a real Chromium with a profile of its own, and what
 * went wrong on its pages. Everything ends with the test that started it.
 */

/** A folder that goes away with the test. */
export function testFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'longhand-browser-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }));
  return folder;
}

/** A Longhand server in a process of its own, on a free port. @param flags settings by their flags: `{ 'auth-enabled': true }` */
export async function startLonghand(
  flags: Readonly<Record<string, unknown>> = {},
  root = testFolder(),
): Promise<ServerProcess & { readonly root: string }> {
  const server = await startServerProcess(root, flags);
  onTestFinished(() => void server.child.kill('SIGKILL'));
  return { ...server, root };
}

let shared: Promise<ServerProcess> | undefined;
const sharedFolders: string[] = [];
afterAll(() => {
  for (const folder of sharedFolders)
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
});

/** One server for all tests of a file, which ends with them: for tests that name sessions or users of their own. */
export function sharedLonghand(): Promise<ServerProcess> {
  if (shared === undefined) {
    const root = mkdtempSync(join(tmpdir(), 'longhand-browser-'));
    sharedFolders.push(root);
    shared = startServerProcess(root);
  }
  return shared;
}

export interface Trouble {
  /** Blocked by the content security policy or by Trusted Types. */
  readonly violations: string[];
  /** Errors that nothing caught. */
  readonly errors: string[];
  /** Requests to another origin than those of `allowed`. */
  readonly foreign: string[];
}

export interface TestBrowser {
  readonly context: BrowserContext;
  /** Of all its pages. */
  readonly trouble: Trouble;
  readonly profile: string;
  /** The process, for violent ends. */
  kill(): Promise<void>;
  close(): Promise<void>;
}

export interface BrowserOptions {
  /** The profile of an earlier browser, which was closed or killed. */
  readonly profile?: string;
  /** As a private window: nothing of it is on a disk. */
  readonly isPrivate?: boolean;
  /** A tab behind another one is hidden, as for a person; otherwise the driver has every tab believe that it is in front. */
  readonly hidesTabs?: boolean;
  readonly width?: number;
  readonly height?: number;
  readonly isDark?: boolean;
  readonly isTouch?: boolean;
  /** More flags of Chromium. */
  readonly args?: readonly string[];
}

const FLAGS = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  // It would ask other hosts for updates and lists.
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--js-flags=--max-old-space-size=1024',
];

/** A real Chromium with a profile on the disk, where IndexedDB survives it. */
export async function openBrowser(options: BrowserOptions = {}): Promise<TestBrowser> {
  const executablePath = findChromium();
  if (executablePath === undefined)
    throw new Error('There is no Chromium: npm run test:browser installs it.');
  const { width = 1_180, height = 800, isDark = false, isTouch = false, isPrivate = false } = options;
  const profile = options.profile ?? testFolder();
  // Its sandbox does not work for root.
  const root = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const launch = {
    executablePath,
    args: [...FLAGS, ...root, ...(options.args ?? [])],
    // Pages that are left and come back are part of what is tested.
    ignoreDefaultArgs: ['--disable-back-forward-cache'],
  };
  const look = {
    viewport: { width, height },
    colorScheme: isDark ? ('dark' as const) : ('light' as const),
    hasTouch: isTouch,
    isMobile: isTouch,
    acceptDownloads: true,
  };
  let context: BrowserContext;
  let kill = async (): Promise<void> => undefined;
  if (options.hidesTabs) {
    context = await startPlainly(executablePath, [...launch.args, `--user-data-dir=${profile}`]);
  } else if (isPrivate) {
    const browser = await chromium.launch(launch);
    onTestFinished(() => browser.close());
    context = await browser.newContext(look);
  } else {
    context = await chromium.launchPersistentContext(profile, { ...launch, ...look });
    onTestFinished(() => context.close().catch(() => undefined));
    kill = async () => {
      const closed = new Promise<void>((resolve) => context.once('close', () => resolve()));
      process.kill(pidOf(profile), 'SIGKILL');
      await closed;
    };
  }
  context.setDefaultTimeout(60_000);
  const trouble: Trouble = { violations: [], errors: [], foreign: [] };
  for (const page of context.pages()) watch(page, trouble);
  context.on('page', (page) => watch(page, trouble));
  return { context, trouble, profile, kill, close: () => context.close() };
}

/** Without what the driver changes about pages. */
async function startPlainly(executablePath: string, args: readonly string[]): Promise<BrowserContext> {
  const all = ['--headless', '--remote-debugging-port=0', ...args, 'about:blank'];
  const child = spawn(executablePath, all, { stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  for await (const line of createInterface({ input: child.stderr })) {
    const [address] = /ws:\S+/.exec(line) ?? [];
    if (address === undefined) continue;
    const browser = await chromium.connectOverCDP(address, { noDefaults: true });
    return browser.contexts()[0]!;
  }
  throw new Error('Chromium has ended before it could be driven.');
}

/** The browser writes who holds its profile beside it. */
function pidOf(profile: string): number {
  return Number(/-(\d+)$/.exec(readlinkSync(join(profile, 'SingletonLock')))![1]);
}

function watch(page: BrowserPage, { violations, errors, foreign }: Trouble): void {
  page.on('pageerror', (error) => void errors.push(error.message));
  page.on('console', (message) => {
    const text = message.text();
    if (message.type() === 'error' && /Content Security Policy|TrustedHTML|TrustedScript/.test(text))
      violations.push(text);
  });
  let own = '';
  page.on('request', (request) => {
    const { protocol, origin } = new URL(request.url());
    if (request.isNavigationRequest() && request.frame() === page.mainFrame()) own = origin;
    if (protocol.startsWith('http') && origin !== own) foreign.push(request.url());
  });
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe-core finds of a serious or critical kind, a line each. */
export async function seriousFindings(page: BrowserPage): Promise<string[]> {
  await page.evaluate(AXE);
  const { violations } = await page.evaluate(() =>
    (globalThis as unknown as { axe: { run(): Promise<AxeResults> } }).axe.run(),
  );
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, help, nodes }) => nodes.map(({ html }) => `${id}: ${help}: ${html}`));
}

const built = new Map<string, Promise<string>>();

/** A page's script, bundled from `test/browser/pages` with the sources as they stand. */
export function bundled(entry: string): Promise<string> {
  const known = built.get(entry) ?? bundle(join(import.meta.dirname, 'pages', entry));
  built.set(entry, known);
  return known;
}

async function bundle(input: string): Promise<string> {
  const build = await rolldown({
    input,
    platform: 'browser',
    resolve: { conditionNames: ['longhand-source', 'browser', 'import', 'default'] },
    transform: { define: { 'process.env.NODE_ENV': '"production"' } },
    logLevel: 'silent',
  });
  const { output } = await build.generate({ format: 'esm', codeSplitting: false });
  return output[0].code;
}

/** A page with one script and one style sheet, in front of a server. */
export async function startPage(
  upstream: string,
  entry: string,
  { css = '' }: { readonly css?: string } = {},
): Promise<Front> {
  const html = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Test</title><link rel="icon" href="data:,"><link rel="stylesheet" href="/page.css"><div id="root"></div><script type="module" src="/page.js"></script></html>`;
  const pages: Record<string, Page> = {
    '/page': { type: 'text/html', body: html },
    '/other': {
      type: 'text/html',
      body: '<!doctype html><html lang="en"><meta charset="utf-8"><title>Other</title><link rel="icon" href="data:,"><p>Another page</p></html>',
    },
    '/page.js': { type: 'text/javascript', body: await bundled(entry) },
    '/page.css': { type: 'text/css', body: css },
  };
  return startFront(upstream, pages);
}
