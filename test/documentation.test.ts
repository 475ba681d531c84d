import { spawn, spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type StandIn, startStandIn } from '../packages/server/test/openai-stand-in.ts';

const ROOT = resolve(import.meta.dirname, '..');
const PAGES = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'CHANGELOG.md', ...pagesBelow('docs')];

function pagesBelow(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name));
}

/** A folder in which `import … from 'longhand'` finds the package, built from the sources as they stand. */
let folder: string;
/** Answers the block that calls a model, with this script. */
let model: StandIn;
beforeAll(async () => {
  model = await startStandIn();
  for (const _run of [1, 2])
    model.script.push(
      {
        calls: [{ name: 'store_memory', arguments: { content: 'Allergic to peanuts', type: 'preference' } }],
      },
      { text: 'A curry without nuts.' },
    );
  folder = mkdtempSync(join(tmpdir(), 'longhand-docs-'));
  const home = join(ROOT, 'packages/longhand');
  const installed = join(folder, 'node_modules/longhand');
  mkdirSync(installed, { recursive: true });
  const built = spawnSync(
    join(ROOT, 'node_modules/.bin/rolldown'),
    ['-c', '--dir', join(installed, 'dist')],
    {
      cwd: home,
      encoding: 'utf8',
    },
  );
  expect(built.status, built.stdout + built.stderr).toBe(0);
  copyFileSync(join(home, 'package.json'), join(installed, 'package.json'));
  const { dependencies } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  // With the word vectors, as in a clone: the first example finds a paraphrase.
  for (const name of [...Object.keys(dependencies), 'longhand-vectors', 'ai', '@ai-sdk']) {
    symlinkSync(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name));
  }
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
});
afterAll(async () => {
  await model.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Each in a folder of its own: what one remembers is not for the others. */
function place(text: string): string {
  const file = join(mkdtempSync(join(folder, 'run-')), 'block.ts');
  writeFileSync(file, text);
  return file;
}

interface Run {
  readonly status: number | null;
  readonly stdout: string;
  readonly output: string;
}

async function run(file: string): Promise<Run> {
  const child = spawn(process.execPath, [file], {
    cwd: dirname(file),
    env: { ...process.env, MODEL_URL: model.baseURL },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<number | null>((resolveEnd) => child.once('close', resolveEnd));
  const [stdout, stderr, status] = await Promise.all([textOf(child.stdout), textOf(child.stderr), ended]);
  return { status, stdout, output: stdout + stderr };
}

/** What a block says that it prints, a line each: `// → this`. */
function promisedLines(block: string): string[] {
  return [...block.matchAll(/\/\/ → (.*)$/gm)].map(([, line]) => line!);
}

describe('the documentation', () => {
  for (const page of PAGES) {
    const text = readFileSync(join(ROOT, page), 'utf8');
    const blocks = [...text.matchAll(/^```ts\n(.*?)^```/gms)].map(([, block]) => block!);

    blocks.forEach((block, i) => {
      it(`runs block ${i + 1} of ${page}`, async () => {
        const file = place(block);
        const promised = promisedLines(block);
        // People run an example again: what keeps a folder finds what the first run left there.
        for (const _run of block.includes('new MemoryStore') ? [1] : [1, 2]) {
          const { status, stdout, output } = await run(file);
          expect(status, output).toBe(0);
          if (promised.length > 0) expect(stdout.trim().split('\n')).toEqual(promised);
        }
      });
    });

    it(`has no dead links in ${page}`, () => {
      const links = [...text.matchAll(/\]\(([^)#]+)(?:#[^)]*)?\)/g)].map(([, link]) => link!);
      for (const link of links.filter((target) => !target.startsWith('http'))) {
        expect(existsSync(resolve(ROOT, dirname(page), link)), link).toBe(true);
      }
    });
  }
});

describe('README.md', () => {
  it('begins with two commands, says when to choose it and when not, and stays short', () => {
    const text = readFileSync(join(ROOT, 'README.md'), 'utf8');
    const [, commands] = /^```sh\n(.*?)^```/ms.exec(text)!;
    expect(
      commands!
        .trim()
        .split('\n')
        .map((line) => line.split('#')[0]!.trim()),
    ).toEqual(['npm install && npm start', 'npm install && npm test']);
    expect(text.match(/^```sh$/gm)).toHaveLength(1);
    for (const words of ['**When to choose it**', '**When not**', '<!-- bench:start -->'])
      expect(text.split(words), words).toHaveLength(2);
    expect(text.split('\n').length).toBeLessThan(85);
  });

  it('shows what its first block prints', async () => {
    const text = readFileSync(join(ROOT, 'README.md'), 'utf8');
    const [, block, shown] = /^```ts\n(.*?)^```\n\n```\n(.*?)^```/ms.exec(text)!;
    expect((await run(place(block!))).stdout).toBe(shown);
  });
});

describe('the configuration of an MCP client', () => {
  const CLONE = '/path/to/longhand';
  const blocksOf = (page: string): readonly string[] =>
    [...readFileSync(join(ROOT, page), 'utf8').matchAll(/^```json\n(.*?)^```/gms)].map(([, block]) => block!);

  it.each(['README.md', 'docs/mcp.md'])('of %s names a Node and a file that are there', (page) => {
    const [first = ''] = blocksOf(page);
    const { mcpServers } = JSON.parse(first.replaceAll(CLONE, ROOT)) as {
      mcpServers: { longhand: { command: string; args: readonly string[] } };
    };
    const { command, args } = mcpServers.longhand;
    const { stdout } = spawnSync(command, ['--version'], { encoding: 'utf8' });
    expect(Number(/^v(\d+)\./.exec(stdout)![1])).toBeGreaterThanOrEqual(22);
    expect(existsSync(args[0]!)).toBe(true);
    expect(args.slice(1)).toEqual(['mcp']);
  });

  it('is JSON wherever it is shown, and shows what works from a clone first', () => {
    const blocks = blocksOf('docs/mcp.md');
    for (const block of blocks) expect(() => JSON.parse(block)).not.toThrow();
    expect(blocks.map((block) => block.includes('npx'))).toEqual([false, false, true]);
  });
});

describe('examples/remember.ts', () => {
  it('remembers in its second run what it was told in its first', async () => {
    const file = place(readFileSync(join(ROOT, 'examples/remember.ts'), 'utf8'));
    const first = await run(file);
    expect(first.status, first.output).toBe(0);
    expect(first.output).toContain('Nice to meet you');
    const [, count, path] = /^(\d+) memories in (\S+)$/m.exec(first.stdout)!;
    const lines = readFileSync(join(dirname(file), path!), 'utf8')
      .trimEnd()
      .split('\n');
    expect(lines.filter((line) => line.includes('"content":'))).toHaveLength(Number(count));
    const second = await run(file);
    expect(second.output).toContain('I remember');
    expect(second.output).toContain('I like short answers');
  });
});
