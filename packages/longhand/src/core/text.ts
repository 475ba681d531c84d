import { ValidationError } from './errors.ts';
import { LIMITS } from './limits.ts';

/**
 * Every store must take the same texts, so what one of them cannot hold is refused by all: NUL and half
 * surrogate pairs, which databases reject and UTF-8 cannot express.
 */
export function findTextFault(text: string): string | undefined {
  if (text.includes('\0')) return 'holds a NUL character';
  if (!text.isWellFormed()) return 'holds half of a surrogate pair';
  return undefined;
}

/** Counts code points, and does not count what cannot matter. */
export function isLongerThan(text: string, codePoints: number): boolean {
  if (text.length <= codePoints) return false;
  if (text.length > codePoints * 2) return true;
  let count = 0;
  for (const _ of text) count++;
  return count > codePoints;
}

/**
 * Makes sure that a value survives the way through JSON unchanged.
 * @throws ValidationError INVALID_CONTENT, INVALID_TEXT, CONTENT_TOO_DEEP
 */
export function checkJson(value: unknown, path: string, depth = 0): void {
  // Not a `switch`, which asks for the name of the type and compares texts: every field of every memory passes here.
  if (typeof value === 'string') {
    const fault = findTextFault(value);
    if (fault === undefined) return;
    throw new ValidationError('INVALID_TEXT', `${path} ${fault}.`, { details: { path } });
  }
  if (typeof value === 'object') {
    if (value !== null) checkContainer(value, path, depth);
  } else if (typeof value === 'number') {
    if (!Number.isFinite(value)) refuse(path, 'is not a finite number');
  } else if (typeof value !== 'boolean') {
    refuse(path, `is a ${typeof value}, which JSON cannot hold`);
  }
}

function checkContainer(value: object, path: string, depth: number): void {
  if (depth >= LIMITS.contentDepth) {
    throw new ValidationError(
      'CONTENT_TOO_DEEP',
      `${path.slice(0, 80)}… is nested more than ${LIMITS.contentDepth} levels deep, or refers to itself.`,
    );
  }
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) checkJson(value[i], `${path}[${i}]`, depth + 1);
    return;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) {
    refuse(path, 'is not a plain object; turn it into text or plain JSON first');
  }
  for (const key of Object.keys(value)) {
    const fault = findTextFault(key);
    if (fault !== undefined) throw new ValidationError('INVALID_TEXT', `A key in ${path} ${fault}.`);
    const item = (value as Record<string, unknown>)[key];
    // An absent optional field: JSON leaves it out, and so do the writers of records.
    if (item !== undefined) checkJson(item, `${path}.${key}`, depth + 1);
  }
}

function refuse(path: string, reason: string): never {
  throw new ValidationError('INVALID_CONTENT', `${path} ${reason}.`, { details: { path } });
}

const REASON_CHARACTERS = 256;

/** Why something is deleted, for the list of deletions. @throws ValidationError INVALID_OPTION, INVALID_TEXT */
export function parseReason(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== 'string' || value.length > REASON_CHARACTERS) {
    throw new ValidationError(
      'INVALID_OPTION',
      `The reason must be a text of at most ${REASON_CHARACTERS} characters.`,
    );
  }
  const fault = findTextFault(value);
  if (fault !== undefined) throw new ValidationError('INVALID_TEXT', `The reason ${fault}.`);
  return value;
}
