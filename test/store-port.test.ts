import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

/** A port that is small stays small: every method is one more that each store must get right. */
const SOURCE = readFileSync(join(import.meta.dirname, '../packages/longhand/src/core/store.ts'), 'utf8');
const MAX_METHODS = 18;
const MAX_METHODS_OF_OBJECTS = 8;
/** What a store returns or hands out, plain data included: none of it may get a method unseen. */
const OBJECTS = [
  ...['OpenBlob', 'IndexFile', 'StoredIndex', 'IndexWriter'],
  ...['LogSlice', 'Rewritten', 'Rehearsal', 'Appended', 'LogSize', 'UserChanges', 'StoredBytes'],
];

function bodyOf(name: string): string {
  const found = new RegExp(`^export interface ${name} \\{\\n([\\s\\S]*?)^\\}`, 'm').exec(SOURCE);
  if (found === null) throw new Error(`core/store.ts has no interface ${name}.`);
  return found[1]!.replace(/\/\*\*[\s\S]*?\*\//g, '');
}

/** Overloads count once; a property that is a function counts too. */
function methodsOf(name: string): readonly string[] {
  const members = bodyOf(name).matchAll(/^ {2}(?:readonly )?(\w+)\??(?:[(<]|: \(.*=>)/gm);
  return [...new Set(Array.from(members, ([, method]) => method!))];
}

describe('the store port', () => {
  it('is small', () => {
    const methods = methodsOf('LogStore');
    expect(methods).toContain('look');
    expect(methods).toContain('publishIndex');
    expect(methods.length, methods.join(' ')).toBeLessThanOrEqual(MAX_METHODS);
  });

  it('hands out small objects', () => {
    // A function that a method gives, and methods of an object that stands in the port itself.
    const inline = bodyOf('LogStore').matchAll(/Promise<\((\(\) => \w+)\)|\{ (\w+\(\))/g);
    const methods = [
      ...OBJECTS.flatMap((name) => methodsOf(name).map((method) => `${name}.${method}`)),
      ...Array.from(inline, ([, given, method]) => `LogStore: ${given ?? method}`),
    ];
    expect(methods).toEqual(expect.arrayContaining(['LogStore: remove()', 'LogStore: () => void']));
    expect(methods).toContain('IndexFile.read');
    expect(methods.length, methods.join(' ')).toBeLessThanOrEqual(MAX_METHODS_OF_OBJECTS);
  });

  it('has one word for the identity of a session', () => {
    expect(SOURCE).not.toMatch(/\blife|\blives\b/i);
  });
});
