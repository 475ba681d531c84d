import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { fillStore } from '../../../test/browser/fill-store.ts';
import { openBrowser, seriousFindings, startLonghand, type Trouble } from '../../../test/browser/harness.ts';
import { LonghandClient } from '../../longhand/src/client/index.ts';

/** The console as a person uses it, in a real browser, on a real server. */

const NO_TROUBLE: Trouble = { violations: [], errors: [], foreign: [] };

const main = (page: Page) => page.getByRole('main');

describe('the first visit', () => {
  it('says what can be done, and shows the first memory as soon as there is one', async () => {
    const server = await startLonghand();
    const { context, trouble } = await openBrowser();
    const page = await context.newPage();
    await page.goto(server.url);
    await page.getByText('Nothing remembered yet.').waitFor();
    await page.getByText('npm run -s longhand -- connect').waitFor();
    await page.getByRole('button', { name: 'Add a memory' }).click();
    await page.getByRole('textbox', { name: 'Text', exact: true }).fill('Rex is my dog.');
    await page.getByLabel('Type').selectOption('preference');
    await page.getByLabel('Tags').fill('pets');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('status').getByText('Memory added').waitFor();
    await main(page).getByRole('button', { name: 'Rex is my dog.' }).waitFor();

    await main(page).getByText('No search index is stored yet').waitFor();
    await main(page).getByText('messages in 0 sessions').waitFor();

    // What another client remembers comes by itself, behind a button.
    await new LonghandClient({ baseUrl: server.url }).call('remember', { content: 'Tom is my cat.' });
    await page.getByRole('button', { name: '1 new' }).click();
    await main(page).getByRole('button', { name: 'Tom is my cat.' }).click();
    await page.getByRole('complementary').getByText('Importance').waitFor();
    expect(page.url()).toContain('open=');
    await page.keyboard.press('Escape');
    await expect.poll(() => page.url()).not.toContain('open=');
    expect(await seriousFindings(page)).toEqual([]);
    expect(trouble).toEqual(NO_TROUBLE);
  });
});

describe('every page with real data', () => {
  it.each([
    ['light', { isDark: false }],
    ['dark', { isDark: true }],
    ['on a phone', { width: 390, height: 844, isTouch: true }],
  ])('is without serious findings: %s', async (_name, options) => {
    const server = await startLonghand();
    const { mainSession, decisionId } = await fillStore(new LonghandClient({ baseUrl: server.url }));
    const { context, trouble } = await openBrowser(options);
    const page = await context.newPage();
    const session = `/sessions/${mainSession}`;
    const shown = {
      '/': 'What was remembered, week by week',
      '/agents': 'researcher',
      '/agents/planner': 'Promise nothing that is not written down.',
      '/search?q=storage': 'Chose Postgres over SQLite',
      [`/search?q=storage&open=${mainSession}/${decisionId}`]: 'Why it was found',
      '/sessions': 'Planning the release: where are we?',
      [session]: 'Three things: the upgrade guide',
      [`${session}?tab=summary`]: 'Nothing is summarised yet',
      [`${session}?tab=memories`]: 'The nightly import fails',
      [`${session}?tab=references`]: 'replaces',
      [`${session}?tab=decay`]: 'In 7 days',
      '/nothing': 'There is no such page',
    };
    for (const [path, text] of Object.entries(shown)) {
      await page.goto(server.url + path);
      await page.getByText(text).first().waitFor();
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      expect(wide, `${path} is wider than the window`).toBeLessThanOrEqual(0);
      expect((await seriousFindings(page)).map((finding) => `${path} ${finding}`)).toEqual([]);
    }
    expect(trouble).toEqual(NO_TROUBLE);
  });
});

