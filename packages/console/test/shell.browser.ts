import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { fillStore } from '../../../test/browser/fill-store.ts';
import { seriousFindings } from '../../../test/browser/harness.ts';
import { CALM, startConsole } from './console-page.ts';

/** What is around all pages: the list of commands, the theme, the state of the archive, the direction of writing. */

const theme = (page: Page) => page.evaluate(() => document.documentElement.dataset.theme);

it('goes to pages, agents, sessions and the search, adds a memory and changes the theme from the list of commands', async () => {
  const { client, open, trouble } = await startConsole();
  await client.call('createAgent', { name: 'planner' });
  await client.call('createSession', { session_id: 'weekly-plan' });
  const page = await open('/agents');
  await page.getByRole('heading', { name: 'Agents' }).waitFor();
  const field = page.getByRole('combobox', { name: 'What to go to or to do' });
  const choose = async (text: string, keys: readonly string[] = []): Promise<void> => {
    await page.keyboard.press('Control+k');
    await field.fill(text);
    for (const key of [...keys, 'Enter']) await page.keyboard.press(key);
    await field.waitFor({ state: 'detached' });
  };
  await page.keyboard.press('Control+k');
  await field.waitFor();
  // It begins in its field, and shows which one Enter would take.
  expect(await field.evaluate((one) => one === document.activeElement)).toBe(true);
  await page.getByRole('option', { name: 'Overview', selected: true }).waitFor();
  await page.keyboard.press('ArrowDown');
  await page.getByRole('option', { name: 'Agents', selected: true }).waitFor();
  expect(await seriousFindings(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await choose('priv');
  await page.getByRole('heading', { name: 'Privacy' }).waitFor();
  await choose('agent plan');
  await page.waitForURL(/\/agents\/planner$/);
  await choose('weekly');
  await page.waitForURL(/\/sessions\/weekly-plan$/);
  await choose('otters in winter');
  await page.waitForURL(/\/search\?q=otters\+in\+winter/);
  await choose('dark');
  expect(await theme(page)).toBe('dark');
  await page.getByRole('button', { name: 'Theme: dark' }).waitFor();
  await choose('as the system');
  expect(await theme(page)).toBeUndefined();
  await choose('add a mem');
  await page.getByRole('textbox', { name: 'Text', exact: true }).fill('Otters hold hands.');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('status').getByText('Memory added').waitFor();
  await page.getByRole('button', { name: /^Go to/ }).click();
  await page.getByRole('option', { name: 'Notes' }).click();
  await page.waitForURL(/\/notes/);
  expect(trouble).toEqual(CALM);
});

it('says at the foot of the rail what of the chat is not kept yet, on every page', async () => {
  const { open, trouble } = await startConsole();
  const page = await open('/chat');
  await page.getByLabel('Message', { exact: true }).fill('Hello');
  await page.keyboard.press('Enter');
  await page.getByText('Why this answer?').waitFor();
  await page.getByRole('link', { name: 'Overview', exact: true }).click();
  await page.getByRole('link', { name: /^Chat: \d waiting to be kept/ }).waitFor();
  // As when another tab is looked at.
  await page.evaluate(() => {
    Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => 'hidden' });
    document.dispatchEvent(new Event('visibilitychange'));
  });
  await page.getByRole('link', { name: 'Chat: all kept' }).waitFor();
  expect(trouble).toEqual(CALM);
});

it.each([
  ['in a window', { width: 1_180, height: 800 }],
  ['on a phone', { width: 390, height: 844, isTouch: true }],
])('keeps within the window when the writing goes from right to left, %s', async (_name, options) => {
  const { client, open, url, trouble } = await startConsole(options);
  const { mainSession } = await fillStore(client);
  const page = await open('/');
  await page.addInitScript(() => {
    addEventListener('DOMContentLoaded', () => {
      document.documentElement.dir = 'rtl';
    });
  });
  const [detail] = (await client.call('listDetails', {})).details;
  const pages = {
    '/': '.entry',
    '/agents': '.agent-card',
    '/agents/planner': '.private-memory',
    '/sessions': '.session-row, .entry, main a',
    [`/sessions/${mainSession}`]: '.transcript-head',
    '/search?q=import': '.entry',
    '/notes/planner': '.notes-sheet',
    '/details': '.entry',
    [`/details/${detail!.memory_key}`]: 'main',
    [`/chat/${mainSession}`]: '.chat-column',
    '/proposals': '.proposals, .empty-state',
    '/privacy': '.forget-choice',
    '/privacy?tab=receipts': '.list-table',
    '/privacy?tab=access': '.access',
  };
  for (const [path, sign] of Object.entries(pages)) {
    await page.goto(url + path);
    await page.locator(sign).first().waitFor();
    const found = await page.evaluate(() => {
      const { scrollWidth, clientWidth } = document.documentElement;
      const main = document.querySelector('main')!.getBoundingClientRect();
      const rail = document.querySelector('.rail')!.getBoundingClientRect();
      return {
        isWide: scrollWidth > clientWidth,
        isRailRight: innerWidth < 760 || rail.left >= main.right - 1,
      };
    });
    expect({ path, ...found }).toEqual({ path, isWide: false, isRailRight: true });
  }
  expect(trouble).toEqual(CALM);
});
