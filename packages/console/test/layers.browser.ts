import { expect, it } from 'vitest';
import { seriousFindings, startLonghand } from '../../../test/browser/harness.ts';
import { LonghandClient } from '../../longhand/src/client/index.ts';
import { endProcess } from '../../server/test/server-process.ts';
import { CALM, startConsole } from './console-page.ts';

/** The search over all layers, in a real browser, on a real server. */

const SESSION = 'otters';

it('searches every layer, says how much each has, and leads to where a hit is', async () => {
  const { client, open, trouble, child, root } = await startConsole();
  await client.call('createAgent', { name: 'planner' });
  await client.call('createSession', { session_id: SESSION, agents: ['planner'] });
  for (const text of ['Otters swim.', 'Otters eat fish.', 'The river is wide and cold.'])
    await client.call('addMemory', { session_id: SESSION, content: text, type: 'finding', tags: ['river'] });
  const own = { agent_id: 'planner', content: 'Count the otters twice.' };
  await client.call('addAgentMemory', { ...own, memory_type: 'core' });
  await client.call('writeNotes', { agent_id: 'planner', text: '# Animals\n\nOtters, two of them.\n' });
  await client.call('storeDetail', {
    ...{ session_id: SESSION, description: 'log of the otters', content: 'otter 1\notter 2' },
  });
  const said = Array.from({ length: 120 }, (_, at) => ({
    role: at % 2 === 0 ? ('user' as const) : ('assistant' as const),
    content: at === 20 ? 'Where do the otters sleep?' : `Line ${at} about something else.`,
  }));
  await client.call('archiveMessages', { session_id: SESSION, messages_batch: said });

  const page = await open('/search?q=otters');
  const layers = page.getByRole('group', { name: 'Layer' });
  await expect.poll(() => layers.textContent()).toBe('MemoriesDetails 1Notes 1Core 1Journal 0Messages 1');
  // What is counted on the left is what stands in the list, and not what was merely near.
  const shown = page.getByRole('feed').getByRole('article');
  await expect.poll(() => shown.count()).toBe(2);
  await expect.poll(() => page.getByLabel('finding').locator('xpath=..').textContent()).toBe('finding2');
  const hit = page.getByRole('main').getByRole('listitem').getByRole('link');
  const openHit = async (layer: RegExp, text: string): Promise<void> => {
    await page.goto(new URL('/search?q=otters', page.url()).href);
    await layers.getByRole('button', { name: layer }).click();
    await hit.filter({ hasText: text }).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await hit.filter({ hasText: text }).click();
  };
  await openHit(/^Core/, 'Count the otters twice.');
  const card = page.getByRole('region', { name: 'Agent Memory' });
  await card.getByRole('listitem').getByText('Count the otters twice.').waitFor();
  await openHit(/^Notes/, 'Otters, two of them.');
  await page.getByRole('button', { name: 'Animals', exact: true }).waitFor();
  await openHit(/^Details/, 'log of the otters');
  await page.getByText('otter 2').waitFor();
  await openHit(/^Messages/, 'Where do the otters sleep?');
  // The message stands in the middle of a long transcript.
  const message = page.locator('[aria-current="true"]').getByText('Where do the otters sleep?');
  await expect.poll(() => message.isVisible()).toBe(true);

  const field = page.getByRole('searchbox', { name: 'What to search for' });
  await page.goto(new URL('/search', page.url()).href);
  await field.fill('otters layer:journal');
  await field.press('Enter');
  await page.getByText('Nothing here holds these words.').waitFor();
  await page.getByRole('button', { name: 'Drop layer:journal' }).click();
  await expect.poll(() => shown.count()).toBe(2);
  expect(trouble).toEqual(CALM);

  // To look is no use: it keeps no memory from fading. Uses are written down when a server ends.
  await endProcess(child, 'SIGTERM');
  const { url } = await startLonghand({}, root);
  const asked = { session_id: SESSION, include_lasting: true };
  const { memories } = await new LonghandClient({ baseUrl: url }).call('previewFading', asked);
  expect(memories.map(({ uses }) => uses)).toEqual([0, 0, 0]);
});
