import { ValidationError } from '../../core/errors.ts';
import { findTextFault } from '../../core/text.ts';
import { BYTE_ORDER_MARK } from './note-headers.ts';
import { deleteSection, joinBlocks, refuseOpenFence, replaceSection, sectionText } from './note-sections.ts';

/**
 * What an agent can do to its notes, as text in and text out.
 *
 * Each operation also says what it touches. An operation that lost a race is done again on the newer text when what it
 * touches is still what it was; otherwise the caller gets a conflict, because it may want something else now.
 */
const NOTES_OPERATIONS = [
  'overwrite',
  'append',
  'prepend',
  'delete_section_by_header',
  'replace_section_by_header',
  'delete_all_notes',
] as const;
type NotesOperation = (typeof NOTES_OPERATIONS)[number];

export interface NotesChange {
  readonly operation: NotesOperation;
  /** Needed by `overwrite`, `append`, `prepend` and `replace_section_by_header`. */
  readonly content?: string;
  /** Needed by the operations on sections: the title, with or without its `#`s. */
  readonly section_header?: string;
}

/** A change that brings everything it needs. */
type CheckedChange =
  | { readonly operation: 'overwrite' | 'append' | 'prepend'; readonly content: string }
  | { readonly operation: 'delete_section_by_header'; readonly section_header: string }
  | {
      readonly operation: 'replace_section_by_header';
      readonly section_header: string;
      readonly content: string;
    }
  | { readonly operation: 'delete_all_notes' };

/**
 * Parameters that the operation does not need are left alone: a model often fills in all of them.
 * @throws ValidationError INVALID_OPTION naming what is missing, INVALID_TEXT
 */
export function parseNotesChange(change: NotesChange): CheckedChange {
  const { operation } = change;
  const content = (): string => required(change, 'content');
  const section_header = (): string => {
    const header = required(change, 'section_header');
    if (header.trim() !== '') return header;
    throw new ValidationError('INVALID_OPTION', `${operation} needs a section_header that is not blank.`);
  };
  switch (operation) {
    case 'overwrite':
    case 'append':
    case 'prepend':
      return { operation, content: content() };
    case 'delete_section_by_header':
      return { operation, section_header: section_header() };
    case 'replace_section_by_header':
      return { operation, section_header: section_header(), content: content() };
    case 'delete_all_notes':
      return { operation };
    default:
      throw new ValidationError(
        'INVALID_OPTION',
        `The operation on notes must be one of ${NOTES_OPERATIONS.join(', ')}.`,
      );
  }
}

function required(change: NotesChange, name: 'content' | 'section_header'): string {
  const value: unknown = change[name];
  if (typeof value !== 'string') {
    throw new ValidationError('INVALID_OPTION', `${change.operation} needs ${name}, a text.`, {
      details: { missing: name },
    });
  }
  const fault = findTextFault(value);
  if (fault !== undefined) throw new ValidationError('INVALID_TEXT', `The ${name} ${fault}.`);
  return value;
}

/** The notes after the change. @throws NotFoundError SECTION_NOT_FOUND, ValidationError */
export function applyChange(text: string, change: CheckedChange): string {
  switch (change.operation) {
    case 'overwrite':
      return change.content;
    case 'append':
      return joinBlocks(text, change.content);
    case 'prepend':
      return prepend(text, change.content);
    case 'delete_section_by_header':
      return deleteSection(text, change.section_header);
    case 'replace_section_by_header':
      return replaceSection(text, change.section_header, change.content);
    case 'delete_all_notes':
      return '';
  }
}

function prepend(text: string, content: string): string {
  refuseOpenFence(content, text);
  const mark = text.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : '';
  return mark + joinBlocks(content, text.slice(mark.length));
}

/** The part of the notes that the change replaces; empty when it only adds. */
export function touchedBy(text: string, change: CheckedChange): string {
  switch (change.operation) {
    case 'append':
    case 'prepend':
      return '';
    case 'delete_section_by_header':
    case 'replace_section_by_header':
      return sectionText(text, change.section_header);
    case 'overwrite':
    case 'delete_all_notes':
      return text;
  }
}