describe('the memory of an agent', () => {
  it('is reviewed, added to, edited, promoted, filtered and deleted', async () => {
    const server = await startLonghand();
    const client = new LonghandClient({ baseUrl: server.url });
    await client.call('createAgent', { name: 'a/b ü' });
    const { context, trouble } = await openBrowser();
    const page = await context.newPage();
    await page.goto(`${server.url}/agents`);
    await page.getByRole('link', { name: 'a/b ü' }).click();
    const card = page.getByRole('region', { name: 'Agent Memory' });
    await card
      .getByText(
        'This agent has no memories yet. Memories will appear here as the agent creates them using save_to_journal or save_to_core tools.',
      )
      .waitFor();
    await card
      .getByText(
        "Review and manage this agent's memories. Core memories are permanent; journal entries fade after a week.",
      )
      .waitFor();
    const old = { memory_type: 'journal' as const, timestamp: '2026-01-09T10:00:00.000Z' };
    await client.call('addAgentMemory', { agent_id: 'a/b ü', content: 'Long ago', ...old });
    await card.getByText('expired', { exact: true }).waitFor();
    await card.getByText(/^2026-01-09 \d\d:00$/).waitFor();

    await card.getByRole('button', { name: 'Add' }).click();
    await page.getByRole('textbox', { name: 'Text', exact: true }).fill('Ask before promising');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    const row = card.getByRole('listitem').filter({ hasText: 'Ask before promising' });
    await row.getByRole('button', { name: 'More for this memory' }).click();
    await page.getByRole('menuitem', { name: 'Edit and history…' }).click();
    await page.getByRole('textbox', { name: 'Text', exact: true }).fill('Ask before promising money');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await card.getByText('Ask before promising money').waitFor();
    await row.getByRole('button', { name: 'More for this memory' }).click();
    await page.getByRole('menuitem', { name: 'Move to the core' }).click();
    await row.getByText('core', { exact: true }).waitFor();
    await row.getByRole('button', { name: 'More for this memory' }).click();
    await page.getByRole('menuitem', { name: 'Edit and history…' }).click();
    await page.getByRole('button', { name: 'Use this text again' }).click();
    expect(await page.getByRole('textbox', { name: 'Text', exact: true }).inputValue()).toBe(
      'Ask before promising',
    );
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();

    await card.getByRole('button', { name: 'Core', exact: true }).click();
    await expect.poll(() => card.getByText('Long ago').count()).toBe(0);
    expect(page.url()).toContain('show=core');
    await card.getByRole('button', { name: 'Expired', exact: true }).click();
    await card
      .getByRole('listitem')
      .filter({ hasText: 'Long ago' })
      .getByRole('button', { name: 'Delete this memory' })
      .click();
    await page.getByRole('dialog', { name: 'Delete this memory permanently?' }).waitFor();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('status').getByText('Memory deleted').waitFor();
    await card.getByText('Nothing with these filters.').waitFor();
    expect(trouble).toEqual(NO_TROUBLE);
  });

  it('has settings whose changes outlive a reload before they are saved', async () => {
    const server = await startLonghand();
    const client = new LonghandClient({ baseUrl: server.url });
    await client.call('createAgent', { name: 'planner' });
    const { context } = await openBrowser();
    const page = await context.newPage();
    await page.goto(`${server.url}/agents/planner`);
    await page.getByLabel('System prompt').fill('Be brief.');
    await page.getByRole('radio', { name: 'teal' }).check();
    await page.getByRole('link', { name: 'Overview', exact: true }).click();
    await page.getByRole('status').getByText('are not saved yet').waitFor();
    await page.goto(`${server.url}/agents/planner`);
    expect(await page.getByLabel('System prompt').inputValue()).toBe('Be brief.');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Everything is saved.').waitFor();
    expect(await client.call('getAgent', { agent_id: 'planner' })).toMatchObject({
      system_prompt: 'Be brief.',
      colour: 'teal',
    });
  });
});

