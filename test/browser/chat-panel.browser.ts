import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LonghandClient } from 'longhand/client';
import { expect, it, onTestFinished } from 'vitest';
import { startStandIn } from '../../packages/server/test/openai-stand-in.ts';
import type { Front } from './front.ts';
import { openBrowser, seriousFindings, startLonghand, startPage, type TestBrowser } from './harness.ts';
import { openStore, type StorePage, textsOn } from './store-page.ts';

const STYLES = readFileSync(
  join(import.meta.dirname, '../../packages/longhand/src/react/chat-panel.css'),
  'utf8',
);
const AROUND = 'html,body{margin:0;background:light-dark(#fff,#111)}#root{height:100dvh}';
const ARCHIVE = '/api/chat/session/archive_messages';

async function start(
  options: Parameters<typeof openBrowser>[0] = {},
): Promise<{ url: string; front: Front; browser: TestBrowser }> {
  const { url } = await startLonghand();
  const [front, browser] = await Promise.all([
    startPage(url, 'panel.tsx', { css: STYLES + AROUND }),
    openBrowser(options),
  ]);
  return { url, front, browser };
}

/** A large output, and a message that refers to it. */
async function withDetail(url: string, store: StorePage): Promise<void> {
  const { sessionId } = await store.state();
  const lines = Array.from({ length: 900 }, (_, number) => `line ${number + 1} of the output of a command`);
  const body = {
    session_id: sessionId,
    content: lines.join('\n'),
    type: 'command_output',
    description: 'npm install',
  };
  const made = await fetch(`${url}/api/details`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const { memory_key: key } = (await made.json()) as { memory_key: string };
  await store.add(`It is in [MemoryRef: ${key} - Success; 900 lines].`);
}

it('is used with the keyboard alone: chat, undo, details, a new conversation', async () => {
  const { url, front, browser } = await start();
  const store = await openStore(browser.context, front);
  const { page } = store;
  await page.keyboard.press('Tab');
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Chat');
  await page.keyboard.press('Enter');
  const composer = page.getByRole('textbox', { name: 'Message' });
  await expect.poll(() => composer.evaluate((box) => box === document.activeElement)).toBe(true);
  await page.keyboard.type('Remember that my dog is called Rex');
  await page.keyboard.press('Enter');
  await page.getByText('[demo] I will remember').waitFor();
  await expect.poll(async () => (await store.state()).isAnswering).toBe(false);

  const tools = page.locator('.lh-chat-tools');
  expect(await tools.getAttribute('open')).toBeNull();
  await tools.locator('summary').press('Enter');
  await page.getByText('"memory_type"').waitFor();
  await page.getByRole('button', { name: 'Undo' }).press('Enter');
  await page.getByText('Taken back').waitFor();
  const recalled = await fetch(`${url}/api/memories/recall`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ text: 'Rex' }),
  });
  expect(await recalled.json()).toMatchObject({ memories: [] });

  await withDetail(url, store);
  await page.getByRole('link', { name: 'Success; 900 lines' }).press('Enter');
  const dialog = page.getByRole('dialog', { name: 'npm install' });
  await dialog.getByText('line 1 of').waitFor();
  await dialog.getByRole('button', { name: 'Next' }).press('Enter');
  await dialog.getByText(/^Page 2 of/).waitFor();
  await expect.poll(() => dialog.locator('pre').textContent()).not.toContain('line 1 of');
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Success; 900 lines');

  await page.getByRole('button', { name: 'New conversation' }).press('Enter');
  await page.getByText('Nothing has been said yet.').waitFor();
  await page.getByRole('button', { name: 'Close the chat' }).press('Enter');
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Chat');
  expect(browser.trouble).toEqual({ violations: [], errors: [], foreign: [] });
});

it('says so where a detail or an undo does not reach the server, and goes on when it does', async () => {
  const { url, front, browser } = await start();
  const store = await openStore(browser.context, front, { isOpen: true });
  const { page } = store;
  await store.act('send', 'Remember that my dog is called Rex');
  await withDetail(url, store);
  front.fate = () => 'lose-request';
  const undo = page.getByRole('button', { name: 'Undo' });
  await undo.click();
  await page.getByText('This was not taken back: The server cannot be reached.').waitFor();
  front.fate = () => 'pass';
  await undo.click();
  await page.getByText('Taken back').waitFor();
  await page.getByText('This was not taken back').waitFor({ state: 'detached' });

  await page.getByRole('link', { name: 'Success; 900 lines' }).click();
  const dialog = page.getByRole('dialog', { name: 'npm install' });
  await dialog.getByText('line 1 of').waitFor();
  front.fate = () => 'lose-request';
  await dialog.getByRole('button', { name: 'Next' }).click();
  await dialog.getByRole('alert').getByText('The server cannot be reached.', { exact: true }).waitFor();
  front.fate = () => 'pass';
  await dialog.getByRole('button', { name: 'Previous' }).click();
  await dialog.getByRole('alert').waitFor({ state: 'detached' });
});

