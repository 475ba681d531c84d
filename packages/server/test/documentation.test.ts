import { exec } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { COMMANDS } from '../src/cli/commands.ts';
import { OPERATIONS } from '../src/operations/index.ts';
import { startTestServer } from './http-fixture.ts';
import { runCli } from './run-cli.ts';

const ROOT = join(import.meta.dirname, '../../..');

it('shows requests that work', async () => {
  const server = await startTestServer();
  const pages = ['README.md', 'docs/http.md'].map((name) => readFileSync(join(ROOT, name), 'utf8'));
  const lines = pages.flatMap((page) =>
    [...page.matchAll(/^```sh\n([\s\S]*?)^```/gm)].flatMap(([, block]) =>
      block!.split('\n').filter((line) => line.startsWith('curl ')),
    ),
  );
  expect(lines.length).toBeGreaterThan(15);
  for (const line of lines) {
    expect(line).toContain(' localhost:4750/');
    const command = line
      .replace('localhost:4750', server.server.url)
      .replace('curl', 'curl --fail-with-body -S');
    const { stdout } = await run(command);
    expect(stdout, line).toMatch(/^\{|^\[|^event: start/);
    if (stdout.startsWith('event')) expect(stdout).toContain('event: done');
  }
  await server.stop();
});

it('shows requests with the first API key that work', async () => {
  const server = await startTestServer({ flags: { 'auth-enabled': true } });
  const { token } = await server.services.gate.keys.create({ label: 'first', access: 'admin' });
  const pages = ['examples/compose/README.md', 'docs/access.md'];
  const lines = pages.flatMap((name) => [...readFileSync(join(ROOT, name), 'utf8').matchAll(/^curl .*$/gm)]);
  expect(lines).toHaveLength(2);
  for (const [line] of lines) {
    expect(line).toMatch(/ (http:\/\/)?localhost:\d+\//);
    const command = line
      .replace(/(http:\/\/)?localhost:\d+/, server.server.url)
      .replace('lh_…', token)
      .replace('curl', 'curl -s --fail-with-body -S');
    expect((await run(command)).stdout, line).toMatch(/^\{/);
  }
  await server.stop();
});

it('shows a line for the shell on /docs that works', async () => {
  const server = await startTestServer();
  const { text } = await server.call('GET', '/docs');
  const lines = [...text.matchAll(/<details id="(\w+)">[\s\S]*?<pre class="line">([^<]*)<\/pre>/g)];
  expect(lines.map(([, name]) => name).sort()).toEqual(OPERATIONS.map(({ name }) => name).sort());
  const shown = new Map(lines.map(([, name, line]) => [name, unescaped(line!)]));
  const { host } = new URL(server.server.url);
  for (const [name, line] of shown) expect(line, name).toContain(`${host}/`);
  // One of each kind: a body, another verb with a body, names in the path, a query string, a deletion.
  const calls = [
    'createSession',
    'addMemory',
    'getMemory',
    'listMemories',
    'updateSession',
    'search',
    'chat',
  ];
  for (const name of ['createAgent', ...calls, 'readNotes', 'deleteMemory']) {
    const { stdout } = await run(shown.get(name)!.replaceAll(/^curl/gm, 'curl --fail-with-body -S'));
    expect(stdout, name).toMatch(/^\{/);
  }
  await server.stop();
});

it('shows lines on /docs that are answered when they are pasted from top to bottom', async () => {
  const server = await startTestServer();
  const { text } = await server.call('GET', '/docs');
  const lines = [...text.matchAll(/<details id="(\w+)">[\s\S]*?<pre class="line">([^<]*)<\/pre>/g)];
  const refused: string[] = [];
  for (const [, name, line] of lines) {
    // As a reader pastes it: several lines in one shell, and with the status of the last.
    const { stdout } = await run(`${unescaped(line!)} -o /dev/null -w '%{http_code}'`);
    if (!/2\d\d$/.test(stdout)) refused.push(`${name}: ${stdout}`);
  }
  expect(refused).toEqual([]);
  await server.stop();
});

it('has every help page', async () => {
  const pages = [(await runCli('--help')).stdout];
  for (const { name } of COMMANDS) pages.push((await runCli(name, '--help')).stdout);
  pages.push((await runCli('help', 'settings')).stdout);
  const text = pages.map((page) => `\`\`\`\n${page.trimEnd()}\n\`\`\`\n`).join('\n');
  const head = `# On the command line\n\nWhat \`longhand --help\`, the help page of each command and \`longhand help settings\` say; this page is made from
them (\`npx vitest run packages/server/test/documentation.test.ts -u\`).\n
In a clone, \`npm run -s longhand --\` stands for \`longhand\`, also from elsewhere with \`npm --prefix /path/to/longhand\`: files
are looked for where you call it. For the command itself, after \`npm run build\`, either of these:\n
\`\`\`sh
npm link -w packages/server     # when your own Node is 22.13 or newer
alias longhand='/path/to/longhand/node_modules/.bin/node /path/to/longhand/packages/server/bin/longhand.js'
\`\`\`\n\n`;
  await expect(head + text).toMatchFileSnapshot(join(ROOT, 'docs/command-line.md'));
});

function unescaped(html: string): string {
  return html.replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)));
}

function run(command: string): Promise<{ stdout: string }> {
  return new Promise((resolve, reject) => {
    exec(command, { timeout: 60_000 }, (error, stdout) => {
      if (error === null) resolve({ stdout });
      else reject(new Error(`${command}: ${error.message} ${stdout}`));
    });
  });
}
