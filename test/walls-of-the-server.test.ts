import { readFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { circlesIn, importsOf, sourceFiles } from './source-tree.ts';

/**
 * The same for the server: HTTP, MCP and the command line are skins over one table of operations. None of them
 * imports another, and what a package does stays in the room that is there for it.
 */
const SOURCE = resolve(import.meta.dirname, '../packages/server/src');

const ROOMS: Record<string, { rooms: readonly string[]; packages: readonly string[] }> = {
  access: { rooms: ['config', 'private-folder.ts'], packages: ['longhand', 'longhand/postgres', 'jose'] },
  config: { rooms: [], packages: ['longhand', 'yaml'] },
  'private-folder.ts': { rooms: [], packages: ['longhand'] },
  'version.ts': { rooms: [], packages: [] },
  'daily-session.ts': { rooms: ['has-code.ts'], packages: ['longhand'] },
  'has-code.ts': { rooms: [], packages: ['longhand'] },
  'last-verification.ts': { rooms: ['config'], packages: [] },
  'open-redis.ts': { rooms: [], packages: ['longhand', 'longhand/redis', '@redis/client'] },
  'open-database.ts': {
    rooms: ['config', 'open-redis.ts'],
    packages: ['longhand', 'longhand/postgres', 'pg'],
  },
  'open-store.ts': {
    rooms: ['config', 'open-database.ts', 'open-redis.ts'],
    packages: ['longhand', 'longhand/embedders'],
  },
  conversation: {
    rooms: ['config', 'has-code.ts', 'open-store.ts', 'private-folder.ts', 'version.ts'],
    packages: [
      '@modelcontextprotocol/client',
      '@modelcontextprotocol/client/stdio',
      'longhand',
      'longhand/ai-sdk',
      'longhand/postgres',
      'zod',
      'ai',
      '@ai-sdk/anthropic',
      '@ai-sdk/openai-compatible',
    ],
  },
  log: { rooms: ['config', 'conversation'], packages: ['longhand'] },
  'services.ts': {
    rooms: ['access', 'config', 'conversation', 'log', 'open-store.ts'],
    packages: ['longhand'],
  },
  import: { rooms: ['config', 'daily-session.ts', 'has-code.ts', 'open-store.ts'], packages: ['longhand'] },
  operations: {
    rooms: ['access', 'conversation', 'daily-session.ts', 'import', 'last-verification.ts', 'services.ts'],
    packages: ['longhand', 'longhand/tools', 'zod'],
  },
  http: {
    rooms: ['access', 'config', 'operations', 'services.ts', 'version.ts'],
    packages: ['longhand', 'hono', '@hono/node-server', 'zod'],
  },
  mcp: {
    rooms: ['config', 'daily-session.ts', 'operations', 'services.ts', 'version.ts'],
    packages: [
      'longhand',
      'longhand/tools',
      '@modelcontextprotocol/server',
      '@modelcontextprotocol/server/stdio',
      'zod',
    ],
  },
  'warm-up.ts': { rooms: ['config', 'conversation', 'open-store.ts'], packages: ['ai', 'longhand/ai-sdk'] },
  'run-server.ts': { rooms: ['config', 'http', 'mcp', 'services.ts', 'warm-up.ts'], packages: [] },
  'run-mcp.ts': {
    rooms: ['config', 'log', 'mcp', 'open-store.ts', 'operations', 'services.ts'],
    packages: [],
  },
  // What a command runs for as long as it takes (`serve`, `mcp`) is put together outside of it.
  cli: {
    rooms: [
      'access',
      'config',
      'conversation',
      'daily-session.ts',
      'has-code.ts',
      'last-verification.ts',
      'log',
      'open-store.ts',
      'operations',
      'private-folder.ts',
      'run-mcp.ts',
      'run-server.ts',
      'services.ts',
      'version.ts',
    ],
    packages: ['longhand'],
  },
  'longhand.ts': { rooms: ['cli'], packages: [] },
};
const SKINS = ['http', 'mcp', 'cli'];

const files = sourceFiles(SOURCE);
const roomOf = (path: string): string => relative(SOURCE, path).split('/')[0]!;

describe('the walls of the server', () => {
  it.each(files.map((path) => [relative(SOURCE, path), path]))('hold for %s', (_name, path) => {
    const room = roomOf(path!);
    const allowed = ROOMS[room];
    expect(allowed, `${room} is a room without a rule`).toBeDefined();
    for (const specifier of importsOf(path!)) {
      if (specifier.startsWith('node:')) continue;
      if (!specifier.startsWith('.')) {
        expect(allowed!.packages, `${room} imports a package`).toContain(specifier);
        continue;
      }
      const target = roomOf(resolve(dirname(path!), specifier));
      if (target !== room) expect(allowed!.rooms, `${room} imports another room`).toContain(target);
    }
  });

  it('are complete: every room has a rule, every rule a room', () => {
    expect([...new Set(files.map(roomOf))].sort()).toEqual(Object.keys(ROOMS).sort());
  });

  it('let no skin reach another', () => {
    for (const skin of SKINS) expect(ROOMS[skin]!.rooms.filter((room) => SKINS.includes(room))).toEqual([]);
  });

  it('let no rooms import each other in a circle', () => {
    expect(circlesIn(new Map(Object.entries(ROOMS).map(([room, { rooms }]) => [room, rooms])))).toEqual([]);
  });

  it.each(Object.keys(ROOMS))(
    'let no files of %s import each other in a circle, for their types either',
    (room) => {
      const inside = files.filter((path) => roomOf(path) === room);
      const imports = new Map(
        inside.map((path) => [
          path,
          importsOf(path)
            .filter((specifier) => specifier.startsWith('.'))
            .map((specifier) => resolve(dirname(path), specifier)),
        ]),
      );
      expect(circlesIn(imports).map((path) => relative(SOURCE, path))).toEqual([]);
    },
  );
});

describe('only one place', () => {
  const filesWith = (pattern: RegExp): string[] => [
    ...new Set(files.filter((path) => pattern.test(codeOf(path))).map(roomOf)),
  ];

  it('reads the environment', () => {
    const ways =
      /\bprocess\s*(?:\?\.|\.)\s*env\b|\bprocess\s*\[|\benv\b[^;\n]*=\s*process\b|'(?:node:)?process'/;
    expect(filesWith(ways)).toEqual(['config']);
  });

  it('decides what a caller may do', () => {
    expect(filesWith(/\bincludesAccess\b/).sort()).toEqual(['access', 'operations']);
    expect(filesWith(/(?<!\.)\bmanager\.as\(/)).toEqual(['operations']);
  });

  it('chooses a store by name', () => {
    expect(filesWith(/\bnew (?:MemoryManager|\w+Store)\(/)).toEqual(['open-database.ts', 'open-store.ts']);
    // Types of stores included, and the manager as a value: what opens one.
    expect(filesWith(/\b\w+Store\b[^;]*from 'longhand/)).toEqual(['open-database.ts', 'open-store.ts']);
    expect(filesWith(/from '\.\.?\/(?:\.\.\/)*open-database\.ts'/)).toEqual(['open-store.ts']);
    expect(filesWith(/import \{(?:[^}]*,)?\s*MemoryManager\b[^;]*from 'longhand/)).toEqual(['open-store.ts']);
  });

  it('writes to standard output and error', () => {
    // The log and the command line; over MCP, standard output belongs to the protocol.
    expect(filesWith(/process\.(?:stdout|stderr)/).sort()).toEqual(['cli', 'log', 'longhand.ts', 'mcp']);
    for (const path of files) expect(codeOf(path), path).not.toMatch(/(?<!node:)\bconsole\.\w+\(/);
  });
});

describe('the house style of the server', () => {
  it('has no default exports and no folder for leftovers', () => {
    for (const path of files) {
      expect(codeOf(path), path).not.toMatch(/^export default/m);
      expect(path).not.toMatch(/\/(utils|helpers|common)\//);
    }
  });
});

/** Without its comments. */
function codeOf(path: string): string {
  return readFileSync(path, 'utf8').replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
}
