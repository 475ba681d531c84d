import { ValidationError } from '../../core/errors.ts';

/**
 * A place in a JSON value, as RFC 6901 writes it: `` is all of it, `/items/0/name` goes down by key and index,
 * `~1` stands for `/` and `~0` for `~` inside a key.
 */

/** The steps of a pointer. @throws ValidationError INVALID_OPTION */
export function parseJsonPointer(pointer: string): string[] {
  if (pointer === '') return [];
  if (!pointer.startsWith('/')) throw invalid('must be empty or begin with “/”');
  if (/~(?![01])/.test(pointer)) throw invalid('may hold “~” only as “~0” or “~1”');
  return pointer
    .slice(1)
    .split('/')
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** @throws ValidationError INVALID_OPTION when there is nothing; `details.found` tells how many steps led on */
export function followJsonPointer(value: unknown, pointer: string): unknown {
  let here = value;
  for (const [found, step] of parseJsonPointer(pointer).entries()) {
    const next = memberOf(here, step);
    if (next === undefined) {
      throw new ValidationError(
        'INVALID_OPTION',
        `The JSON value has nothing at this pointer: ${found} of its steps lead on, the next does not.`,
        { details: { found } },
      );
    }
    here = next;
  }
  return here;
}

function memberOf(value: unknown, step: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  // No leading zeros, and no “-”: that names the element behind the last one, which is not there.
  if (Array.isArray(value)) return /^(0|[1-9]\d*)$/.test(step) ? value[Number(step)] : undefined;
  return Object.hasOwn(value, step) ? (value as Record<string, unknown>)[step] : undefined;
}

function invalid(reason: string): ValidationError {
  return new ValidationError('INVALID_OPTION', `A JSON pointer ${reason}.`);
}
