import { ConcurrencyError, ValidationError } from '../../core/errors.ts';
import { LIMITS } from '../../core/limits.ts';
import { findTextFault } from '../../core/text.ts';

/** What can be wrong with notes, in words. No message holds their text. */

/** Whether a text that a person saved can be taken over. @throws ValidationError INVALID_TEXT, CONTENT_TOO_LARGE */
export function refuseFaulty(text: string, before: string): void {
  const fault = findTextFault(text) ?? findForeignBytes(text, before);
  if (fault !== undefined) {
    throw new ValidationError(
      'INVALID_TEXT',
      `The notes were saved by hand, and what was saved ${fault}. Save the file again as plain UTF-8 text.`,
    );
  }
  const bytes = Buffer.byteLength(text);
  if (bytes > LIMITS.handEditedNotesBytes)
    throw tooLarge(bytes, LIMITS.handEditedNotesBytes, 'They were saved by hand: shorten the file.');
}

/** What stands for bytes that are no UTF-8. Taken over, it would be written in their place. */
const REPLACEMENT = '\ufffd';

/** A character that was there before was written on purpose. */
function findForeignBytes(text: string, before: string): string | undefined {
  return text.includes(REPLACEMENT) && !before.includes(REPLACEMENT) ? 'is not UTF-8' : undefined;
}

export function tooLarge(bytes: number, limit: number, advice: string): ValidationError {
  return new ValidationError(
    'CONTENT_TOO_LARGE',
    `The notes would take ${bytes} bytes; ${limit} are allowed. ${advice}`,
    { details: { bytes, limit } },
  );
}

/** @param version the one that counts now */
export function conflict(version: number | undefined): ConcurrencyError {
  return new ConcurrencyError(
    'NOTES_CONFLICT',
    'The notes have changed since they were read: another agent, process or person was faster. ' +
      'Nothing was overwritten. Read them again and repeat the change.',
    version === undefined ? {} : { details: { current_version: version } },
  );
}

/** A person saved the document between the version and its writing. */
export function supersededByHand(version: number, current: number): ConcurrencyError {
  return new ConcurrencyError(
    'NOTES_CONFLICT',
    `A person saved the notes in the same moment, and that text counts. This change is kept as version ${version}. ` +
      'Read the notes again and repeat the change.',
    { details: { version, current_version: current } },
  );
}
