import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const tablePath = fileURLToPath(new URL('words.table', import.meta.url));

export function readTable() {
  return readFileSync(tablePath);
}
