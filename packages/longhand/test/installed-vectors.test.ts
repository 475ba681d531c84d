import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

/** `longhand-vectors` in a real folder beside the library: whole, missing, and broken in several ways. */
const LIBRARY = join(import.meta.dirname, '..');
const VECTORS = join(import.meta.dirname, '../../vectors');
const PROGRAM = `
import { loadWordTable } from './src/adapters/word-table.ts';
const reasons: string[] = [];
const table = await loadWordTable((event) => reasons.push(event.reason));
console.log(JSON.stringify({ isUsed: table !== undefined, reasons }));
`;

let root: string;
const inPackage = (name: string): string => join(root, 'node_modules/longhand-vectors', name);
const changeTable = (change: (table: Buffer) => Uint8Array): void =>
  writeFileSync(inPackage('words.table'), change(readFileSync(inPackage('words.table'))));

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'longhand-'));
  const isSource = (path: string): boolean => !path.endsWith('.test.ts');
  cpSync(join(LIBRARY, 'src'), join(root, 'src'), { recursive: true, filter: isSource });
  cpSync(join(LIBRARY, 'package.json'), join(root, 'package.json'));
  writeFileSync(join(root, 'program.ts'), PROGRAM);
});

afterAll(() => rmSync(root, { recursive: true }));

async function load(): Promise<{ readonly isUsed: boolean; readonly reasons: readonly string[] }> {
  const { stdout } = await promisify(execFile)(process.execPath, ['program.ts'], { cwd: root });
  return JSON.parse(stdout);
}

function install(): void {
  const isPublished = (path: string): boolean => !path.startsWith(join(VECTORS, 'make'));
  rmSync(inPackage(''), { recursive: true, force: true });
  cpSync(VECTORS, inPackage(''), { recursive: true, filter: isPublished });
}

const BROKEN: readonly [string, RegExp, () => void][] = [
  ['without index.js', /Cannot find module .*index\.js/, () => rmSync(inPackage('index.js'))],
  [
    'whose own import is missing',
    /Cannot find package 'no-such-package'/,
    () => writeFileSync(inPackage('index.js'), "import 'no-such-package';"),
  ],
  [
    'that is an empty folder',
    /Cannot find package '.*longhand-vectors/,
    () => {
      rmSync(inPackage(''), { recursive: true });
      mkdirSync(inPackage(''));
    },
  ],
  ['without its table', /ENOENT.*words\.table/, () => rmSync(inPackage('words.table'))],
  ['whose table is cut short', /cut short/, () => changeTable((table) => table.subarray(0, 1_000_000))],
  [
    'whose table has another format',
    /format 9/,
    () => changeTable((table) => table.map((byte, at) => (at === 4 ? 9 : byte))),
  ],
  [
    'of a version with other exports',
    /readTable is not a function/,
    () => writeFileSync(inPackage('index.js'), 'export const tableOf = () => undefined;'),
  ],
];

describe('the package longhand-vectors', () => {
  test('that is installed is used', async () => {
    install();
    expect(await load()).toEqual({ isUsed: true, reasons: [] });
  });

  test('that is not installed is no trouble', async () => {
    rmSync(inPackage(''), { recursive: true, force: true });
    expect(await load()).toEqual({ isUsed: false, reasons: [] });
  });

  test.each(BROKEN)('%s is reported', async (_what, reason, spoil) => {
    install();
    spoil();
    const { isUsed, reasons } = await load();
    expect(isUsed).toBe(false);
    expect(reasons).toEqual([expect.stringMatching(/^longhand-vectors cannot be used: /)]);
    expect(reasons[0]).toMatch(reason);
  });
});
