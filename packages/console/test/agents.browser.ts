import { expect, it } from 'vitest';
import { CALM, startConsole } from './console-page.ts';

/** The pages of agents, in a real browser, on a real server. */

const DAY_MS = 86_400_000;

it('finds expired memories behind any number of newer ones, and acts on rows by keys', async () => {
  const { client, open, trouble } = await startConsole();
  await client.call('createAgent', { name: 'planner' });
  const add = (content: string, daysAgo: number) =>
    client.call('addAgentMemory', {
      ...{ agent_id: 'planner', memory_type: 'journal', content },
      timestamp: new Date(Date.now() - daysAgo * DAY_MS).toISOString(),
    });
  await add('Written in spring', 200);
  for (let at = 0; at < 110; at++) await add(`Thought ${at} of this week`, at / 100);
  const page = await open('/agents/planner?show=expired');
  const card = page.getByRole('region', { name: 'Agent Memory' });
  await card.getByText('Written in spring').waitFor();
  expect(await card.getByText('Thought', { exact: false }).count()).toBe(0);

  await card.getByRole('button', { name: 'All', exact: true }).click();
  await card.getByLabel("Search in this agent's memories").fill('spring');
  await expect.poll(() => card.getByRole('listitem').count()).toBe(1);
  expect(page.url()).toContain('q=spring');
  await page.getByRole('heading', { name: 'Agent Memory' }).click();
  await page.keyboard.press('j');
  await page.keyboard.press('p');
  await page.getByRole('status').getByText('Pinned', { exact: true }).waitFor();
  await card.getByText('pinned', { exact: true }).waitFor();
  expect(await card.getByText('expired', { exact: true }).count()).toBe(0);
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByRole('status').getByText('No longer pinned').waitFor();
  await card.getByText('expired', { exact: true }).waitFor();
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keys' }).getByText('pin, or unpin').waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press('e');
  const text = page.getByRole('textbox', { name: 'Text', exact: true });
  expect(await text.inputValue()).toBe('Written in spring');
  // A form begins in its first field.
  expect(await text.evaluate((one) => one === document.activeElement)).toBe(true);
  await page.keyboard.press('Escape');
  await page.keyboard.press('Delete');
  await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByRole('status').getByText('Memory deleted').waitFor();
  expect(trouble).toEqual(CALM);
});

it('shows what all agents share: the whiteboard, which is seen and corrected like other memories, and does not talk', async () => {
  const { client, open, trouble } = await startConsole();
  await client.call('createAgent', { name: 'planner' });
  await client.call('addToWhiteboard', { content: 'The relaunch is on Friday.' });
  const page = await open('/agents');
  await page.getByRole('link', { name: /whiteboard.*what all agents share/s }).click();
  const card = page.getByRole('region', { name: 'Agent Memory' });
  await card.getByText('The relaunch is on Friday.').waitFor();
  expect(await page.getByLabel('System prompt').count()).toBe(0);
  await card.getByRole('button', { name: 'More for this memory' }).click();
  await page.getByRole('menuitem', { name: 'Edit and history…' }).click();
  await page.getByRole('textbox', { name: 'Text', exact: true }).fill('The relaunch is on Monday.');
  await page.getByRole('button', { name: 'Save' }).click();
  await card.getByText('The relaunch is on Monday.').waitFor();
  const { lines } = await client.call('readWhiteboard', {});
  expect(lines.map(({ content }) => content)).toEqual(['The relaunch is on Monday.']);
  await page.goto(new URL('/chat', page.url()).href);
  const who = page.getByLabel('Who answers').getByRole('option');
  await expect.poll(() => who.allTextContents()).toEqual(['The agents of the session', 'planner']);
  expect(trouble).toEqual(CALM);
});
