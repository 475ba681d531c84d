import type { Findings } from './result.ts';
import { join } from 'node:path';
export const RESULTS_FOLDER = join(import.meta.dirname, 'results');
export function printFindings(f: Findings): void { console.log(JSON.stringify(f, null, 1)); }
