import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { openBrowser, startLonghand } from '../../../test/browser/harness.ts';
import { LonghandClient } from '../../longhand/src/client/index.ts';
import { endProcess } from '../../server/test/server-process.ts';
import { CALM, startConsole } from './console-page.ts';

/** What the console shows when something is in the way. */

const SESSION = 'weekly';

it('says in a bar that the connection is lost, keeps what it shows, and goes on by itself', async () => {
  const { url, root, child, client, open } = await startConsole();
  await client.call('remember', { content: 'Rex is my dog.' });
  const page = await open('/');
  await page.getByRole('button', { name: 'Rex is my dog.' }).waitFor();
  await endProcess(child, 'SIGKILL');
  const bar = page.getByRole('status').getByText('The server cannot be reached.');
  await bar.waitFor();
  expect(await page.getByRole('button', { name: 'Rex is my dog.' }).isVisible()).toBe(true);
  await startLonghand({ port: Number(new URL(url).port) }, root);
  await bar.waitFor({ state: 'detached' });
  // Others' changes are followed again.
  await client.call('remember', { content: 'Tom is my cat.' });
  await page.getByRole('button', { name: '1 new' }).waitFor();
});

it('says what is wrong with a question, and which request the log of the server knows it by', async () => {
  const { client, open, trouble } = await startConsole();
  await client.call('remember', { content: 'Rex is my dog.' });
  const page = await open('/search?after=sometimes');
  const box = page.getByRole('alert');
  await box.getByText('The search failed').waitFor();
  const id = (await box.locator('.request-id code').textContent())!;
  expect(id).toMatch(/\S{8,}/);
  await box.getByRole('button', { name: 'Copy the id of the request' }).waitFor();
  // The filter that is at fault can be dropped there and then.
  await page.getByRole('button', { name: 'Drop after:sometimes' }).click();
  await page.getByRole('article').getByText('Rex is my dog.').waitFor();
  expect(await box.count()).toBe(0);
  expect(trouble).toEqual(CALM);
});

it('shows a key that may only read no button that changes something, and names the role that is needed', async () => {
  const open = await startLonghand();
  const local = new LonghandClient({ baseUrl: open.url });
  await local.call('createAgent', { name: 'planner' });
  await local.call('createKey', { label: 'admin', access: 'admin' });
  const reader = await local.call('createKey', { label: 'reader', access: 'read', user_id: 'ada' });
  const writer = await local.call('createKey', { label: 'ada', access: 'write', user_id: 'ada' });
  await endProcess(open.child, 'SIGTERM');
  const server = await startLonghand({ 'auth-enabled': true }, open.root);
  const ada = new LonghandClient({ baseUrl: server.url, key: writer.token });
  await ada.call('createSession', { session_id: SESSION });
  await ada.call('addMemory', { session_id: SESSION, content: 'Rex is my dog.' });

  const { context, trouble } = await openBrowser();
  const page = await context.newPage();
  const go = (path: string): Promise<unknown> => page.goto(server.url + path);
  await go('/search');
  await page.getByLabel('API key or token').fill(reader.token);
  await page.getByRole('button', { name: 'Sign in' }).click();
  const row = page.getByRole('article').filter({ hasText: 'Rex is my dog.' });
  await row.getByRole('button', { name: 'More for this memory' }).click();
  expect(await page.getByRole('menuitem').allTextContents()).toEqual([
    'Show similar',
    'What refers to it',
    'To its session',
    'Copy the id',
  ]);
  await page.keyboard.press('Escape');
  expect(await row.getByRole('checkbox').count()).toBe(0);
  await row.getByRole('button', { name: 'Rex is my dog.' }).click();
  await page.getByRole('complementary').getByText('Importance', { exact: true }).waitFor();
  expect(await buttons(page, /Edit|Forget|Delete|Add|Save/)).toEqual([]);

  await go('/');
  await page.getByText('What was remembered').waitFor();
  expect(await buttons(page, /Add/)).toEqual([]);
  await go(`/sessions/${SESSION}`);
  await page.getByRole('button', { name: 'What can be done with this session' }).click();
  expect(await page.getByRole('menuitem').allTextContents()).toEqual(['Export as JSON', 'Export as lines']);
  await go('/agents/planner');
  await page.getByText('Only administrators change an agent.').waitFor();
  await go('/privacy?tab=receipts');
  await page.getByText('needs the role').waitFor();

  // What is refused says by whom it may be done.
  await go('/search?as=bob');
  await page.getByRole('alert').first().waitFor();
  expect(await page.getByRole('alert').first().textContent()).toContain('admin');
  expect({ ...trouble, errors: [] }).toEqual(CALM);
});

async function buttons(page: Page, name: RegExp): Promise<string[]> {
  return page.getByRole('main').getByRole('button', { name }).allTextContents();
}
