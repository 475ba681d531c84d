import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { seriousFindings } from '../../../test/browser/harness.ts';
import type { LonghandClient } from '../../longhand/src/client/index.ts';
import { CALM, startConsole } from './console-page.ts';

/** Ways to make a page run a script or ask another host, in HTML, in addresses, in Markdown and in style. */
const RUN = 'window.wasRun=1';
const SCRIPTS = ['script', 'SCRIPT', 'svg/onload', 'script src=//foreign.invalid/a.js', 'math><script'].map(
  (tag) => (tag.includes('onload') ? `<${tag}=${RUN}>` : `<${tag}>${RUN}</script>`),
);
const HANDLERS = [
  'img src=x onerror',
  'body onload',
  'details open ontoggle',
  'video src=x onerror',
  'input autofocus onfocus',
  'a href=x onmouseover',
  'marquee onstart',
  'svg><animate onbegin',
].map((tag) => `<${tag}="${RUN}">`);
const ADDRESSES = [
  `javascript:${RUN}`,
  `JaVaScRiPt:${RUN}`,
  ` javascript:${RUN}`,
  `java\tscript:${RUN}`,
  `data:text/html,<script>${RUN}</script>`,
  `vbscript:${RUN}`,
  '//foreign.invalid/a',
  'http://foreign.invalid/a',
];
const FRAMES = [
  'iframe src',
  'embed src',
  'object data',
  'img src',
  'link rel=stylesheet href',
  'video poster',
  'form action',
  'base href',
  'meta http-equiv=refresh content',
].map((tag) => `<${tag}="http://foreign.invalid/${tag.split(' ')[0]}">`);
const MARKDOWN = ADDRESSES.flatMap((address) => [
  `[link](${address})`,
  `![picture](${address})`,
  `<${address}>`,
  `[ref]: ${address}\n[ref]`,
]);
const ODD = [
  '"><script>window.wasRun=1</script>',
  "'-window.wasRun=1-'",
  '</textarea><script>window.wasRun=1</script>',
  '{{constructor.constructor("window.wasRun=1")()}}',
  '<style>@import "http://foreign.invalid/a.css"</style>',
  '<x style="background:url(http://foreign.invalid/b)">',
  '\u202e<b>turned</b>',
  '<!--><script>window.wasRun=1</script>-->',
  '[MemoryRef: "><img src=x onerror=window.wasRun=1> - x]',
  '`<script>window.wasRun=1</script>`',
  '| <img src=x onerror=window.wasRun=1> |\n|---|\n| <b>x</b> |',
  '__proto__',
];
const CORPUS = [
  ...SCRIPTS,
  ...HANDLERS,
  ...FRAMES,
  ...MARKDOWN,
  ...ADDRESSES.flatMap((address) => [`<a href="${address}">a</a>`, `<iframe src="${address}">`, address]),
  ...[...SCRIPTS, ...HANDLERS, ...FRAMES].flatMap((one) => [
    `**${one}**`,
    `# ${one}`,
    `- ${one}`,
    one.replaceAll('<', '&lt;'),
    `\`\`\`\n${one}\n\`\`\``,
  ]),
  ...ODD,
];
const SESSION = 'corpus';

/** Every payload in every field that takes a text. */
async function fill(client: LonghandClient): Promise<string> {
  const all = CORPUS.join('\n\n');
  await client.call('createSession', { session_id: SESSION });
  const memories = CORPUS.map((text, at) => ({
    type: at % 2 === 0 ? ('finding' as const) : ('preference' as const),
    content: { text },
    importance: 0.5,
    tags: ['corpus'],
  }));
  await client.call('addMemories', { session_id: SESSION, memories });
  await client.call('createAgent', { name: 'writer', system_prompt: all });
  for (const [at, content] of CORPUS.slice(0, 40).entries())
    await client.call('addAgentMemory', {
      agent_id: 'writer',
      memory_type: at % 2 === 0 ? 'core' : 'journal',
      content,
    });
  await client.call('writeNotes', { agent_id: 'writer', text: all });
  await client.call('changeNotes', { agent_id: 'writer', operation: 'append', content: CORPUS[0]! });
  const text = { session_id: SESSION, description: ODD[0]!, content: all };
  const { memory_key } = await client.call('storeDetail', text);
  await client.call('storeDetail', {
    ...text,
    content: JSON.stringify(CORPUS.map((one) => ({ [one]: one }))),
  });
  const batch = CORPUS.map((content, at) => ({
    id: `m${at}`,
    role: at % 2 === 0 ? ('user' as const) : ('assistant' as const),
    content,
  }));
  await client.call('archiveMessages', { session_id: SESSION, messages_batch: batch });
  await client.call('createKey', { label: ODD[0]! });
  await client.call('findProposals', { agent_id: 'writer' });
  return memory_key;
}

