import { execFileSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { goal, type Part } from '../result.ts';
import { summarise } from '../statistics.ts';
import { withTemporaryFolder } from '../temporary-folder.ts';

const OUTPUT_BYTES = 50_000_000;

interface Run {
  readonly before: number;
  readonly peak: number;
  readonly storedMs: number;
  readonly pagedMs: number;
  readonly pages: number;
  readonly lineMs: number;
  readonly searchedMs: number;
  readonly lines: number;
}

/** What a large tool output costs that is kept out of the prompt. */
export const details: Part = ({ isQuick }) =>
  withTemporaryFolder(async (folder) => {
    const worker = join(import.meta.dirname, '../workers/large-output.ts');
    const runs = Array.from({ length: isQuick ? 1 : 5 }, () => {
      const root = join(mkdtempSync(join(folder, 'details-')), 'store');
      const output = execFileSync(process.execPath, [worker, root, String(OUTPUT_BYTES)], {
        encoding: 'utf8',
      });
      return JSON.parse(output) as Run;
    });
    const added = Math.max(...runs.map(({ before, peak }) => peak - before));
    const times = (read: (run: Run) => number) => summarise(runs.map(read));
    const { pages, lines } = runs[0]!;
    return {
      title: 'A tool output of 50 MB',
      method: `${OUTPUT_BYTES / 1e6} MB in ${lines} lines stream into a session, are read page by page to the end (${pages} pages), by the number of a line in the middle, and searched from end to end, in a process of its own, ${runs.length} times. The additional memory is the highest resident set that the system has seen in that process, less what it had before; of all runs the highest.`,
      measurements: [
        { name: 'additional memory', unit: 'MB', value: added },
        { name: 'store', unit: 'ms', value: times(({ storedMs }) => storedMs) },
        { name: 'read all pages', unit: 'ms', value: times(({ pagedMs }) => pagedMs) },
        { name: 'read the line in the middle', unit: 'ms', value: times(({ lineMs }) => lineMs) },
        { name: 'search all of it', unit: 'ms', value: times(({ searchedMs }) => searchedMs) },
      ],
      goals: [
        goal({
          what: 'store and page through a tool output of 50 MB, additional memory',
          bound: 'at most',
          limit: 100,
          unit: 'MB',
          measured: added,
        }),
      ],
    };
  });
