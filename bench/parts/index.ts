import type { Part } from '../result.ts';
import { add } from './add.ts';
import { bulk } from './bulk.ts';

/** In the order of the report. */
export const PARTS: Readonly<Record<string, Part>> = { add, bulk };
