import { join } from 'node:path';
import fc from 'fast-check';
import { test } from 'vitest';
import { sized, temporaryFolder } from './campaign.ts';
import { live, livesOf, START_MS } from './model/lives.ts';
import { openRealSystems } from './model/real-system.ts';

/**
 * Random lives of a store. Every command is given to files and to memory, each with two managers on it, and to a
 * plain model; all answers must be the same, and so must the sizes.
 */
const RUNS = sized(200, 10_000);

test(`${RUNS} random lives of a store are the same in files, in memory and in the model`, async () => {
  const folder = temporaryFolder(false);
  let runs = 0;
  const property = fc.asyncProperty(livesOf(60), (life) =>
    live(life, openRealSystems(join(folder, String(++runs)), START_MS)),
  );
  await fc.assert(property, { numRuns: RUNS, endOnFailure: false });
});
