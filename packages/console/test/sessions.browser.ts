import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { CALM, startConsole } from './console-page.ts';

/** The page of a session: its tabs, and what can be done with it. */

const SESSION = 'move';
const DAY_MS = 86_400_000;

const at = (daysAgo: number): string => new Date(Date.now() - daysAgo * DAY_MS).toISOString();

it('exports, closes, compacts after a rehearsal, and forgets a session', async () => {
  const { client, open, trouble } = await startConsole();
  await client.call('createSession', { session_id: SESSION });
  await client.call('addMemory', { session_id: SESSION, content: 'The van is ordered.' });
  const { id } = await client.call('addMemory', { session_id: SESSION, content: 'Gone soon. '.repeat(500) });
  await client.call('deleteMemory', { session_id: SESSION, memory_id: id });
  const page = await open(`/sessions/${SESSION}`);
  const choose = async (what: string): Promise<void> => {
    await page.getByRole('button', { name: 'What can be done with this session' }).click();
    await page.getByRole('menuitem', { name: what }).click();
  };
  for (const [what, name] of [
    ['Export as JSON', `${SESSION}.json`],
    ['Export as lines', `${SESSION}.jsonl`],
  ] as const) {
    const download = page.waitForEvent('download');
    await choose(what);
    const file = await download;
    expect(file.suggestedFilename()).toBe(name);
    expect(readFileSync(await file.path(), 'utf8')).toContain('The van is ordered.');
  }
  await choose('Close');
  await page.getByRole('status').getByText('Closed: all is written').waitFor();

  await choose('Compact…');
  const dialog = page.getByRole('dialog', { name: 'Compact this session?' });
  await dialog.getByText(/would become .*; 1 memory of 2 would be taken out/).waitFor();
  const before = (await client.call('getSessionStats', { session_id: SESSION })).total_size_bytes;
  await dialog.getByRole('button', { name: 'Compact', exact: true }).click();
  await page.getByRole('status').getByText('Compacted:').waitFor();
  expect((await client.call('getSessionStats', { session_id: SESSION })).total_size_bytes).toBeLessThan(
    before,
  );

  await choose('Forget…');
  const forget = page.getByRole('dialog', { name: 'Forget all of this session?' });
  await forget.getByText('The van is ordered.').waitFor();
  await forget.getByRole('button', { name: 'Forget for good' }).click();
  await page.getByRole('heading', { name: 'Sessions', exact: true }).waitFor();
  await expect(client.call('loadSession', { session_id: SESSION })).rejects.toThrow();
  await page.goto(new URL(`/sessions/${SESSION}`, page.url()).href);
  await page.getByRole('heading', { name: 'There is no such session' }).waitFor();
  expect(trouble).toEqual(CALM);
});

it('shows memories by day, what fades until the day of the slider, and references from one memory outward', async () => {
  const { client, open, trouble } = await startConsole();
  await client.call('createSession', { session_id: SESSION });
  const add = async (content: string, daysAgo: number, references: readonly string[] = []) =>
    (
      await client.call('addMemory', {
        ...{ session_id: SESSION, content, timestamp: at(daysAgo), references },
        type: 'conversation',
      })
    ).id;
  const first = await add('The first of a chain', 3);
  const second = await add('The second of a chain', 3, [first]);
  await add('The third of a chain', 1, [second]);

  const page = await open(`/sessions/${SESSION}?tab=memories`);
  await page.getByRole('button', { name: 'By day' }).click();
  expect(page.url()).toContain('view=days');
  const days = page.getByRole('feed').locator('.on-day > time');
  expect((await days.allTextContents()).filter((text) => text !== '').length).toBe(2);

  await page.getByRole('tab', { name: 'Decay' }).click();
  const slider = page.getByRole('slider');
  await page.getByText('In 7 days').waitFor();
  const later = async (): Promise<number> => {
    const row = page.locator('.entry', { hasText: 'The third of a chain' });
    return Number(/→ ([\d.]+)/.exec((await row.textContent()) ?? '')?.[1]);
  };
  await expect.poll(later).toBeGreaterThan(0);
  const inAWeek = await later();
  await slider.focus();
  await page.keyboard.press('End');
  await page.getByText('In 90 days').waitFor();
  expect(page.url()).toContain('days=90');
  await expect.poll(later).toBeLessThan(inAWeek);

  await page.getByRole('tab', { name: 'References' }).click();
  const edges = page.locator('.edges > li');
  await expect.poll(() => edges.count()).toBe(2);
  await page.locator('.edges').getByRole('button', { name: 'The third of a chain' }).click();
  await page.getByRole('complementary').getByRole('link', { name: 'As a graph' }).click();
  await page.getByText('outward').waitFor();
  await expect.poll(() => edges.count()).toBe(1);
  await page.getByRole('button', { name: '2', exact: true }).click();
  await expect.poll(() => edges.count()).toBe(2);
  await page.getByRole('button', { name: 'All of the session' }).click();
  await expect.poll(() => page.url()).not.toContain('from=');
  expect(trouble).toEqual(CALM);
});

it('leads from a placeholder to the memory that it stands for, in whatever session', async () => {
  const { client, open, trouble } = await startConsole();
  for (const session_id of [SESSION, 'other']) await client.call('createSession', { session_id });
  const { id } = await client.call('addMemory', { session_id: 'other', content: 'Plant the beans in May.' });
  await client.call('archiveMessages', {
    session_id: SESSION,
    messages_batch: [{ role: 'assistant', content: `As you said: [MemoryRef: ${id} - when to plant].` }],
  });
  const page = await open(`/sessions/${SESSION}`);
  await page.getByRole('link', { name: 'when to plant' }).click();
  await page.getByRole('complementary').getByText('Plant the beans in May.').waitFor();
  await expect.poll(() => new URL(page.url()).searchParams.get('open')).toBe(`other/${id}`);
  expect(trouble).toEqual(CALM);
});
