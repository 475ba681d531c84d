import type { Page } from 'playwright-core';
import { openBrowser, startLonghand, type TestBrowser } from '../../../test/browser/harness.ts';
import { LonghandClient } from '../../longhand/src/client/index.ts';

export type Console = TestBrowser & {
  readonly url: string;
  readonly root: string;
  readonly child: Awaited<ReturnType<typeof startLonghand>>['child'];
  readonly client: LonghandClient;
  /** Opens an address of the console. @param browser another one than the first */
  readonly open: (address: string, browser?: TestBrowser) => Promise<Page>;
};

/** A server with the console as it was built, a client beside it, and a browser. */
export async function startConsole(options: Parameters<typeof openBrowser>[0] = {}): Promise<Console> {
  const [server, browser] = await Promise.all([startLonghand(), openBrowser(options)]);
  const open = async (address: string, { context }: TestBrowser = browser): Promise<Page> => {
    const page = await context.newPage();
    await page.goto(`${server.url}${address}`);
    return page;
  };
  return { ...browser, ...server, open, client: new LonghandClient({ baseUrl: server.url }) };
}

export const CALM = { violations: [], errors: [], foreign: [] };