/** A panel before a model that says and calls what it is told to. */
async function startWithModel() {
  const model = await startStandIn();
  onTestFinished(() => model.close());
  const { url } = await startLonghand({
    ...{ 'openai-model': 'test', 'openai-base-url': model.baseURL, 'openai-api-key': 'none' },
  });
  const [front, browser] = await Promise.all([
    startPage(url, 'panel.tsx', { css: STYLES + AROUND }),
    openBrowser(),
  ]);
  const client = new LonghandClient({ baseUrl: url });
  return { model, client, browser, store: await openStore(browser.context, front, { isOpen: true }) };
}

it('stops an answer in its middle at a click on Stop', async () => {
  const { model, browser, store } = await startWithModel();
  const { page } = store;
  model.script.push({ text: 'The first half of', ending: 'silence' });
  await page.getByRole('textbox', { name: 'Message' }).fill('Tell me a story');
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByText('The first half of').waitFor();
  expect(await page.getByRole('button', { name: 'Send' }).count()).toBe(0);
  await page.getByRole('button', { name: 'Stop' }).click();
  await page.getByText('The first half of (not finished)').waitFor();
  await page.getByRole('button', { name: 'Send' }).waitFor();
  expect(await page.getByRole('alert').count()).toBe(0);
  // The next question gets its answer.
  model.script.push({ text: 'Once upon a time.' });
  await page.getByRole('textbox', { name: 'Message' }).fill('Tell me another one');
  await page.keyboard.press('Enter');
  await page.getByText('Once upon a time.').waitFor();
  expect(browser.trouble).toEqual({ violations: [], errors: [], foreign: [] });
});

it('shows what was changed in the memory, how long each tool took, and Undo where it can be done', async () => {
  const { model, client, browser, store } = await startWithModel();
  const { page } = store;
  await client.call('createAgent', { name: 'default' });
  const { id } = await client.call('remember', { content: 'The cat is called Tom' });
  model.script.push(
    { calls: [{ name: 'store_memory', arguments: { content: 'The cat is called Tom' } }] },
    { calls: [{ name: 'store_memory', arguments: { content: 'The dog is called Rex' } }] },
    {
      calls: [{ name: 'manage_long_term_memory', arguments: { operation: 'append', content: 'Likes pets' } }],
    },
    { calls: [{ name: 'update_memory', arguments: { memory_key: id, tags: ['pets'] } }] },
    { calls: [{ name: 'retrieve_memory', arguments: { memory_key: 'none' } }] },
    { text: 'All noted.' },
  );
  await store.act('send', 'My cat is Tom, my dog is Rex');
  const changes = page.getByRole('list', { name: 'Changed in the memory on the way to this answer' });
  expect(await changes.getByRole('listitem').allInnerTexts()).toEqual([
    'Known already The cat is called Tom',
    'Remembered The dog is called Rex Undo',
    'Changed the notes Likes pets Undo',
    'Changed The cat is called Tom',
  ]);
  // The notes are changed by another person: the change before cannot be taken back any more.
  await client.call('changeNotes', { agent_id: 'default', operation: 'append', content: 'And birds' });
  const undo = changes.getByRole('button', { name: 'Undo' });
  await undo.last().click();
  await changes.getByRole('alert').getByText('This was not taken back').waitFor();
  await undo.first().click();
  await changes.getByText('Taken back').waitFor();
  await changes.getByRole('alert').waitFor({ state: 'detached' });
  const { memories } = await client.call('queryMemories', {
    session_id: (await store.state()).sessionId,
    text: '*',
  });
  expect(memories.map(({ content }) => content.text)).not.toContain('The dog is called Rex');
  expect((await client.call('recall', { text: 'cat' })).memories).toMatchObject([{ id }]);

  await page.getByText('Used 5 tools').click();
  const tools = await page.locator('.lh-chat-tool').allInnerTexts();
  expect(tools).toHaveLength(5);
  for (const tool of tools) expect(tool).toMatch(/^\w+ (?:\d+ ms|[\d.]+ s)\n/);
  expect(browser.trouble.errors).toEqual([]);
});

