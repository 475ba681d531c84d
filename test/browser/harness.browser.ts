import { expect, it } from 'vitest';
import { openBrowser, seriousFindings, startLonghand, startPage } from './harness.ts';

it('drives a real browser, and tells what goes wrong on a page', async () => {
  const server = await startLonghand();
  const front = await startPage(server.url, 'store.ts');
  const { context, trouble } = await openBrowser();
  const page = await context.newPage();
  await page.goto(`${front.url}/page`);
  expect(await page.evaluate('ready.then((store) => store.getState().messages)')).toEqual([]);
  expect(trouble).toEqual({ violations: [], errors: [], foreign: [] });

  await page.evaluate(() => {
    const image = document.createElement('img');
    image.src = 'http://127.0.0.1:9/a.png';
    document.body.append(image);
    setTimeout(() => {
      throw new Error('thrown on purpose');
    });
  });
  await expect.poll(() => trouble.errors).toEqual(['thrown on purpose']);
  await expect.poll(() => trouble.violations.length).toBeGreaterThan(0);
  expect((await seriousFindings(page)).join('\n')).toContain('image-alt');
});
