/**
 * What is wrong with an input, in words for the caller: a model, a program, a person. A validator describes its own
 * code (`expected string, received undefined`); these words name what is missing, and what can be given. The tools use
 * them, and so does the server in every skin. An issue is zod's, with the fields that are read here.
 */
export interface InputIssue {
  readonly code: string;
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly expected?: string;
  readonly values?: readonly unknown[];
  readonly origin?: string;
  readonly inclusive?: boolean;
  readonly exact?: boolean;
  readonly maximum?: number | bigint;
  readonly minimum?: number | bigint;
  readonly keys?: readonly string[];
  /** Of each of several shapes. */
  readonly errors?: readonly (readonly InputIssue[])[];
}

/** What the validator says without these words, in the terms of its own code. */
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

const NOUNS: Readonly<Record<string, string>> = {
  string: 'character',
  array: 'item',
  set: 'item',
  object: 'field',
  record: 'field',
};

/** As many as the caller mends at a time: a list of 100,000 can be wrong 100,000 times. */
const MOST_TOLD = 20;

/**
 * What is wrong, field by field, names that are no fields first: they often explain what is missing. Where one of several
 * shapes can be given, the nearest is meant: that with the least wrong, and of several the first.
 */
export function issuesOf({ issues }: { readonly issues: readonly InputIssue[] }): readonly InputIssue[] {
  const told = new Map<string, InputIssue>();
  const ofNames = issues.filter(({ keys }) => keys !== undefined);
  for (const issue of [...ofNames, ...issues].slice(0, 2 * MOST_TOLD).flatMap(nearest)) {
    // What is of the wrong kind is also too short, says the validator: one of them is enough.
    const field = `${issue.keys === undefined ? '' : 'names of '}${issue.path.join('.')}`;
    const keys = issue.keys?.slice(0, MOST_TOLD);
    if (!told.has(field)) told.set(field, keys === undefined ? issue : { ...issue, keys });
  }
  return [...told.values()].slice(0, MOST_TOLD);
}

function nearest(issue: InputIssue): readonly InputIssue[] {
  const { errors: ofShapes = [] } = issue;
  if (issue.code !== 'invalid_union' || ofShapes.length === 0 || !OWN_WORDS.test(issue.message))
    return [issue];
  const shapes = ofShapes.map((errors) => errors.slice(0, MOST_TOLD).flatMap(nearest));
  // None of the shapes begins to fit: what is given is something else altogether.
  if (shapes.every((errors) => errors.some(({ path }) => path.length === 0))) return [issue];
  const [best = []] = shapes.toSorted((a, b) => a.length - b.length);
  return best.map((error) => ({ ...error, path: [...issue.path, ...error.path] }));
}

/** What is wrong with a field, to be put behind its name: `must be a number`, `is missing`. */
export function problemOfIssue(issue: InputIssue): string {
  const { message, expected = '', values = [], origin = '', exact, inclusive = true } = issue;
  const { maximum = 0, minimum = 0, keys = [], errors = [] } = issue;
  if (!OWN_WORDS.test(message)) return message;
  switch (issue.code) {
    case 'invalid_type':
      if (message.endsWith('received undefined')) return 'is missing';
      return `must be ${KINDS[expected] ?? expected}`;
    case 'invalid_value':
      return `must be ${values.length === 1 ? '' : 'one of '}${values.map(String).join(', ')}`;
    case 'too_big':
      if (exact === true) return `must ${sizeOf(origin, 'exactly', maximum)}`;
      return `must ${sizeOf(origin, inclusive ? 'at most' : 'less than', maximum)}`;
    case 'too_small':
      if (exact === true) return `must ${sizeOf(origin, 'exactly', minimum)}`;
      if (minimum === 1 && origin !== 'number' && origin !== 'int') return 'must not be empty';
      return `must ${sizeOf(origin, inclusive ? 'at least' : 'more than', minimum)}`;
    case 'unrecognized_keys':
      return `must not have ${keys.map((key) => JSON.stringify(key)).join(', ')}: there is no such field`;
    case 'invalid_union': {
      const kinds = errors.flat().map((error) => KINDS[error.expected ?? '']);
      const isPlain = kinds.length > 0 && kinds.every((kind) => kind !== undefined);
      return isPlain ? `must be ${[...new Set(kinds)].join(' or ')}` : 'is not what can be given here';
    }
    default:
      return 'is not what can be given here';
  }
}

/** The whole issue as a sentence without its stop. @param whole what it is of when no field is to blame */
export function sentenceOfIssue(issue: InputIssue, whole = 'The request'): string {
  const field = issue.path.join('.');
  return `${field === '' ? whole : field} ${problemOfIssue(issue)}`;
}

function sizeOf(origin: string, bound: string, size: number | bigint): string {
  const noun = NOUNS[origin];
  return noun === undefined ? `be ${bound} ${size}` : `have ${bound} ${size} ${noun}${size === 1 ? '' : 's'}`;
}
