import type { LonghandError } from '../core/errors.ts';

/** What is wrong with which field, for interfaces that have other names for fields than the library. */
export interface FieldProblem {
  readonly field: string;
  /** To be put behind the name, `must be a number`; a sentence of its own where the name does not begin it. */
  readonly message: string;
  /** The whole message, with the field as it is called there. */
  readonly detail: string;
}

/**
 * The field of the caller's input that an error is about, with its name spelt as others spell it. `undefined` for an error
 * that is about none.
 */
export function fieldProblemOf(
  { message, details }: LonghandError,
  spell: (field: string) => string = inSnakeCase,
): FieldProblem | undefined {
  const { field: name } = details;
  if (typeof name !== 'string') return undefined;
  const field = spell(name);
  const at = startOfName(message, name);
  if (at === -1) return { field, message, detail: message };
  const rest = message.slice(at + name.length);
  const detail = message.slice(0, at) + field + rest;
  const isFirst = at === 0 || message.slice(0, at) === 'The ';
  return { field, message: isFirst ? rest.trim().replace(/\.$/, '') : detail, detail };
}

/** Where the name stands as a word of its own. */
function startOfName(message: string, name: string): number {
  const words = message.split(' ');
  const index = words.indexOf(name);
  return index === -1 ? -1 : words.slice(0, index).reduce((sum, word) => sum + word.length + 1, 0);
}

/** `timeZone` → `time_zone`, as fields of JSON are called. */
function inSnakeCase(field: string): string {
  return field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
