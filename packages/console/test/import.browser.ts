import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { testFolder } from '../../../test/browser/harness.ts';
import { CALM, startConsole } from './console-page.ts';

it('shows what an export of another server would bring, imports it once, and says what is there already', async () => {
  const from = await startConsole();
  await from.client.call('createSession', { session_id: 'weekly' });
  const memories = [
    { content: 'I live in Lisbon', id: 'mem_lisbon' },
    { content: 'The nightly import fails above 2 GB', id: 'mem_nightly' },
  ];
  await from.client.call('addMemories', { session_id: 'weekly', memories });
  const file = join(testFolder(), 'longhand-me.jsonl');
  const exporting = await from.open('/privacy?tab=export');
  const download = exporting.waitForEvent('download');
  await exporting.getByRole('button', { name: 'Export' }).click();
  await (await download).saveAs(file);

  const { client, open, trouble } = await startConsole();
  const page = await open('/privacy?tab=import');
  const choose = page.getByLabel('Choose a file');
  await choose.setInputFiles(file);
  const preview = page.locator('.import-preview');
  await preview.getByText('an export of Longhand').waitFor();
  expect(await preview.getByRole('listitem').allTextContents()).toEqual(
    expect.arrayContaining(memories.map(({ content }) => content)),
  );
  expect((await client.call('listSessions', {})).sessions).toEqual([]);
  await page.getByRole('button', { name: 'Import 1 session, 2 memories' }).click();
  await page.getByText('Imported: 1 session, 2 memories.').waitFor();
  await page.getByRole('link', { name: 'See the sessions' }).click();
  await page
    .getByRole('link', { name: /weekly/ })
    .first()
    .waitFor();

  await page.goBack();
  await choose.setInputFiles(file);
  await preview.getByText('Already there').waitFor();
  await page.getByText('1 session, 2 memories', { exact: true }).waitFor();
  expect(await page.getByRole('button', { name: 'Import nothing' }).isDisabled()).toBe(true);

  // A line that makes no sense is named, and nothing comes in.
  writeFileSync(file, '{"content":"Good"}\n{"content":"Bad","importanc":1}\n');
  await choose.setInputFiles(file);
  const alert = page.getByRole('alert');
  await alert.getByText('longhand-me.jsonl, line 2: A memory has no field "importanc".').waitFor();
  // What is pasted is looked at when that is asked for; lines of text are a memory each, as before.
  await page.getByLabel('The text').fill('{"results":[{"id":"a1","memory":"Likes green tea","hash":"x"}]}');
  await page.getByRole('button', { name: 'Look at it' }).click();
  await preview.getByText('memories of mem0').waitFor();
  await page.getByText('hash (1)').waitFor();
  await page.getByRole('button', { name: 'Import 1 memory' }).click();
  await page.getByText('Imported: 1 memory.').waitFor();
  const lines = join(testFolder(), 'list.md');
  writeFileSync(lines, '# Tea\n\n- Green tea in the morning\n- Black tea at noon\n');
  await choose.setInputFiles(lines);
  await page.getByRole('button', { name: 'Remember 2 lines' }).click();
  await page.getByText('2 memories taken in, 0 known already.').waitFor();
  const found = await client.call('recall', { text: 'tea' });
  expect(found.memories).toHaveLength(3);
  expect(trouble).toEqual(CALM);
});
