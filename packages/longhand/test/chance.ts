import fc from 'fast-check';

/**
 * The chance that tests run on. `npm test` and `npm run campaigns` try the same cases every time, so that a failure is
 * the change's; the nights (`LONGHAND_TORTURE=1`) try new ones. A failure names its seed, and `LONGHAND_SEED` tries it
 * again.
 */
export const isTorture = process.env.LONGHAND_TORTURE === '1';

const EVERY_RUNS_SEED = 1343354504;

export function chooseSeed(): number {
  const chosen = isTorture ? Math.floor(Math.random() * 2 ** 31) : EVERY_RUNS_SEED;
  return Number(process.env.LONGHAND_SEED ?? chosen);
}

fc.configureGlobal({ seed: chooseSeed() });
