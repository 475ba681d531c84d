import { expect, it } from 'vitest';
import { seriousFindings, startLonghand } from '../../../test/browser/harness.ts';
import { endProcess } from '../../server/test/server-process.ts';
import { CALM, startConsole } from './console-page.ts';

const SESSION = 'weekly';

it('chats, shows why each piece was in the prompt, takes back, and is there after a restart of the server', async () => {
  const { url, root, child, client, open, trouble } = await startConsole();
  await client.call('createSession', { session_id: SESSION });
  await client.call('addMemory', {
    session_id: SESSION,
    type: 'preference',
    content: { text: 'Prefers metric units.' },
  });
  const page = await open(`/chat/${SESSION}`);
  await page.getByLabel('Message', { exact: true }).fill('Remember that my dog is called Rex');
  await page.keyboard.press('Enter');
  const inspector = page.getByLabel('Context of the answer');
  await inspector.getByText('Remembered this turn').waitFor();
  await expect.poll(() => inspector.textContent()).toMatch(/[\d,]+ of 8,000 tokens, [\d,]+ left/);
  const piece = inspector.locator('.piece', { hasText: 'Prefers metric units.' });
  await expect.poll(() => piece.textContent()).toContain('a preference of this user, in every prompt');
  await expect.poll(() => piece.getByRole('link').getAttribute('href')).toContain('metric');

  await inspector.getByRole('button', { name: 'Undo' }).click();
  await inspector.getByText('Taken back').waitFor();
  expect((await client.call('search', { text: 'Rex', details: false })).memories).toEqual([]);

  await inspector.getByRole('tab', { name: 'As sent' }).click();
  await expect.poll(() => inspector.textContent()).toContain('Remember that my dog is called Rex');

  const { port } = new URL(url);
  await endProcess(child, 'SIGTERM');
  await startLonghand({ port: Number(port) }, root);
  await page.goto(`${url}/chat/${SESSION}`);
  const messages = page.getByRole('list', { name: 'Messages' });
  await expect.poll(() => messages.getByRole('listitem').count()).toBeGreaterThanOrEqual(2);
  expect(await messages.textContent()).toContain('Remember that my dog is called Rex');
  // The newest conversation stands first, by what it began with.
  await page.getByRole('button', { name: 'Other conversations' }).click();
  await expect
    .poll(() => page.getByRole('menuitem').first().textContent())
    .toContain('Remember that my dog is called Rex');
  await page.keyboard.press('Escape');
  // The reasons stay with the tab.
  await inspector.getByText('As it was then').waitFor();
  await inspector.locator('.piece', { hasText: 'Prefers metric units.' }).waitFor();
  expect(trouble).toEqual(CALM);
});

it('names what was left out, of other sessions too, replays an earlier time, and is a drawer on a phone', async () => {
  const { client, open, trouble } = await startConsole({ width: 390, height: 844, isTouch: true });
  await client.call('createSession', { session_id: 'elsewhere' });
  const memories = Array.from({ length: 120 }, (_, at) => ({
    type: 'conversation' as const,
    content: { text: `Row ${at} of the long report on otters. ${'They swim and eat fish. '.repeat(30)}` },
    timestamp: '2026-03-01T10:00:00.000Z',
  }));
  await client.call('addMemories', { session_id: 'elsewhere', memories });
  const page = await open(`/chat/${SESSION}`);
  await page.getByText('This is the demo model: it needs no key.').waitFor();
  await page.getByLabel('Message', { exact: true }).fill('What did the report on otters say?');
  await page.keyboard.press('Enter');
  const inspector = page.getByLabel('Context of the answer');
  expect(await inspector.isVisible()).toBe(false);
  await page.getByRole('button', { name: 'Why this answer?' }).click();
  await inspector.getByText('As it was then').waitFor();
  expect(page.url()).toContain('turn=');
  await inspector.getByRole('tab', { name: /^Left out \d/ }).click();
  await inspector
    .locator('.left-out .piece-text', { hasText: 'of the long report on otters' })
    .first()
    .waitFor();
  await expect.poll(() => inspector.locator('.left-out .piece-name').count()).toBe(0);

  await inspector.getByRole('tab', { name: 'As sent' }).click();
  await inspector.getByLabel('As if asked at').fill('2026-02-01T10:00');
  await inspector.getByRole('button', { name: 'Replay' }).click();
  await inspector.getByText(/as if asked Sunday, February 1, 2026/).waitFor();
  expect(page.url()).toContain('asof=2026-02-01');
  await inspector.getByRole('button', { name: 'Back to the answer' }).click();
  await inspector.getByText('As it was then').waitFor();
  expect(await seriousFindings(page)).toEqual([]);
  await inspector.getByRole('button', { name: 'Close' }).click();
  await inspector.waitFor({ state: 'hidden' });

  // Where the reasons are no longer known, the same question is asked of the memory as it is now, and the page says so.
  await page.evaluate(() => sessionStorage.clear());
  await page.reload();
  await page.getByRole('button', { name: 'Why this answer?' }).click();
  await inspector.getByText('the reasons of this answer are no longer known').waitFor();
  expect(trouble).toEqual(CALM);
});

