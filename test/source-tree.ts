import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Every source of a folder, without its tests. */
export function sourceFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return sourceFiles(path);
    return /(?<!\.test)\.tsx?$/.test(path) ? [path] : [];
  });
}

/** What a file imports, at once or later, as it is written there. */
export function importsOf(path: string): string[] {
  const text = readFileSync(path, 'utf8');
  const found = text.matchAll(
    /\b(?:from|import) '([^']+)'|(?<!#)\b(?:import|require|load)\('([^']+)'\)|\bcreateRequire\([\w.]+\)\('([^']+)'\)/g,
  );
  return [...found].map(([, statement, call, required]) => (statement ?? call ?? required)!);
}

/** Of the files or rooms in a graph of imports, those that import each other in a circle, or lie between two circles. */
export function circlesIn(imports: ReadonlyMap<string, readonly string[]>): string[] {
  let left = [...imports.keys()];
  // All are taken away, again and again, that import nothing that is left or that nothing left imports.
  for (let before = Number.POSITIVE_INFINITY; left.length < before; ) {
    before = left.length;
    const here = new Set(left);
    const imported = new Set(left.flatMap((one) => imports.get(one)!));
    left = left.filter((one) => imported.has(one) && imports.get(one)!.some((target) => here.has(target)));
  }
  return left;
}
