/**
 * Whether a change has made anything slower: `npm run bench:against -- COMMIT` builds that commit beside this one, and lets
 * both take turns in one run. Prints a table of ratios, the time of this commit over that of the other.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { LIMIT_RAISED } from './contenders/longhand.ts';
import { AGENT, openTalk, SESSION, turn } from './conversation.ts';
import { makeEntries } from './entries.ts';
import { installPeers } from './install-peers.ts';
import { interleave, type Turn } from './interleave.ts';
import { runCrowd } from './parts/processes.ts';
import { makeQueries, makeRange } from './search/corpus.ts';
import { median, percentile, type Ratio, ratioOverRounds } from './statistics.ts';
import { withTemporaryFolder } from './temporary-folder.ts';

type Library = typeof import('longhand');

interface Side {
  readonly name: string;
  /** Of its built library, for processes of their own. */
  readonly url: string;
  readonly library: Library;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: 'string', default: '40' } },
});
const [commit] = positionals;
const rounds = Number(values.rounds);
if (commit === undefined || !Number.isInteger(rounds) || rounds < 3) {
  console.error('Name the commit to compare with: npm run bench:against -- COMMIT [--rounds 40]');
  process.exit(2);
}

const ENTRIES = 5_000;
const BATCH = 1_000;
const SESSION_ENTRIES = 500;
const MESSAGES = 2_000;
const CROWD_MS = 4_000;
const NOW = 'this commit';
const repository = join(import.meta.dirname, '..');

installPeers();
const checkout = mkdtempSync(join(tmpdir(), 'longhand-against-'));
try {
  await compare(commit);
} finally {
  git('worktree', 'remove', '--force', checkout);
  rmSync(checkout, { recursive: true, force: true });
}

async function compare(other: string): Promise<void> {
  git('worktree', 'add', '--detach', checkout, other);
  console.log(`Building ${other} …`);
  for (const args of [
    ['ci', '--ignore-scripts', '--silent'],
    ['run', '--silent', 'build'],
  ])
    execFileSync('npm', args, { cwd: checkout, stdio: 'inherit' });
  const sides = [await openSide(NOW, repository), await openSide(other, checkout)];
  const ratios: [string, Ratio][] = [];
  const measure = async (what: string, warmUpRounds: number, turns: readonly Turn[]): Promise<void> => {
    const times = await interleave(turns, { rounds, warmUpRounds });
    ratios.push([what, ratioOverRounds(times.get(NOW)!, times.get(other)!)]);
  };
  for (const part of [measureWrites, measureQueries, measureContexts])
    await withTemporaryFolder((folder) => part(sides, folder, measure));
  await withTemporaryFolder(async (folder) =>
    ratios.push(['adds of 10 processes', await measureCrowds(sides, folder)]),
  );
  console.log(
    `\nTime of this commit over that of ${other}, median of ${rounds} rounds (eight of ten rounds lie between):`,
  );
  for (const [what, { value, low, high }] of ratios)
    console.log(`  ${what}: ${value.toFixed(3)} × (${low.toFixed(2)} × to ${high.toFixed(2)} ×)`);
}

type Measure = (what: string, warmUpRounds: number, turns: readonly Turn[]) => Promise<void>;

async function measureWrites(sides: readonly Side[], folder: string, measure: Measure): Promise<void> {
  const entries = makeEntries(BATCH);
  const writers = await Promise.all(
    sides.map(async ({ name, library }) => {
      const manager = new library.MemoryManager({ storageRoot: join(folder, name), config: LIMIT_RAISED });
      return { name, manager, id: (await manager.createSession('me')).id };
    }),
  );
  await measure(
    'add one',
    40,
    writers.map(({ name, manager, id }) => ({
      name,
      operations: 40,
      operation: (index) => manager.addMemory(id, entries[index % BATCH]!),
    })),
  );
  await measure(
    `add ${BATCH} at once`,
    5,
    writers.map(({ name, manager, id }) => ({
      name,
      operations: 3,
      operation: () => manager.addMemories(id, entries),
    })),
  );
  for (const { manager } of writers) await manager.close();
}

async function measureQueries(sides: readonly Side[], folder: string, measure: Measure): Promise<void> {
  const all = makeRange(0, ENTRIES);
  const queries = makeQueries(1_000);
  for (const semantic of [false, true]) {
    const searchers = await Promise.all(
      sides.map(async ({ name, library }) => {
        const manager = new library.MemoryManager({
          storageRoot: join(folder, `${name}-${semantic}`),
          semantic,
        });
        let id = '';
        for (let from = 0; from < ENTRIES; from += SESSION_ENTRIES) {
          id = (await manager.createSession('me')).id;
          await manager.addMemories(id, all.slice(from, from + SESSION_ENTRIES));
        }
        return { name, manager, id };
      }),
    );
    await measure(
      `text query, ten best of ${ENTRIES}, ${semantic ? 'with vectors' : 'words alone'}`,
      20,
      searchers.map(({ name, manager, id }) => ({
        name,
        operations: 50,
        operation: (index) =>
          manager.queryMemories(id, { text: queries[index % queries.length]!, scope: 'user', limit: 10 }),
      })),
    );
    for (const { manager } of searchers) await manager.close();
  }
}

async function measureContexts(sides: readonly Side[], folder: string, measure: Measure): Promise<void> {
  const talks = [];
  let settled = 0;
  for (const { name, library } of sides)
    talks.push({ name, ...(await openTalk(join(folder, name), MESSAGES, library.MemoryManager)) });
  await measure(
    'assembleContext',
    5,
    talks.map(({ name, manager, layers, text }) => ({
      name,
      operations: 10,
      operation: (index) =>
        manager.assembleContext({
          ...{ session: SESSION, user: 'me', agent: AGENT },
          messages: [{ role: 'user', content: text(index) }],
        }),
      settle: async () => {
        const number = 2 * MESSAGES + 2 * settled++;
        await layers.transcripts.archive(SESSION, turn(number, text(number), text(number + 1)));
      },
    })),
  );
  for (const { manager } of talks) await manager.close();
}

/** Rounds of some seconds: a fifth of them is enough. */
async function measureCrowds(sides: readonly Side[], folder: string): Promise<Ratio> {
  const values = [];
  for (let round = 0; round < Math.ceil(rounds / 5); round++) {
    const times = new Map<string, number>();
    for (const { name, url } of round % 2 === 0 ? sides : sides.toReversed()) {
      const settings = {
        store: 'longhand',
        inFlight: 64,
        pauseMs: 0,
        entriesPerTransaction: 1,
        library: url,
      } as const;
      const { addsPerSecond, missing } = await runCrowd(
        mkdtempSync(join(folder, 'run-')),
        settings,
        CROWD_MS,
      );
      if (missing > 0) throw new Error(`${missing} acknowledged memories are missing.`);
      times.set(name, 1 / addsPerSecond);
    }
    const [now, before] = sides.map(({ name }) => times.get(name)!);
    values.push(now! / before!);
  }
  return {
    value: median(values),
    low: percentile(values, 0.1),
    high: percentile(values, 0.9),
    rounds: values.length,
  };
}

async function openSide(name: string, folder: string): Promise<Side> {
  const { href: url } = pathToFileURL(join(folder, 'packages/longhand/dist/index.js'));
  return { name, url, library: (await import(url)) as Library };
}

function git(...args: string[]): void {
  execFileSync('git', args, { cwd: repository, stdio: ['ignore', 'ignore', 'inherit'] });
}
