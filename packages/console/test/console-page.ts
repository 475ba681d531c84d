import type { Page } from 'playwright-core';
import { openBrowser, startLonghand, type TestBrowser, testFolder } from '../../../test/browser/harness.ts';
import { LonghandClient } from '../../longhand/src/client/index.ts';

export type Console = TestBrowser & {
  readonly url: string;
  readonly root: string;
  readonly child: Awaited<ReturnType<typeof startLonghand>>['child'];
  readonly client: LonghandClient;
  /** Opens an address of the console. @param browser another one than the first */
  readonly open: (address: string, browser?: TestBrowser) => Promise<Page>;
};

/** A server with the console as it was built, a client beside it, and a browser. @param flags settings of the server */
export async function startConsole(
  options: Parameters<typeof openBrowser>[0] = {},
  flags: Readonly<Record<string, unknown>> = {},
  root = testFolder(),
): Promise<Console> {
  const [server, browser] = await Promise.all([startLonghand(flags, root), openBrowser(options)]);
  const open = async (address: string, { context }: TestBrowser = browser): Promise<Page> => {
    const page = await context.newPage();
    await page.goto(`${server.url}${address}`);
    return page;
  };
  return { ...browser, ...server, open, client: new LonghandClient({ baseUrl: server.url }) };
}

export const CALM = { violations: [], errors: [], foreign: [] };