describe('the search', () => {
  it('takes filters from the field and the keys, and forgets what was selected after showing it', async () => {
    const server = await startLonghand();
    const client = new LonghandClient({ baseUrl: server.url });
    await fillStore(client);
    const { context, trouble } = await openBrowser();
    const page = await context.newPage();
    await page.goto(`${server.url}/search`);
    const field = page.getByRole('searchbox', { name: 'What to search for' });
    await field.fill('server type:decision');
    await field.press('Enter');
    await page.getByRole('button', { name: 'Drop type:decision' }).waitFor();
    const feed = page.getByRole('feed');
    await feed.getByText('servers write at once').waitFor();
    expect(page.url()).toContain('q=server&type=decision');
    await feed
      .getByRole('img', { name: /importance, decay, recency, match/ })
      .first()
      .waitFor();

    await field.fill('');
    await field.fill('Postgres tag:architecture');
    await field.press('Enter');
    await page.getByRole('button', { name: 'Drop tag:architecture' }).waitFor();
    // What was found for the question before stays until the answer comes.
    await feed.locator('mark').getByText('Postgres').first().waitFor();
    await page.getByRole('heading', { name: 'Search' }).click();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByRole('complementary').getByText('Why it was found').waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('x');
    await page.getByText('1 selected').waitFor();
    await page.keyboard.press('Delete');
    const dialog = page.getByRole('dialog', { name: 'Forget this for good?' });
    await dialog.getByText('Chose Postgres over SQLite').waitFor();
    await dialog.getByRole('button', { name: 'Forget for good' }).click();
    await page.getByRole('status').getByText('Forgotten: 1 memory').waitFor();
    const { memories } = await client.call('search', { text: 'Postgres', types: ['decision'] });
    expect(memories.filter(({ content }) => String(content.text).startsWith('Chose Postgres'))).toEqual([]);

    await page.goto(`${server.url}/search?q=server&tag=nowhere&type=decision`);
    await page.getByText('Nothing with these filters.').waitFor();
    await page.getByRole('button', { name: 'Drop tag: nowhere' }).click();
    await expect.poll(() => page.url()).not.toContain('nowhere');
    expect(trouble).toEqual(NO_TROUBLE);
  });
});

describe('signing in', () => {
  it('exchanges a key for a session, keeps unsaved work when that is over, and shows members less', async () => {
    const open = await startLonghand();
    const local = new LonghandClient({ baseUrl: open.url });
    await local.call('createAgent', { name: 'planner' });
    const admin = await local.call('createKey', { label: 'admin', access: 'admin' });
    const member = await local.call('createKey', { label: 'ada', access: 'write', user_id: 'ada' });
    const ended = new Promise((resolve) => open.child.once('exit', resolve));
    open.child.kill('SIGTERM');
    await ended;
    const server = await startLonghand({ 'auth-enabled': true }, open.root);
    const { context, trouble } = await openBrowser();
    const page = await context.newPage();
    const signIn = async (token: string): Promise<void> => {
      await page.getByLabel('API key or token').fill(token);
      await page.getByRole('button', { name: 'Sign in' }).click();
    };

    await page.goto(`${server.url}/agents/planner`);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await signIn('lh_wrong');
    await page.getByRole('alert').getByText('The API key is not known here').waitFor();
    await signIn(admin.token);
    await page.getByLabel('System prompt').fill('Written before the session was over');
    const [cookie] = await context.cookies();
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict' });
    expect(
      await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }])),
    ).not.toContain('lh_');

    // The session is over: what was written stays on the page.
    await context.clearCookies();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('dialog', { name: 'Sign in again' }).waitFor();
    await signIn(admin.token);
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await page.getByLabel('System prompt').inputValue()).toBe('Written before the session was over');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Everything is saved.').waitFor();

    // Keys and members are of the account: no user has to be chosen for them.
    await page.goto(`${server.url}/privacy?tab=access`);
    await page.getByRole('cell', { name: 'admin', exact: true }).waitFor();
    await page.getByRole('tab', { name: 'Forget' }).click();
    await page.getByRole('tabpanel').getByLabel('User').waitFor();

    // A key that speaks for all asks for whom; the choice stands in the address.
    await page.getByRole('link', { name: 'Search' }).click();
    await page.getByRole('heading', { name: 'Whose memory?' }).waitFor();
    await page.getByLabel('User').fill('ada');
    await page.getByRole('button', { name: 'Show' }).click();
    await page.getByRole('searchbox', { name: 'What to search for' }).waitFor();
    expect(page.url()).toContain('as=ada');
    await page.getByRole('link', { name: 'Overview', exact: true }).click();
    await expect.poll(() => page.url()).toContain('as=ada');

    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.goto(`${server.url}/agents/planner`);
    await signIn(member.token);
    await page.getByText('Only administrators change an agent.').waitFor();
    expect(await page.getByLabel('System prompt').isDisabled()).toBe(true);
    expect(await page.getByRole('button', { name: 'Delete agent…' }).count()).toBe(0);
    await page.goto(`${server.url}/?as=bob`);
    await page.getByText('This is not yours to see.').waitFor();
    await page.getByText('This key speaks for another user.').first().waitFor();
    await page.getByRole('button', { name: 'Show my own memory' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    expect({ ...trouble, errors: [] }).toEqual(NO_TROUBLE);
  });
});

