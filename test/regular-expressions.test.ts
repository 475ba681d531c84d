import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, it } from 'vitest';
import { CountedExpression } from '../packages/server/test/processes/regexp-steps.ts';
import { MORE_SHAPES, SHAPES } from '../packages/server/test/step-shapes.ts';
import { sourceFiles } from './source-tree.ts';

/**
 * One request must not stop a server: no regular expression of the sources takes steps that grow faster than its text.
 * The steps are counted, going back included; and each answer is compared with V8's.
 */
const PACKAGES = join(import.meta.dirname, '../packages');
const LITERAL =
  /(?:^|[=(,:[!&|?{};>]|return)\s*\/((?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n*])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])*)\/([dgimsuvy]*)(?=\s*[.,;)\]}])/gm;
const CHARACTERS = 300;
/** As for blocks of code in the server's count of steps. */
const MOST = 2.7;
const FEWEST = 3_000;

interface Found {
  readonly file: string;
  readonly expression: RegExp;
}

function expressionsOf(path: string): Found[] {
  const found: Found[] = [];
  for (const [, source, flags] of readFileSync(path, 'utf8').matchAll(LITERAL)) {
    try {
      found.push({ file: relative(PACKAGES, path), expression: new RegExp(source!, flags) });
    } catch {
      // Two slashes that are no expression.
    }
  }
  return found;
}

const expressions = ['longhand/src', 'server/src']
  .flatMap((room) => sourceFiles(join(PACKAGES, room)))
  .flatMap(expressionsOf);

function stepsOf(expression: RegExp, text: string): number {
  const { steps, found } = new CountedExpression(expression).run(text, 0);
  if (steps === Number.POSITIVE_INFINITY) return text.length ** 2;
  expression.lastIndex = 0;
  const expected = expression.exec(text);
  expect(found?.index).toBe(expected?.index);
  if (expected !== null) expect(found!.end).toBe(expected.index + expected[0].length);
  return steps;
}

function grows(expression: RegExp): string[] {
  return Object.entries({ ...SHAPES, ...MORE_SHAPES }).flatMap(([name, shape]) => {
    const [once, twice] = [CHARACTERS, 2 * CHARACTERS].map((length) =>
      stepsOf(expression, `${shape(length)}=`),
    );
    return twice! > FEWEST && twice! > MOST * once! ? [name] : [];
  });
}

it('go over a text a fixed number of times, whatever the text', () => {
  expect(expressions.length).toBeGreaterThan(300);
  const found = expressions.map(({ file, expression }) => ({ file, expression, shapes: grows(expression) }));
  expect(found.filter(({ shapes }) => shapes.length > 0)).toEqual([]);
});

it.each([
  /^\W*(?:[\p{L}\d]+\s+)?(?:when|wann|quand)(?![\p{L}\d])/iu,
  /<[\s\p{M}]*(?=\/?[\s\p{M}]*s)/iu,
  /\s+$/,
  /(a+)+b/,
  /(?<=\S\s+)was\b/,
  /a(?=.*b)/,
])('would be found if they did not: %s', (expression) => {
  expect(grows(expression)).not.toEqual([]);
});
