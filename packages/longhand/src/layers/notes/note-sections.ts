import { NotFoundError, ValidationError } from '../../core/errors.ts';
import { type Header, isUnderline, linesOf, readOutline, withoutClosingSigns } from './note-headers.ts';

/**
 * Sections of a Markdown document, by their headers.
 *
 * A section is a header and everything up to the next header of the same or a higher level, subsections
 * included. It is named by its title: case, white space and leading `#`s make no difference. Where several
 * sections have the title, `#`s in front choose the level, and `Parent > Child` the one below that parent. A
 * name that still means several is refused: whichever was meant, the others must not go.
 *
 * Whatever is done to a section, every character outside of it stays. Only line breaks may be added at its
 * edges, where a line would otherwise run into its neighbour.
 */
interface Section {
  readonly header: Header;
  /** Where the next section begins. */
  readonly end: number;
}

/** @throws NotFoundError SECTION_NOT_FOUND, ValidationError INVALID_OPTION when the name is blank or means several */
export function findSection(text: string, name: string): Section {
  const { headers } = readOutline(text);
  const header = chooseHeader(headers, name);
  const next = headers.slice(headers.indexOf(header) + 1).find(({ level }) => level <= header.level);
  return { header, end: next?.start ?? text.length };
}

/** A section as it stands, its header included. */
export function sectionText(text: string, name: string): string {
  const { header, end } = findSection(text, name);
  return text.slice(header.start, end);
}

/** The document without the section and its subsections. */
export function deleteSection(text: string, name: string): string {
  const { header, end } = findSection(text, name);
  return joinBlocks(text.slice(0, header.start), text.slice(end));
}

/**
 * The document with another text in the section. The header stays, and so do the blank lines around the text;
 * a content that itself begins with a header of the same or a higher level takes the header's place too.
 * @throws ValidationError INVALID_CONTENT when the content would swallow what follows
 */
export function replaceSection(text: string, name: string, content: string): string {
  const { header, end } = findSection(text, name);
  const after = text.slice(end);
  refuseOpenFence(content, after);
  const first = readOutline(content).headers[0];
  const bringsHeader =
    first !== undefined && first.level <= header.level && content.slice(0, first.start).trim() === '';
  const body = text.slice(header.end, end);
  const isEmpty = body.trim() === '';
  const opening = bringsHeader || isEmpty ? '' : /^(?:[ \t]*\r?\n)*/.exec(body)![0];
  const blank = isEmpty ? (body === '' ? '' : lineBreakOf(text) + body) : body.slice(body.trimEnd().length);

  const replaced = joinBlocks(text.slice(0, bringsHeader ? header.start : header.end) + opening, content);
  const closing = endsLine(replaced) ? blank.replace(/^[ \t]*\r?\n/, '') : blank;
  return joinBlocks(replaced + closing, after);
}

/**
 * One text below the other, each on lines of its own: a line break is added when the first does not end with
 * one, and a blank line where its last line would become part of a header of the second.
 */
export function joinBlocks(before: string, after: string): string {
  if (before === '' || after === '') return before + after;
  const lineBreak = lineBreakOf(before + after);
  const joined = endsLine(before) ? before : before + lineBreak;
  const [firstLine] = linesOf(after);
  const first = readOutline(after).headers[0];
  const couldMerge =
    isUnderline(firstLine?.line ?? '') || (first?.isUnderlined === true && first.start === 0);
  const lastLine = joined.slice(joined.lastIndexOf('\n', joined.length - 2) + 1);
  return couldMerge && lastLine.trim() !== '' ? joined + lineBreak + after : joined + after;
}

/** Refuses a content that would swallow the text below it. @throws ValidationError INVALID_CONTENT */
export function refuseOpenFence(content: string, below: string): void {
  if (below.trim() === '' || !readOutline(content).hasOpenFence) return;
  throw new ValidationError(
    'INVALID_CONTENT',
    'The content opens a code fence and does not close it: the notes below it would become code. Close it.',
  );
}

function endsLine(text: string): boolean {
  return text === '' || text.endsWith('\n');
}

/** The document's own way to end a line. */
function lineBreakOf(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n';
}

function chooseHeader(headers: readonly Header[], name: string): Header {
  const wanted = fold(name);
  const bare = fold(withoutClosingSigns(name).replace(/^#+/, ''));
  if (bare === '') throw new ValidationError('INVALID_OPTION', 'The section_header is blank.');
  const path = bare.split('>').map((part) => part.trim());

  let matches = headers.filter(({ title }) => fold(title) === wanted);
  if (matches.length === 0) matches = headers.filter(({ title }) => fold(title) === bare);
  if (matches.length === 0) matches = headers.filter((_, index) => endsPath(headers, index, path));
  const level = /^#{1,6}(?=[ \t])/.exec(name.trim())?.[0].length;
  const ofLevel = matches.filter((header) => header.level === level);
  if (ofLevel.length > 0) matches = ofLevel;

  const [match, another] = matches;
  if (match === undefined) {
    throw new NotFoundError(
      'SECTION_NOT_FOUND',
      'The notes have no section with this header. Read them; headers are compared without case.',
    );
  }
  if (another === undefined) return match;
  throw new ValidationError(
    'INVALID_OPTION',
    `${matches.length} sections have this header. Write its “#”s, or “Parent > Child”, to say which one.`,
    { details: { sections: matches.length } },
  );
}

/** Whether the header is the last of these titles, and the others stand above it, in their order. */
function endsPath(headers: readonly Header[], index: number, path: readonly string[]): boolean {
  const rest = [...path];
  let level = Number.POSITIVE_INFINITY;
  for (let i = index; i >= 0 && rest.length > 0; i--) {
    const header = headers[i]!;
    if (header.level >= level) continue;
    level = header.level;
    if (fold(header.title) === rest.at(-1)) rest.pop();
    else if (i === index) return false;
  }
  return rest.length === 0;
}

function fold(title: string): string {
  return title.normalize('NFC').trim().replace(/\s+/g, ' ').toLowerCase();
}
