/** The parts of the benchmark, in the order of the report. Each is a file of this folder. */
export const PART_NAMES = [
  'add',
  'bulk',
  'processes',
  'cold',
  'growth',
  'big-user',
  'search',
  'search-vectors',
  'upkeep',
  'details',
  'context',
  'mcp',
  'http',
  'console',
  'postgres',
  'postgres-turns',
] as const;

/** How a part's process ends when it measured everything and missed a goal; 1 would mean that it failed. */
export const GOALS_MISSED = 3;

export type PartName = (typeof PART_NAMES)[number];