it('says how the archive is, and what could not be kept even when it is closed', async () => {
  const { url, front, browser } = await start();
  const options = { isOpen: true, everyMessages: 100, everyMs: 2_000_000_000 };
  const store = await openStore(browser.context, front, options);
  const { page } = store;
  const { sessionId } = await store.state();
  const foot = page.locator('.lh-chat-foot');
  await expect.poll(() => foot.getByRole('status').textContent()).toBe('All kept');
  for (const text of ['one', 'two', 'three']) await store.add(text);
  await expect.poll(() => foot.getByRole('status').textContent()).toBe('3 waiting');
  front.fate = ({ path }) => (path === ARCHIVE ? 'lose-request' : 'pass');
  await store.act('retryArchive');
  await expect.poll(() => foot.textContent()).toMatch(/^Offline, 3 waiting, next try in \d+ s/);
  front.fate = () => 'pass';
  await foot.getByRole('button', { name: 'Retry' }).click();
  await expect.poll(() => foot.getByRole('status').textContent()).toBe('All kept');
  expect(await textsOn(url, sessionId)).toEqual(['one', 'two', 'three']);

  await store.add('bad \0');
  await page.getByRole('button', { name: 'Close the chat' }).click();
  const notice = page.getByRole('alert').filter({ hasText: 'A message could not be kept' });
  await notice.waitFor();
  const downloading = page.waitForEvent('download');
  await notice.getByRole('button', { name: 'Download' }).click();
  expect(readFileSync(await (await downloading).path(), 'utf8')).toContain('bad \\u0000');
  await page.reload();
  await notice.waitFor();
  await notice.getByRole('button', { name: 'Dismiss' }).click();
  await notice.waitFor({ state: 'detached' });
  await store.act('toggleChatPanel', true);
  await expect.poll(() => foot.getByRole('status').textContent()).toBe('1 could not be kept');
  await foot.getByText('See why').click();
  await foot.getByText('NUL').waitFor();
  await foot.getByRole('button', { name: 'Remove' }).click();
  await expect.poll(() => foot.getByRole('status').textContent()).toBe('All kept');
  expect(browser.trouble.errors).toEqual([]);
});

it('shows text as text, whatever stands in it', async () => {
  const { front, browser } = await start();
  const store = await openStore(browser.context, front, { isOpen: true });
  const texts = [
    '<img src=x onerror="document.title=`run`"><script>document.title="run"</script>',
    'javascript:alert(1) [MemoryRef: a"onmouseover="x - <b>bold</b>]',
    '[MemoryRef: key - "><svg onload=alert(1)>]',
    '![](http://127.0.0.1:9/a.png) <a href="http://127.0.0.1:9">there</a>',
  ];
  for (const text of texts) await store.add(text);
  await expect.poll(() => store.page.locator('.lh-chat-text').count()).toBe(texts.length);
  const shown = await store.page.locator('.lh-chat-text').allTextContents();
  expect(shown[0]).toBe(texts[0]);
  expect(shown[3]).toBe(texts[3]);
  expect(await store.page.locator('.lh-chat-text :is(img, svg, script, b)').count()).toBe(0);
  expect(await store.page.title()).toBe('Test');
  expect(browser.trouble).toEqual({ violations: [], errors: [], foreign: [] });
});

for (const [look, options] of [
  ['light', {}],
  ['dark', { isDark: true }],
  ['phone', { width: 360, height: 740, isTouch: true }],
  ['right-to-left', {}],
] as const)
  it(`has no serious finding and nothing that does not fit: ${look}`, async () => {
    const { url, front, browser } = await start(options);
    const more = { theme: 'both', dir: look === 'right-to-left' ? 'rtl' : 'ltr' };
    const store = await openStore(browser.context, front, { isOpen: true, everyMessages: 100 }, more);
    const { page } = store;
    expect(await seriousFindings(page)).toEqual([]);
    await store.act('send', 'Remember that my dog is called Rex');
    await store.add('A long word: '.concat('Donaudampfschifffahrtsgesellschaft'.repeat(8), ' 👩‍👩‍👧 🙂'));
    await store.add('ما هو أفضل وقت لزيارة القاهرة؟');
    await withDetail(url, store);
    await page.locator('.lh-chat-tools summary').click();
    await store.add('bad \0');
    await store.act('retryArchive');
    await page.locator('.lh-chat-foot').getByText('See why').click();
    await page.getByRole('alert').first().waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    const tooWide = () => document.documentElement.scrollWidth - document.documentElement.clientWidth;
    expect(await page.evaluate(tooWide)).toBe(0);
    const outside = await page.locator('.lh-chat *').evaluateAll((all) =>
      all
        .filter((one) => {
          const { left, right, width } = one.getBoundingClientRect();
          return width > 0 && (left < -1 || right > innerWidth + 1);
        })
        .map((one) => one.outerHTML.slice(0, 80)),
    );
    expect(outside).toEqual([]);
    await page.getByRole('link', { name: 'Success; 900 lines' }).click();
    await page.getByRole('dialog').getByText('line 1 of').waitFor();
    expect(await seriousFindings(page)).toEqual([]);
  });