/** Stored text that would run, load or navigate if any of it became HTML. */
const PAYLOADS = [
  '<script>pwned()</script>',
  '<img src=x onerror=pwned()>',
  '<svg/onload=pwned()>',
  '<svg><script href="data:text/javascript,pwned()"/></svg>',
  '<iframe srcdoc="<script>parent.pwned()</script>"></iframe>',
  '<iframe src="javascript:parent.pwned()"></iframe>',
  '<object data="javascript:pwned()"></object>',
  '<embed src="https://evil.example/x.swf">',
  '<link rel=stylesheet href="https://evil.example/x.css">',
  '<style>@import "https://evil.example/x.css";</style>',
  '<meta http-equiv=refresh content="0;url=https://evil.example/">',
  '<base href="https://evil.example/">',
  '<form action="https://evil.example/"><button autofocus onfocus=pwned()>x</button></form>',
  '<input autofocus onfocus=pwned()>',
  '<details open ontoggle=pwned()>x</details>',
  '<video><source onerror=pwned()></video>',
  '<audio src=x onerror=pwned()>',
  '<body onload=pwned()>',
  '<math><mtext><table><mglyph><style><img src=x onerror=pwned()>',
  '<a href="javascript:pwned()">link</a>',
  '[link](javascript:pwned())',
  '[link](JaVaScRiPt:pwned%28%29)',
  '[link](data:text/html,<script>pwned()</script>)',
  '[link](vbscript:pwned)',
  '![image](https://evil.example/pixel.png)',
  '![image](javascript:pwned())',
  '![a][b]\n\n[b]: https://evil.example/ref.png',
  '<javascript:pwned()>',
  '[x](<https://evil.example/> "onmouseover=pwned()")',
  '"><script>pwned()</script>',
  "'-pwned()-'",
  // biome-ignore lint/suspicious/noTemplateCurlyInString: as an attacker would write it
  '${pwned()} {{constructor.constructor("pwned()")()}}',
  '</textarea><script>pwned()</script>',
  '</title><script>pwned()</script>',
  '<!--><script>pwned()</script>-->',
  '<![CDATA[<script>pwned()</script>]]>',
  '&lt;script&gt;pwned()&lt;/script&gt;',
  '\u202e<script>pwned()</script>\u202c',
  '[MemoryRef: javascript:pwned() - <img src=x onerror=pwned()>]',
  '[MemoryRef: ../../../sign_out - click]',
  '{"__proto__":{"innerHTML":"<img src=x onerror=pwned()>"}}',
];

