import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

/** The MCP clients that `longhand connect` knows, and where each keeps its configuration. */
const CLIENT_NAMES = ['claude-code', 'claude-desktop', 'cursor'] as const;
type ClientName = (typeof CLIENT_NAMES)[number];

export interface ClientFile {
  readonly name: ClientName;
  readonly title: string;
  readonly file: string;
  /** Whether the client seems to be used on this machine. */
  readonly isPresent: boolean;
  /** Claude Code names the transport in its entries. */
  readonly namesTransport: boolean;
}

export interface ClientPlaces {
  readonly clients: readonly ClientFile[];
  /** Where `connect` remembers what it changed. Of the person, not of a store: so are the files that it changes. */
  readonly record: string;
  /** The folder that clients share where none is named. */
  readonly defaultRoot: string;
}

export function clientPlaces(
  env: Readonly<Record<string, string | undefined>> = process.env,
  home = homedir(),
  platform: NodeJS.Platform = process.platform,
): ClientPlaces {
  const claudeCode = env.CLAUDE_CONFIG_DIR || home;
  const desktop = join(applicationFolder(env, home, platform), 'Claude');
  const defaultRoot = join(home, '.longhand');
  const cursor = join(home, '.cursor');
  const client = (
    name: ClientName,
    title: string,
    file: string,
    signs: readonly string[],
    namesTransport = false,
  ): ClientFile => ({ name, title, file, isPresent: [file, ...signs].some(existsSync), namesTransport });
  return {
    clients: [
      client(
        'claude-code',
        'Claude Code',
        join(claudeCode, '.claude.json'),
        [join(home, '.claude'), env.CLAUDE_CONFIG_DIR ?? ''],
        true,
      ),
      client('claude-desktop', 'Claude Desktop', join(desktop, 'claude_desktop_config.json'), [desktop]),
      client('cursor', 'Cursor', join(cursor, 'mcp.json'), [cursor]),
    ],
    record: join(defaultRoot, 'server', 'connections.json'),
    defaultRoot,
  };
}

function applicationFolder(
  env: Readonly<Record<string, string | undefined>>,
  home: string,
  platform: NodeJS.Platform,
): string {
  if (platform === 'darwin') return join(home, 'Library', 'Application Support');
  if (platform === 'win32') return env.APPDATA || join(home, 'AppData', 'Roaming');
  return env.XDG_CONFIG_HOME || join(home, '.config');
}

/**
 * How a client starts this very program: with `npx` where `npx` fetched it, for its folder does not last, and otherwise
 * with the Node and the file that run now.
 * @param from a folder inside the package
 */
export function ownCommand(
  from: string,
  platform: NodeJS.Platform = process.platform,
): { readonly command: string; readonly args: readonly string[] } {
  const script = binAbove(from);
  if (!/[\\/]_npx[\\/]/.test(script)) return { command: process.execPath, args: [script, 'mcp'] };
  const args = ['-y', 'longhand-server', 'mcp'];
  // Windows starts no .cmd file without its shell.
  return platform === 'win32' ? { command: 'cmd', args: ['/c', 'npx', ...args] } : { command: 'npx', args };
}

function binAbove(folder: string): string {
  const script = join(folder, 'bin', 'longhand.js');
  const above = dirname(folder);
  return existsSync(script) || above === folder ? script : binAbove(above);
}
