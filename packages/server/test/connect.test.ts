import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { main } from '../src/cli/main.ts';
import { clientPlaces, ownCommand } from '../src/config/client-files.ts';
import { type CliRun, runCli } from './run-cli.ts';

/** `longhand connect` on the files of MCP clients, as they are found in people's homes. */
const BIN = join(import.meta.dirname, '../bin/longhand.js');
let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'longhand-connect-'));
  vi.stubEnv('HOME', home);
  for (const name of ['XDG_CONFIG_HOME', 'CLAUDE_CONFIG_DIR', 'APPDATA']) vi.stubEnv(name, undefined);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(home, { recursive: true });
});

const connect = (...args: readonly string[]): Promise<CliRun> => runCli('connect', ...args);

function put(name: string, text: string | Uint8Array): string {
  const path = join(home, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

const read = (path: string): Buffer => readFileSync(path);

it('connects the clients that are there, and undoes it byte for byte', async () => {
  const code = put('.claude.json', '{"numStartups":34,"projects":{"/x":{"mcpServers":{}}}}');
  chmodSync(code, 0o600);
  const cursor = put(
    '.cursor/mcp.json',
    '\ufeff// mine\r\n{\r\n\t"mcpServers": {\r\n\t\t"a": { "command": "a" }, // keep\r\n\t}\r\n}\r\n\r\n',
  );
  mkdirSync(join(home, '.config/Claude'), { recursive: true });
  const desktop = join(home, '.config/Claude/claude_desktop_config.json');
  const before = [read(code), read(cursor)];

  const rehearsal = await connect('--dry-run');
  expect(rehearsal.exitCode).toBe(0);
  expect(rehearsal.stdout).toContain(`Cursor: ${cursor}`);
  expect(rehearsal.stdout).toMatch(/^\+ .*"longhand"/m);
  expect([read(code), read(cursor)]).toEqual(before);
  expect(existsSync(desktop)).toBe(false);
  expect(existsSync(join(home, '.longhand'))).toBe(false);

  const unasked = await connect();
  expect([unasked.exitCode, unasked.stderr]).toEqual([2, expect.stringContaining('--yes')]);
  expect([read(code), read(cursor)]).toEqual(before);

  expect(await connect('--yes')).toMatchObject({ exitCode: 0 });
  const entry = { command: process.execPath, args: [BIN, 'mcp'] };
  expect(JSON.parse(String(read(code)))).toEqual({
    numStartups: 34,
    projects: { '/x': { mcpServers: {} } },
    mcpServers: { longhand: { type: 'stdio', ...entry } },
  });
  expect(JSON.parse(String(read(desktop)))).toEqual({ mcpServers: { longhand: entry } });
  expect(String(read(cursor))).toContain('"a": { "command": "a" }, // keep\r\n\t\t"longhand": {\r\n');
  expect(statSync(code).mode & 0o777).toBe(0o600);
  expect(statSync(join(home, '.longhand/server/connections.json')).mode & 0o777).toBe(0o600);

  const again = await connect('--yes', '--json');
  expect(JSON.parse(again.stdout)).toEqual({ done: false, changes: [] });

  // Another folder, and then both changes are undone.
  expect(await connect('cursor', '--yes', '--storage-root', join(home, 'other'))).toMatchObject({
    exitCode: 0,
  });
  expect(String(read(cursor))).toContain(join(home, 'other'));

  expect(await connect('--undo', '--yes')).toMatchObject({ exitCode: 0 });
  expect([read(code), read(cursor)]).toEqual(before);
  expect(existsSync(desktop)).toBe(false);
  expect(await connect('--undo', '--yes')).toMatchObject({ exitCode: 3 });
});

it.each([
  ['y', true],
  ['Yes', true],
  ['n', false],
  ['', false],
  ['yep', false],
  [undefined, false],
])('asks on a terminal, and takes %j for an answer', async (answer, isAgreed) => {
  const code = put('.claude.json', '{}');
  const asked = await connectOnTerminal(answer);
  expect(asked.stderr).toContain('Change Claude Code? [y/N] ');
  expect(asked.stdout).toMatch(/\+ .*"longhand"/);
  const entry = { type: 'stdio', command: process.execPath, args: [BIN, 'mcp'] };
  expect(JSON.parse(String(read(code)))).toEqual(isAgreed ? { mcpServers: { longhand: entry } } : {});
  expect(asked.exitCode).toBe(isAgreed ? 0 : 130);
  if (!isAgreed) {
    expect(asked.stderr).toContain('Nothing was changed.');
    await connect('--yes');
  }
  const changed = String(read(code));
  const undone = await connectOnTerminal(answer, '--undo');
  expect(undone.stderr).toContain('Undo? [y/N] ');
  expect(String(read(code))).toBe(isAgreed ? '{}' : changed);
  // A dry run changes nothing, and so does not ask.
  expect((await connectOnTerminal(answer, '--dry-run')).stderr).not.toContain('[y/N]');
});

/** Runs it on a terminal where a person types an answer when they are asked; without one they leave. */
async function connectOnTerminal(answer: string | undefined, ...args: readonly string[]): Promise<CliRun> {
  const terminal = () => Object.assign(new PassThrough(), { isTTY: true });
  const [stdin, stdout, stderr] = [terminal(), terminal(), terminal()];
  vi.spyOn(process, 'stdin', 'get').mockReturnValue(stdin as never);
  vi.spyOn(process, 'stderr', 'get').mockReturnValue(stderr as never);
  stderr.on('data', (text: Buffer) => {
    if (!text.includes('[y/N]')) return;
    if (answer === undefined) stdin.end();
    else stdin.write(`${answer}\n`);
  });
  const printed = [text(stdout), text(stderr)];
  try {
    const exitCode = await main(['connect', ...args], { streams: { stdout, stderr } });
    stdout.end();
    stderr.end();
    return { exitCode, stdout: await printed[0]!, stderr: await printed[1]! };
  } finally {
    vi.restoreAllMocks();
  }
}

it('takes only its entry out of a file that the client has written since', async () => {
  const code = put('.claude.json', '{\n  "numStartups": 1\n}\n');
  await connect('claude-code', '--yes');
  const written = JSON.parse(String(read(code)));
  put('.claude.json', JSON.stringify({ ...written, numStartups: 2 }, null, 4));
  const undone = await connect('--undo', '--yes');
  expect(undone.stdout).toContain('only the entry goes');
  expect(JSON.parse(String(read(code)))).toEqual({ numStartups: 2, mcpServers: {} });

  // One that was there before comes back, one that was edited by hand stays.
  const old = { command: 'old', args: ['--key', 'x'] };
  put('.claude.json', JSON.stringify({ mcpServers: { longhand: old } }));
  await connect('claude-code', '--yes');
  put('.claude.json', JSON.stringify({ ...JSON.parse(String(read(code))), numStartups: 3 }, null, 2));
  await connect('--undo', '--yes');
  expect(JSON.parse(String(read(code)))).toEqual({ mcpServers: { longhand: old }, numStartups: 3 });
  await connect('claude-code', '--yes');
  const mine = JSON.stringify({ mcpServers: { longhand: { command: 'mine' } } });
  put('.claude.json', mine);
  expect((await connect('--undo', '--yes')).stdout).toContain('was changed since it was made, and stays');
  expect(String(read(code))).toBe(mine);
});

it('refuses what it cannot read, and changes no other file either', async () => {
  const cursor = put('.cursor/mcp.json', '{"mcpServers": {"a": {}}');
  const code = put('.claude.json', '{}');
  const refused = await connect('--yes');
  expect(refused.exitCode).toBe(2);
  expect(refused.stderr).toContain(
    `${cursor}, the file of Cursor, cannot be read as JSON (line 1, column 25: it ends too early). Nothing was changed`,
  );
  expect(String(read(code))).toBe('{}');
  put('.cursor/mcp.json', Buffer.from('\ufeff{}', 'utf16le'));
  expect((await connect('--yes')).stderr).toContain('is not UTF-8 text');
  expect(await connect('claude-code', '--yes')).toMatchObject({ exitCode: 0 });
  expect((await connect('emacs')).stderr).toContain('must be one of claude-code, claude-desktop, cursor');
  expect((await connect('cursor', 'emacs')).stderr).toContain('not emacs');
});

it('follows a link, and says where it looked when there is no client', async () => {
  const none = await connect('--yes');
  expect(none.exitCode).toBe(3);
  expect(none.stderr).toContain(join(home, '.cursor/mcp.json'));
  expect(none.stderr).toContain('"mcpServers"');
  const target = put('dotfiles/mcp.json', '{}\n');
  mkdirSync(join(home, '.cursor'));
  symlinkSync(target, join(home, '.cursor/mcp.json'));
  await connect('--yes');
  expect(String(read(target))).toContain('longhand');
  await connect('--undo', '--yes');
  expect(String(read(target))).toBe('{}\n');
});

it('knows the places of each system, and how it was started itself', () => {
  const files = (platform: NodeJS.Platform, env = {}): string[] =>
    clientPlaces(env, '/home/ada', platform).clients.map(({ file }) => file);
  expect(files('darwin')[1]).toBe('/home/ada/Library/Application Support/Claude/claude_desktop_config.json');
  expect(files('win32', { APPDATA: '/appdata' })[1]).toBe('/appdata/Claude/claude_desktop_config.json');
  expect(files('linux', { CLAUDE_CONFIG_DIR: '/c' })[0]).toBe('/c/.claude.json');
  const cached = join(home, '_npx/0a1b/node_modules/longhand-server');
  put('_npx/0a1b/node_modules/longhand-server/bin/longhand.js', '');
  expect(ownCommand(join(cached, 'dist'))).toEqual({
    command: 'npx',
    args: ['-y', 'longhand-server', 'mcp'],
  });
  expect(ownCommand(cached, 'win32')).toEqual({
    command: 'cmd',
    args: ['/c', 'npx', '-y', 'longhand-server', 'mcp'],
  });
});
