import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it, onTestFinished } from 'vitest';
import { openBrowser, seriousFindings, startLonghand } from './harness.ts';

it('examples/browser-chat is a page that remembers', async () => {
  const { url } = await startLonghand();
  const script = join(import.meta.dirname, '../../examples/browser-chat/serve.ts');
  const child = spawn(process.execPath, ['--conditions=longhand-source', script, url, '0'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill());
  const [address] = await new Promise<readonly string[]>((resolve) =>
    createInterface({ input: child.stdout }).once('line', (line) => resolve([line])),
  );
  const { context, trouble } = await openBrowser();
  const page = await context.newPage();
  await page.goto(address!);
  await page.getByRole('button', { name: 'Chat with the agent' }).click();
  await page.getByRole('textbox', { name: 'Message' }).fill('Remember that my dog is called Rex');
  await page.keyboard.press('Enter');
  await page.getByText('[demo] I will remember').waitFor();
  await page.reload();
  await page.getByRole('button', { name: 'Chat with the agent' }).click();
  await page.getByText('[demo] I will remember').waitFor();
  expect(await page.locator('.lh-chat-message').count()).toBe(2);
  expect(await seriousFindings(page)).toEqual([]);
  expect(trouble).toEqual({ violations: [], errors: [], foreign: [] });
});