it('shows what forgetting would take, forgets after the number is typed, and gives a receipt that can be verified', async () => {
  const { client, open, trouble } = await startConsole();
  await client.call('remember', { content: 'The blue door code is 4711', type: 'finding' });
  await client.call('remember', { content: 'The garden gate stays open', type: 'finding' });
  const page = await open('/privacy');
  await page.getByLabel('The words').fill('blue door code');
  await page.getByRole('button', { name: 'Show what would go' }).click();
  await page.getByText('The blue door code is 4711').waitFor();
  expect(await page.getByText('The garden gate stays open').count()).toBe(0);
  const forget = page.getByRole('button', { name: /^Forget 1 piece/ });
  expect(await forget.isDisabled()).toBe(true);
  await page.getByLabel(/^This cannot be taken back/).fill('1');
  await forget.click();
  await page.getByRole('heading', { name: 'Forgotten' }).waitFor();
  const found = await client.call('search', { text: 'blue door code garden gate', details: false });
  expect(found.memories.map(({ content }) => content.text)).toEqual(['The garden gate stays open']);

  await page.getByRole('button', { name: 'Verify' }).click();
  await page.getByRole('button', { name: 'Look for it' }).click();
  await page.getByText('Gone.').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('tab', { name: 'Receipts' }).click();
  const [receipt] = (await client.call('listReceipts', {})).receipts;
  await page.getByRole('button', { name: receipt!.receipt_id! }).click();
  await page.getByRole('complementary', { name: 'Receipt' }).waitFor();
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download' }).click();
  expect((await download).suggestedFilename()).toBe(`receipt-${receipt!.receipt_id}.json`);

  await page.getByRole('tab', { name: 'Access' }).click();
  await page.getByRole('button', { name: 'New key' }).click();
  await page.getByLabel('What it is for').fill('laptop');
  await page.getByRole('button', { name: 'Make the key' }).click();
  const token = (await page.getByRole('dialog').locator('code').textContent())!;
  await page.getByRole('button', { name: 'I have kept it' }).click();
  expect(await page.content()).not.toContain(token);
  await page.getByRole('button', { name: 'Revoke…' }).click();
  await page.getByRole('button', { name: 'Revoke', exact: true }).click();
  await page.getByRole('cell', { name: 'revoked' }).waitFor();
  expect((await client.call('listKeys', {})).keys[0]!.revoked_at).not.toBeNull();
  expect(trouble).toEqual(CALM);
});