async function wasRun(page: Page): Promise<unknown> {
  return page.evaluate(() => (globalThis as { wasRun?: unknown }).wasRun);
}

it(`shows ${CORPUS.length} texts that try to run something on every page, and none does`, async () => {
  expect(CORPUS.length).toBeGreaterThanOrEqual(200);
  const { client, open, trouble } = await startConsole();
  const key = await fill(client);
  const page = await open('/');
  const dialogs: string[] = [];
  page.on('dialog', (dialog) => {
    dialogs.push(dialog.message());
    void dialog.dismiss();
  });
  const { origin } = new URL(page.url());
  const visited: readonly (readonly [address: string, sign: string])[] = [
    ['/', '.entry'],
    [`/search?q=${encodeURIComponent('script window')}`, '.entry'],
    ['/agents/writer', '.private-memories'],
    [`/sessions/${SESSION}`, '.said .text'],
    [`/chat/${SESSION}`, '.piece-text'],
    [`/chat/${SESSION}?prompt=out`, '.left-out'],
    [`/chat/${SESSION}?prompt=sent`, '.sent'],
    ['/notes/writer?view=both', '.markdown p'],
    ['/notes/writer?versions=2', '.diff'],
    ['/details', '.entry'],
    [`/details/${key}?q=script`, '.lines mark'],
    [`/details/${key}`, '.lines'],
    ['/proposals', '.proposal, .empty-state'],
    ['/privacy?what=topic&value=corpus&look=1', '.going'],
    ['/privacy?tab=access', '.list-table'],
  ];
  for (const [address, sign] of visited) {
    await page.goto(`${origin}${address}`);
    await page.locator(sign).first().waitFor();
    expect(await wasRun(page), address).toBeUndefined();
    // Nothing of it became an element that loads, runs or leads to another kind of address.
    const made = await page.evaluate(() =>
      [
        ...document.querySelectorAll(
          'main :is(script, iframe, img, embed, object, video, base, link, meta, form[action], [onerror], [onload]), main a[href]',
        ),
      ]
        .map((one) => one.getAttribute('href') ?? one.tagName)
        .filter((href) => !/^(?:\/(?!\/)|https?:|mailto:|#)/.test(href)),
    );
    expect(made, address).toEqual([]);
  }
  expect({ dialogs, ...trouble }).toEqual({ dialogs: [], ...CALM });
});

it('has no serious finding of axe on the pages of conversations and data, in both themes', async () => {
  const { client, open, trouble } = await startConsole({ width: 1_280 });
  await client.call('createAgent', { name: 'planner' });
  await client.call('writeNotes', {
    agent_id: 'planner',
    text: '# One\n\n- [x] done\n\n| a | b |\n|---|---|\n| 1 | 2 |\n',
  });
  await client.call('changeNotes', { agent_id: 'planner', operation: 'append', content: '# Two\n\nMore.\n' });
  await client.call('createSession', { session_id: SESSION });
  const facts = ['Prefers tea over coffee in the morning.', 'Prefers tea to coffee in the morning.'];
  for (const content of facts)
    await client.call('remember', { content, type: 'preference', session_id: SESSION });
  const log = Array.from({ length: 300 }, (_, at) => `line ${at}`).join('\n');
  const { memory_key } = await client.call('storeDetail', {
    session_id: SESSION,
    description: 'A log',
    content: log,
  });
  await client.call('chat', {
    session_id: SESSION,
    new_messages: [{ role: 'user', content: 'What do I drink?' }],
  });
  await client.call('findProposals', {});
  await client.call('createKey', { label: 'laptop' });
  const page = await open('/');
  const { origin } = new URL(page.url());
  const pages: readonly (readonly [address: string, sign: string])[] = [
    [`/chat/${SESSION}`, '.piece-text'],
    ['/notes/planner?view=both', '.markdown'],
    ['/notes/planner?versions=2', '.diff'],
    ['/details', '.entry'],
    [`/details/${memory_key}?q=line+7`, '.lines mark'],
    [`/details/${memory_key}`, '.pager'],
    ['/proposals', '.proposal, .empty-state'],
    ['/privacy?what=text&value=coffee&look=1', '.confirmation'],
    ['/privacy?tab=export', '.export'],
    ['/privacy?tab=import', '.file-button'],
    ['/privacy?tab=access', '.list-table'],
  ];
  const findings: Record<string, string[]> = {};
  for (const [address, sign] of pages) {
    await page.goto(`${origin}${address}`);
    await page.locator(sign).first().waitFor();
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      const found = await seriousFindings(page);
      if (found.length > 0) findings[`${address} ${colorScheme}`] = found;
    }
  }
  expect(findings).toEqual({});
  expect(trouble).toEqual(CALM);
});
