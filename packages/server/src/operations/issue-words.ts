import type { z } from 'zod';

type Issue = z.core.$ZodIssue;

/** What the validator says by itself, in the words of its own code. */
const OWN_WORDS = /^(Invalid|Too |Unrecognized)/;

const KINDS: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
};

/** What the size of a thing counts. */
const NOUNS: Readonly<Record<string, string>> = {
  string: 'character',
  array: 'item',
  set: 'item',
  object: 'field',
  record: 'field',
};

/**
 * What is wrong, field by field. Where one of several shapes can be given, it is told of the shape that comes nearest: that
 * with the least wrong, and of several the first.
 */
export function issuesOf({ issues }: z.ZodError): readonly Issue[] {
  return issues.flatMap((issue) => nearest(issue));
}

function nearest(issue: Issue): readonly Issue[] {
  if (issue.code !== 'invalid_union' || issue.errors.length === 0 || !OWN_WORDS.test(issue.message))
    return [issue];
  const shapes = issue.errors.map((errors) => errors.flatMap((error) => nearest(error)));
  // None of the shapes begins to fit: what is given is something else altogether.
  if (shapes.every((errors) => errors.some(({ path }) => path.length === 0))) return [issue];
  const [best = []] = shapes.toSorted((a, b) => a.length - b.length);
  return best.map((error) => ({ ...error, path: [...issue.path, ...error.path] }));
}

/** What is wrong with a field, to be put behind its name: `must be a number`, `is missing`. */
export function problemOfIssue(issue: Issue): string {
  const { message } = issue;
  if (!OWN_WORDS.test(message)) return message;
  switch (issue.code) {
    case 'invalid_type':
      if (message.endsWith('received undefined')) return 'is missing';
      return `must be ${KINDS[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return `must be ${issue.values.length === 1 ? '' : 'one of '}${issue.values.map(String).join(', ')}`;
    case 'too_big':
      return `must ${sizeOf(issue.origin, issue.inclusive === false ? 'less than' : 'at most', issue.maximum)}`;
    case 'too_small':
      if (issue.minimum === 1 && issue.origin !== 'number' && issue.origin !== 'int')
        return 'must not be empty';
      return `must ${sizeOf(issue.origin, issue.inclusive === false ? 'more than' : 'at least', issue.minimum)}`;
    case 'unrecognized_keys':
      return `must not have ${issue.keys.map((key) => JSON.stringify(key)).join(', ')}: there is no such field`;
    case 'invalid_union': {
      const kinds = issue.errors
        .flat()
        .map((error) => ('expected' in error ? KINDS[error.expected] : undefined));
      const isPlain = kinds.length > 0 && kinds.every((kind) => kind !== undefined);
      return isPlain ? `must be ${[...new Set(kinds)].join(' or ')}` : 'is not what can be given here';
    }
    default:
      return 'is not what can be given here';
  }
}

/** The whole of it, as a sentence without its stop. */
export function sentenceOfIssue(issue: Issue): string {
  const field = issue.path.join('.');
  return `${field === '' ? 'The request' : field} ${problemOfIssue(issue)}`;
}

function sizeOf(origin: string, bound: string, size: number | bigint): string {
  const noun = NOUNS[origin];
  return noun === undefined ? `be ${bound} ${size}` : `have ${bound} ${size} ${noun}${size === 1 ? '' : 's'}`;
}