describe('stored text', () => {
  it('is shown and never run, in every field', async () => {
    const server = await startLonghand();
    const client = new LonghandClient({ baseUrl: server.url });
    const all = PAYLOADS.join('\n\n');
    const name = '<img src=x onerror=pwned()>';
    await client.call('createAgent', {
      ...{ name, system_prompt: all, model_id: name, model_label: name, colour: name, icon: name },
    });
    await client.call('createAgent', { name: 'planner', system_prompt: all });
    await client.call('writeNotes', { agent_id: 'planner', text: `# ${name}\n\n${all}` });
    await client.call('createSession', { session_id: 'xss', agents: ['planner', name] });
    for (const [at, content] of PAYLOADS.entries())
      await client.call('addAgentMemory', {
        ...{ agent_id: 'planner', memory_type: at % 2 === 0 ? 'core' : 'journal', content },
      });
    const { ids } = await client.call('addMemories', {
      session_id: 'xss',
      memories: PAYLOADS.map((text, at) => ({
        content: { text, [name]: text },
        timestamp: new Date(Date.now() - at * 1_000).toISOString(),
        provenance: { author: 'tool', trust: 'untrusted', source: name, agent_id: name },
      })),
    });
    await client.call('addMemory', { session_id: 'xss', content: name, references: [ids[0]!, ids[1]!] });
    await client.call('archiveMessages', {
      session_id: 'xss',
      messages_batch: PAYLOADS.map((content, at) => ({
        ...{ role: at % 2 === 0 ? ('user' as const) : ('assistant' as const), content, name },
      })),
    });
    await client.call('storeDetail', {
      ...{ session_id: 'xss', content: all, description: name, type: 'file_content', memory_key: 'xss' },
      metadata: { path: name },
    });
    const { context, trouble } = await openBrowser({ height: 2_000 });
    await context.addInitScript('window.pwned = () => { throw new Error("pwned"); }');
    const page = await context.newPage();
    const dialogs: string[] = [];
    page.on('dialog', (dialog) => {
      dialogs.push(dialog.message());
      void dialog.dismiss();
    });
    const paths = {
      '/': PAYLOADS[0],
      '/agents': name,
      '/agents/planner': PAYLOADS[1],
      [`/agents/${encodeURIComponent(name)}`]: name,
      '/search': PAYLOADS[2],
      [`/search?q=pwned&open=xss/${ids[1]}`]: name,
      ...Object.fromEntries(
        ['details', 'notes', 'core', 'journal', 'transcript'].map((layer) => [
          `/search?q=pwned&layer=${layer}`,
          layer === 'details' ? name : 'pwned',
        ]),
      ),
      '/sessions': PAYLOADS[0],
      '/sessions/xss': PAYLOADS[3],
      '/sessions/xss?tab=memories': PAYLOADS[4],
      '/sessions/xss?tab=references': 'refers to',
      '/sessions/xss?tab=decay': 'In 7 days',
      '/notes/planner': name,
      '/details': name,
      '/details/xss': PAYLOADS[0],
      '/chat/xss': PAYLOADS[3],
      '/privacy': 'What is to be forgotten?',
    };
    for (const [path, text] of Object.entries(paths)) {
      await page.goto(server.url + path);
      await page.getByText(text!).first().waitFor();
      const made = await page.evaluate(
        () =>
          document.querySelectorAll(
            'main :is(script, iframe, object, embed, img, base, meta, style, [onerror], [onload])',
          ).length,
      );
      expect(made, path).toBe(0);
      const links = await page.evaluate(() =>
        [...document.querySelectorAll('a')].map(({ protocol }) => protocol),
      );
      expect(
        links.filter((protocol) => !/^(?:https?:|mailto:)$/.test(protocol)),
        path,
      ).toEqual([]);
      expect(page.url(), path).toContain(server.url);
    }
    expect(dialogs).toEqual([]);
    expect(trouble).toEqual(NO_TROUBLE);
  });
});
