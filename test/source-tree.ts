import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Every source of a folder, without its tests. */
export function sourceFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return sourceFiles(path);
    return path.endsWith('.ts') && !path.endsWith('.test.ts') ? [path] : [];
  });
}

/** What a file imports, at once or later, as it is written there. */
export function importsOf(path: string): string[] {
  const text = readFileSync(path, 'utf8');
  const found = text.matchAll(
    /\bfrom '([^']+)'|(?<!#)\b(?:import|require|load)\('([^']+)'\)|\bcreateRequire\([\w.]+\)\('([^']+)'\)/g,
  );
  return [...found].map(([, statement, call, required]) => (statement ?? call ?? required)!);
}
