import type { Part } from '../result.ts';
import { add } from './add.ts';
import { bulk } from './bulk.ts';
import { cold } from './cold.ts';
import { growth } from './growth.ts';
import { processes } from './processes.ts';
import { upkeep } from './upkeep.ts';

/** In the order of the report. */
export const PARTS: Readonly<Record<string, Part>> = { add, bulk, processes, cold, growth, upkeep };