it('edits notes in two tabs: nothing is overwritten silently, and versions come back', async () => {
  const { client, open, trouble } = await startConsole();
  await client.call('createAgent', { name: 'planner' });
  await client.call('writeNotes', {
    agent_id: 'planner',
    text: '# Projects\n\nThe move.\n\n# Habits\n\nTea.\n',
  });
  const [first, second] = [await open('/notes/planner'), await open('/notes/planner')];
  const write = async (page: typeof first, section: string, text: string): Promise<void> => {
    await page.getByRole('button', { name: section, exact: true }).click();
    await page.keyboard.press('End');
    await page.keyboard.type(text);
  };
  await write(first, 'Projects', ' of one');
  await write(second, 'Habits', ' of two');
  await first.getByRole('button', { name: 'Save' }).click();
  await first.getByText('version 2').waitFor();
  // Different sections: both stay.
  await second.getByText('Your own changes are in other sections.').waitFor();
  expect(await second.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
  await second.getByRole('button', { name: 'Put together' }).click();
  await second.getByRole('button', { name: 'Save' }).click();
  await second.getByText('version 3').waitFor();
  const both = '# Projects of one\n\nThe move.\n\n# Habits of two\n\nTea.\n';
  const saved = async (): Promise<string> => (await client.call('readNotes', { agent_id: 'planner' })).text;
  expect(await saved()).toBe(both);

  // The same section, and an agent that writes: the reader decides.
  await first.getByText('version 3').waitFor();
  await write(first, 'Habits of two', ' and one');
  await client.call('writeNotes', { agent_id: 'planner', text: both.replace('Tea.', 'Coffee.') });
  await first.getByText('You have changed the same.').waitFor();
  // A reload keeps what was written.
  first.on('dialog', (dialog) => void dialog.accept());
  await first.reload();
  await first.getByText('You have changed the same.').waitFor();
  await first.getByRole('button', { name: 'Show' }).click();
  await first.getByRole('dialog').getByText('Coffee.').waitFor();
  await first.keyboard.press('Escape');
  await first.getByRole('button', { name: 'Keep mine' }).click();
  await first.getByRole('button', { name: 'Save' }).click();
  await first.getByText('version 5').waitFor();
  expect(await saved()).toBe(both.replace('Habits of two', 'Habits of two and one'));

  await first.getByRole('button', { name: 'Versions' }).click();
  await first.getByRole('button', { name: /^Version 4/ }).click();
  await first.getByText('From version 4 to version 5').waitFor();
  await first.getByRole('button', { name: 'Bring it back as a new version' }).click();
  await first.getByText('version 6').first().waitFor();
  expect(await saved()).toBe(both.replace('Tea.', 'Coffee.'));
  expect(trouble).toEqual(CALM);
});

it('shows every line that a version took away, rules too', async () => {
  const { client, open, trouble } = await startConsole();
  await client.call('createAgent', { name: 'planner' });
  for (const text of ['# Habits\n\nTea.\n\n---\n\nCoffee.\n', '# Habits\n\nTea.\n\nCoffee.\n'])
    await client.call('writeNotes', { agent_id: 'planner', text });
  const page = await open('/notes/planner?versions=1');
  const diff = page.getByRole('figure');
  await diff.getByText('from line 2').waitFor();
  expect(await diff.locator('.is-removed p').allTextContents()).toEqual(['---', '']);
  expect(trouble).toEqual(CALM);
});

it('pages through a detail, searches it, and shows JSON as a tree', async () => {
  const { client, open, trouble } = await startConsole();
  await client.call('createSession', { session_id: SESSION });
  const line = (at: number): string => `${at % 100 === 0 ? 'ERROR' : 'info'} batch ${at}`;
  const content = Array.from({ length: 1_000 }, (_, at) => line(at + 1)).join('\n');
  const store = (description: string, text: string) =>
    client.call('storeDetail', { session_id: SESSION, description, content: text });
  const { memory_key } = await store('The log of the import', content);
  const json = await store(
    'Users, as JSON',
    JSON.stringify({ users: [{ name: 'Ada', deep: { ok: true } }] }),
  );
  await client.call('archiveMessages', {
    session_id: SESSION,
    messages_batch: [{ id: 'm1', role: 'assistant', content: `See [MemoryRef: ${memory_key} - the log].` }],
  });

  const page = await open('/details');
  await page.getByRole('button', { name: 'The log of the import' }).click();
  await page.getByRole('link', { name: '1 message' }).waitFor();
  const text = page.getByRole('region', { name: 'The text' });
  await page.getByRole('button', { name: 'Next' }).click();
  await text.getByText('batch 201', { exact: false }).waitFor();
  expect(page.url()).toContain('page=2');
  await page.getByLabel('Search in this detail').fill('error');
  await page.keyboard.press('Enter');
  await page.getByText('10 lines of 1,000 hold this:').waitFor();
  expect(await text.locator('mark').count()).toBe(10);
  await text.getByRole('button', { name: '900', exact: true }).click();
  await text.getByText('ERROR batch 900').waitFor();
  expect(page.url()).toContain('page=5');
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download' }).click();
  expect((await download).suggestedFilename()).toBe(`${memory_key}.txt`);

  await page.goto(new URL(`/details/${json.memory_key}`, page.url()).href);
  await page.getByText('name: "Ada"').waitFor();
  await page.getByText('{ name: "Ada"').click();
  await page.locator('.json-leaf', { hasText: 'Ada' }).waitFor();
  expect(trouble).toEqual(CALM);
});

it('lists proposals, of which one is edited and accepted and one dismissed', async () => {
  const { client, open, trouble } = await startConsole();
  for (const text of [
    'The nightly import fails when the export has more than 2 GB; split it first.',
    'The nightly import fails if the export is larger than 2 GB; split it first.',
    'The weekly report goes out on Friday to the whole team as a table.',
    'The weekly report goes out on Monday to the whole team as a table.',
  ])
    await client.call('remember', { content: text, type: 'finding' });
  const page = await open('/proposals');
  await page.getByText('Nothing waits.').waitFor();
  await page.getByRole('button', { name: 'Look for some' }).click();
  await page.getByRole('button', { name: 'Accept' }).nth(1).waitFor();
  const before = (await client.call('listProposals', {})).proposals.length;
  await page.getByRole('button', { name: 'Edit' }).first().click();
  await page.getByLabel('What is to be kept').fill('Split exports above 2 GB.');
  await page.getByRole('button', { name: 'Accept' }).first().click();
  await page.getByText('Accepted').waitFor();
  await page.getByRole('button', { name: 'Dismiss' }).first().click();
  await page.getByText('Dismissed').waitFor();
  await expect.poll(async () => (await client.call('listProposals', {})).proposals.length).toBe(before - 2);
  const { memories } = await client.call('search', { text: 'Split exports above', details: false });
  expect(memories[0]!.content.text).toBe('Split exports above 2 GB.');
  expect(trouble).toEqual(CALM);
});
