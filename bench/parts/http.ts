import { type ChildProcess, execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { openLonghand } from '../contenders/longhand.ts';
import { makeEntries, textOf } from '../entries.ts';
import { goal, type Part } from '../result.ts';
import { COMMAND, start } from '../start-server.ts';
import { median, percentile, summarise } from '../statistics.ts';
import { withTemporaryFolder } from '../temporary-folder.ts';

const ENTRIES = 5_000;
const CONNECTIONS = 50;
const run = promisify(execFile);
const worker = (name: string): string => join(import.meta.dirname, '../workers', name);

interface Load {
  readonly perSecond: number;
  readonly latencies: readonly number[];
  readonly failures: number;
}

/** What serving costs: Longhand's routes beside routes of the same server that do nothing, taking turns. */
export const http: Part = ({ isQuick }) =>
  withTemporaryFolder(async (folder) => {
    const rounds = isQuick ? 1 : 5;
    const seconds = isQuick ? 1 : 2;
    const root = join(folder, 'longhand');
    const { session, memory: memoryId, query } = await fill(folder);
    const starts: number[] = [];
    const idle: number[] = [];
    for (let i = 0; i < rounds; i++) {
      const { child, startedMs } = await start([
        COMMAND,
        'serve',
        '--storage-root',
        join(folder, `empty-${i}`),
      ]);
      starts.push(startedMs);
      await sleep(500);
      idle.push(residentMegabytes(child));
      child.kill();
    }
    const longhand = await start([COMMAND, 'serve', '--storage-root', root]);
    const get = `/api/sessions/${session}/memories/${memoryId}`;
    const [memory, found] = await Promise.all([
      fetch(longhand.url + get).then((answer) => answer.json()),
      fetch(`${longhand.url}/api/search`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: query,
      }).then((answer) => answer.json()),
    ]);
    const answers = join(folder, 'answers.json');
    writeFileSync(answers, JSON.stringify({ memory, found }));
    const bare = await start([worker('bare-hono.ts')], [answers]);
    const sides = {
      'bare get': () => load(bare.url, '/memory', '', seconds),
      get: () => load(longhand.url, get, '', seconds),
      'bare search': () => load(bare.url, '/search', query, seconds),
      search: () => load(longhand.url, '/api/search', query, seconds),
    };
    type Side = keyof typeof sides;
    const loads = new Map<Side, Load[]>();
    for (let round = -1; round < rounds; round++)
      for (const side of Object.keys(sides) as Side[]) {
        const measured = await sides[side]();
        if (measured.failures > 0) throw new Error(`${side}: ${measured.failures} requests failed.`);
        if (round >= 0) loads.set(side, [...(loads.get(side) ?? []), measured]);
      }
    longhand.child.kill();
    bare.child.kill();
    const share = (side: Side, of: Side): number =>
      median(loads.get(side)!.map(({ perSecond }, round) => perSecond / loads.get(of)![round]!.perSecond));
    const latencies = (side: Side): number[] => loads.get(side)!.flatMap((one) => one.latencies);
    return {
      title: 'Over HTTP',
      method: `A server of its own process holds ${ENTRIES} entries in one session; another one has bare Hono routes that return the same bodies (the bare search reads its JSON body). A third process asks each over ${CONNECTIONS} connections for ${seconds} s, in turn, ${rounds} rounds after one to warm up; shares are of requests per second, medians over the rounds. The start is from the command to the first answer, on an empty folder; the idle memory is the resident set half a second later, of ${rounds} starts the highest.`,
      measurements: [
        ...(['bare get', 'get', 'bare search', 'search'] as const).map((side) => ({
          name: `${side}, latency`,
          unit: 'ms' as const,
          value: summarise(latencies(side)),
        })),
        { name: 'start to the first answer', unit: 'ms', value: summarise(starts) },
        { name: 'idle memory', unit: 'MB', value: Math.max(...idle) },
      ],
      goals: [
        goal({
          what: 'GET of a memory, requests per second beside the bare route',
          bound: 'at least',
          limit: 1 / 3,
          unit: '×',
          measured: share('get', 'bare get'),
        }),
        goal({
          what: 'POST /api/search, requests per second beside the bare route',
          bound: 'at least',
          limit: 1 / 4,
          unit: '×',
          measured: share('search', 'bare search'),
        }),
        goal({
          what: 'GET of a memory, p99',
          bound: 'at most',
          limit: 50,
          unit: 'ms',
          measured: percentile(latencies('get'), 0.99),
        }),
        goal({
          what: 'POST /api/search, p99',
          bound: 'at most',
          limit: 50,
          unit: 'ms',
          measured: percentile(latencies('search'), 0.99),
        }),
        goal({
          what: 'start of the server to its first answer',
          bound: 'at most',
          limit: 400,
          unit: 'ms',
          measured: median(starts),
        }),
        goal({
          what: 'idle memory of the server',
          bound: 'at most',
          limit: 120,
          unit: 'MB',
          measured: Math.max(...idle),
        }),
      ],
    };
  });

interface Filled {
  readonly session: string;
  readonly memory: string;
  /** A search for a few words of a memory, as a request's body. */
  readonly query: string;
}

async function fill(folder: string): Promise<Filled> {
  const longhand = await openLonghand(folder);
  const entries = makeEntries(ENTRIES);
  const ids = await longhand.addMany(entries);
  await longhand.close();
  const words = textOf(entries[ENTRIES / 2]!).split(' ');
  const text = [words[3], words[9], words[27], words[41]].join(' ');
  return {
    session: longhand.sessionId,
    memory: (ids as readonly string[])[ENTRIES / 2]!,
    query: JSON.stringify({ text, limit: 10 }),
  };
}

async function load(url: string, path: string, body: string, seconds: number): Promise<Load> {
  const { stdout } = await run(
    process.execPath,
    [worker('http-load.ts'), url, path, body, String(CONNECTIONS), String(seconds)],
    { maxBuffer: 1e9 },
  );
  return JSON.parse(stdout) as Load;
}

function residentMegabytes({ pid }: ChildProcess): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return (Number(kilobytes) * 1_024) / 1e6;
}
