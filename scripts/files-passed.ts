/**
 * How many source files run code when a memory is asked for, a prompt is assembled, or a memory is forgotten: a measure of how
 * far a reader of the code must go to follow one request. Prints one line for each; `--list` names the files.
 *
 *     npx node scripts/files-passed.ts [--list]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MemoryManager } from '../packages/longhand/src/index.ts';

const SOURCES = join(import.meta.dirname, '../packages/longhand/src');
const GOALS = { query: 60, context: 100, forgetting: 70 } as const;

const root = mkdtempSync(join(tmpdir(), 'files-passed-'));
const inspector = new Session();
inspector.connect();
await inspector.post('Profiler.enable');
const manager = new MemoryManager({ storageRoot: root });
try {
  const { id } = await manager.remember('me', 'I am allergic to peanuts.');
  await manager.remember('me', 'The car is red.');
  const work = {
    query: () => manager.recall('me', 'Which food is bad for me?'),
    context: () => manager.context('me', [{ role: 'user', content: 'Plan a dinner.' }]),
    forgetting: () => manager.forget('me', id),
  };
  // Once before it counts: what is made with the first use is not part of a request.
  await work.query();
  await work.context();
  for (const [name, run] of Object.entries(work)) {
    const files = await filesPassedBy(run);
    console.log(`${name}: ${files.length} files (at most ${GOALS[name as keyof typeof GOALS]})`);
    if (process.argv.includes('--list')) for (const file of files) console.log(`  ${file}`);
  }
} finally {
  await manager.close();
  inspector.disconnect();
  rmSync(root, { recursive: true, force: true });
}

/** The files in which a function was called. */
async function filesPassedBy(run: () => Promise<unknown>): Promise<readonly string[]> {
  await inspector.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  await run();
  const { result } = await inspector.post('Profiler.takePreciseCoverage');
  await inspector.post('Profiler.stopPreciseCoverage');
  const passed = result.filter(({ url, functions }) => {
    const isSource = url.startsWith('file:') && fileURLToPath(url).startsWith(SOURCES);
    // The first function of a file is the file itself, which runs when it is loaded.
    return (
      isSource && functions.some(({ functionName, ranges }) => functionName !== '' && ranges[0]!.count > 0)
    );
  });
  return passed.map(({ url }) => relative(SOURCES, fileURLToPath(url))).sort();
}
