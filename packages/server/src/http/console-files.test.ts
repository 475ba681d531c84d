import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { consoleFiles } from './console-files.ts';

const parent = mkdtempSync(join(tmpdir(), 'longhand-console-files-'));
const folder = join(parent, 'console');
mkdirSync(join(folder, 'assets'), { recursive: true });
writeFileSync(join(parent, 'secret.js'), 'secret');
writeFileSync(join(folder, 'index.html'), '<p>page</p>');
writeFileSync(join(folder, 'theme.js'), 'theme');
writeFileSync(join(folder, 'assets/app-1a2b.js'), 'script');
afterAll(() => rmSync(parent, { recursive: true }));

const answer = consoleFiles(folder);
const ask = async (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  answer(new Request(`http://localhost${path}`, { method, headers }));
const HTML = { accept: 'text/html,*/*' };

describe('the files of the console', () => {
  it('are kept by browsers when their name says what is in them', async () => {
    const script = await ask('/assets/app-1a2b.js');
    expect(await script!.text()).toBe('script');
    expect(script!.headers.get('content-type')).toContain('text/javascript');
    expect(script!.headers.get('cache-control')).toContain('immutable');
    expect((await ask('/theme.js'))!.headers.get('cache-control')).toBe('no-cache');
  });

  it('show the page at every address that a person goes to, with a policy that lets nothing in', async () => {
    for (const path of ['/', '/agents', '/agents/a%2Fb', '/search?q=x']) {
      const page = await ask(path, HTML);
      expect(await page!.text()).toBe('<p>page</p>');
      const policy = page!.headers.get('content-security-policy')!;
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("require-trusted-types-for 'script'");
      expect(policy).not.toContain('unsafe');
    }
  });

  it('leave everything else to the server', async () => {
    expect(await ask('/agents')).toBeUndefined();
    expect(await ask('/api/nothing', HTML)).toBeUndefined();
    expect(await ask('/agents', HTML, 'POST')).toBeUndefined();
    expect(await ask('/assets', {})).toBeUndefined();
  });

  it('lead no address out of their folder', async () => {
    for (const path of [
      '/../secret.js',
      '/%2e%2e/secret.js',
      '/assets/..%2f..%2fsecret.js',
      '/..%5csecret.js',
      '//secret.js',
    ])
      expect(await ask(path), path).toBeUndefined();
    expect(await (await ask('/..%2fsecret.js', HTML))!.text()).toBe('<p>page</p>');
  });

  it('come compressed to those who can read that', async () => {
    const script = await ask('/assets/app-1a2b.js', { 'accept-encoding': 'gzip, br' });
    expect(script!.headers.get('content-encoding')).toBe('gzip');
    const text = new Response(script!.body!.pipeThrough(new DecompressionStream('gzip')));
    expect(await text.text()).toBe('script');
  });
});
