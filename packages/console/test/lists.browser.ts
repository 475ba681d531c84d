import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { CALM, startConsole } from './console-page.ts';

/** Lists that are longer than what is read at first. */

const SESSION = 'long';

function memories(many: number, oldestBy: string) {
  return Array.from({ length: many }, (_, at) => ({
    content: `Entry ${at}`,
    timestamp: new Date(Date.UTC(2026, 0, 1) + at * 60_000).toISOString(),
    provenance: { author: 'assistant' as const, agent_id: at < 3 ? oldestBy : 'usual' },
  }));
}

const status = (page: Page) => page.getByRole('main').getByRole('status');

it('reads on until it has what the server cannot filter by, and says how much was read', async () => {
  const { client, open, trouble } = await startConsole();
  await client.call('createSession', { session_id: SESSION });
  await client.call('addMemories', { session_id: SESSION, memories: memories(320, 'rare') });
  const page = await open('/search?agent=rare');
  const feed = page.getByRole('feed', { name: 'Memories that were found' });
  await feed.getByText('Entry 2').waitFor();
  expect(await feed.getByRole('article').count()).toBe(3);
  await status(page).getByText('3 memories of all 320').waitFor();

  await page.goto(new URL('/search?trust=untrusted', page.url()).href);
  await page.getByText('Nothing with these filters.').waitFor();
  await status(page).getByText('0 memories of all 320').waitFor();
  expect(trouble).toEqual(CALM);
});

it('filters sessions that are not among the first', async () => {
  const { client, open, trouble } = await startConsole();
  for (let at = 0; at < 510; at += 30)
    await Promise.all(
      Array.from({ length: 30 }, (_, one) => client.call('createSession', { session_id: `s-${at + one}` })),
    );
  await client.call('createSession', { session_id: 'zuletzt', agents: ['rare'] });
  const page = await open('/sessions?agent=rare');
  await page.getByRole('feed', { name: 'Sessions' }).getByText('zuletzt').first().waitFor();
  await status(page).getByText('1 of 511 sessions').waitFor();
  expect(trouble).toEqual(CALM);
});

it('keeps its place in the address, and asks before it moves for what others have changed', async () => {
  const { client, open, trouble } = await startConsole();
  await client.call('createSession', { session_id: SESSION });
  await client.call('addMemories', { session_id: SESSION, memories: memories(400, 'usual') });
  const page = await open('/search');
  const feed = page.getByRole('feed');
  await feed.getByText('Entry 399').waitFor();
  await page.mouse.move(700, 500);
  // Row 200 is not in the first page of the answer.
  while (!(await feed.getByText('Entry 190', { exact: true }).isVisible())) await page.mouse.wheel(0, 600);
  await expect.poll(() => page.url()).toMatch(/[?&]at=2\d\d\b/);
  await page.reload();
  await feed.getByText('Entry 190', { exact: true }).waitFor();
  expect(await page.evaluate(() => scrollY)).toBeGreaterThan(10_000);

  await client.call('addMemory', { session_id: SESSION, content: 'The very newest' });
  await page.getByRole('button', { name: 'Changed: read again' }).click();
  await feed.getByText('The very newest').waitFor();
  expect(await page.getByRole('button', { name: 'Changed: read again' }).count()).toBe(0);

  // A filter begins at the top again.
  await page
    .getByLabel('conversation')
    .or(page.getByLabel(/^finding/))
    .first()
    .check();
  await expect.poll(() => page.url()).not.toMatch(/[?&]at=/);
  expect(trouble).toEqual(CALM);
});

it('has a menu at each memory: edit, tag, similar ones, what refers to it, its session, forget', async () => {
  const { client, open, trouble } = await startConsole();
  await client.call('createSession', { session_id: SESSION });
  const { id } = await client.call('addMemory', { session_id: SESSION, content: 'The move is in May.' });
  await client.call('addMemory', {
    ...{ session_id: SESSION, content: 'The move needs a van in May.', references: [id], type: 'decision' },
  });
  const page = await open('/search?q=van');
  const row = page.getByRole('article').filter({ hasText: 'van in May' });
  const choose = async (what: string): Promise<void> => {
    await row.getByRole('button', { name: 'More for this memory' }).click();
    await page.getByRole('menuitem', { name: what }).click();
  };
  await choose('Tag…');
  await page.getByLabel('Tag', { exact: true }).fill('moving');
  await page.getByRole('button', { name: 'Add the tag' }).click();
  await row.getByText('moving').waitFor();
  await choose('Edit…');
  await page.getByRole('textbox', { name: 'Text', exact: true }).fill('The move needs a big van in May.');
  await page.getByRole('button', { name: 'Save' }).click();
  await row.filter({ hasText: 'big van' }).waitFor();
  await choose('Show similar');
  const peek = page.getByRole('complementary');
  await peek.getByRole('heading', { name: 'Similar' }).waitFor();
  await peek.getByText('The move is in May.').first().waitFor();
  await page.keyboard.press('Escape');
  await choose('What refers to it');
  await page.getByText('outward').waitFor();
  await page.getByText('refers to', { exact: true }).waitFor();
  await page.goBack();
  // By the keyboard alone.
  await row.getByRole('button', { name: 'More for this memory' }).press('Enter');
  const isFocused = (one: Element): boolean => one === document.activeElement;
  const first = page.getByRole('menuitem').first();
  await expect.poll(() => first.evaluate(isFocused)).toBe(true);
  await page.keyboard.press('End');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Forget for good' }).click();
  await page.getByRole('status').getByText('Forgotten: 1 memory').waitFor();
  await row.waitFor({ state: 'detached' });
  expect(trouble).toEqual(CALM);
});
