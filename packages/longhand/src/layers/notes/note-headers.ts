/**
 * Where the headers of a Markdown document are, by the rules of CommonMark as far as they concern headers:
 *
 * - `#` to `######`, then a space or the end of the line, indented by at most three spaces; closing `#`s do
 *   not belong to the title. `#tag` is no header.
 * - A paragraph at the margin with `===` (level 1) or `---` (level 2) right below it. Below a list item or a
 *   quotation, `---` is a rule.
 * - Nothing inside a code fence (``` or ~~~, closed by as many of the same or more; open to the end of the
 *   document when it is never closed), and nothing that is indented by four spaces or a tab.
 * - Nothing inside a list item or a quotation: it is part of what it stands in.
 */
export interface Header {
  /** 1 to 6. */
  readonly level: number;
  readonly title: string;
  /** Where its first line starts, in UTF-16 units. */
  readonly start: number;
  /** Behind the line break of its last line. */
  readonly end: number;
  /** Text with a line below it; a line of text right above would become part of the title. */
  readonly isUnderlined: boolean;
}

interface Outline {
  readonly headers: readonly Header[];
  /** The document ends inside a code fence. */
  readonly hasOpenFence: boolean;
}

const NUMBERED_HEADER = /^ {0,3}(#{1,6})(?:[ \t]+(.*))?$/;
const UNDERLINE = /^ {0,3}(=+|-+)[ \t]*$/;
const RULE = /^ {0,3}([-*_])[ \t]*(?:\1[ \t]*){2,}$/;
const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)$/;
const LIST_ITEM = /^ {0,3}(?:[-+*]|\d{1,9}[.)])(?:[ \t]+|$)/;
const QUOTATION = /^ {0,3}>/;

/** What the lines so far leave open. */
interface Open {
  fence: string | undefined;
  /** The fence stands in a list item, and ends with it at the latest. */
  isFenceInList: boolean;
  paragraph: { readonly start: number; title: string } | undefined;
  container: 'list' | 'quotation' | undefined;
  isAfterBlank: boolean;
}

export function readOutline(text: string): Outline {
  const headers: Header[] = [];
  const open: Open = {
    fence: undefined,
    isFenceInList: false,
    paragraph: undefined,
    container: undefined,
    isAfterBlank: true,
  };
  for (const place of linesOf(text)) {
    const header = takeLine(open, place);
    if (header !== undefined) headers.push(header);
    open.isAfterBlank = isBlank(place.line);
  }
  return { headers, hasOpenFence: open.fence !== undefined };
}

/** The header that this line is, or makes of the lines above it. */
function takeLine(open: Open, { start, end, line }: TextLine): Header | undefined {
  const isIndented = /^[ \t]/.test(line);
  if (open.fence !== undefined) {
    if (!open.isFenceInList || isIndented || isBlank(line)) {
      if (closes(open.isFenceInList ? line.trimStart() : line, open.fence)) open.fence = undefined;
      return undefined;
    }
    open.fence = undefined;
  }
  if (isBlank(line)) {
    open.paragraph = undefined;
    if (open.container === 'quotation') open.container = undefined;
    return undefined;
  }
  if (open.container === 'list' && isIndented) {
    openFence(open, line.trimStart().replace(LIST_ITEM, ''), true);
    return undefined;
  }
  const { paragraph } = open;
  const underline = UNDERLINE.exec(line)?.[1];
  if (paragraph !== undefined && underline !== undefined) {
    endBlock(open);
    const level = underline.startsWith('=') ? 1 : 2;
    return { level, title: paragraph.title, start: paragraph.start, end, isUnderlined: true };
  }
  const numbered = NUMBERED_HEADER.exec(line);
  if (numbered !== null) {
    endBlock(open);
    const title = withoutClosingSigns(numbered[2] ?? '');
    return { level: numbered[1]!.length, title, start, end, isUnderlined: false };
  }
  if (RULE.test(line) || openFence(open, line, false)) endBlock(open);
  else if (LIST_ITEM.test(line) || QUOTATION.test(line)) {
    open.paragraph = undefined;
    open.container = QUOTATION.test(line) ? 'quotation' : 'list';
    if (open.container === 'list') openFence(open, line.replace(LIST_ITEM, ''), true);
  } else if (paragraph !== undefined) paragraph.title += ` ${line.trim()}`;
  else if (open.isAfterBlank || open.container === undefined) {
    open.container = undefined;
    if (!isIndented) open.paragraph = { start, title: line.trim() };
  }
  return undefined;
}

function endBlock(open: Open): void {
  open.paragraph = undefined;
  open.container = undefined;
}

/** Whether the line would make a header of text right above it. */
export function isUnderline(line: string): boolean {
  return UNDERLINE.test(line);
}

/** `Title ##` is written for the eye: the title is `Title`. */
export function withoutClosingSigns(title: string): string {
  const trimmed = title.trim();
  let end = trimmed.length;
  while (trimmed[end - 1] === '#') end--;
  if (end === 0) return '';
  return /[ \t]/.test(trimmed[end - 1]!) ? trimmed.slice(0, end).trimEnd() : trimmed;
}

function openFence(open: Open, line: string, isInList: boolean): boolean {
  const match = FENCE.exec(line);
  if (match === null) return false;
  const [, signs = '', info = ''] = match;
  // Back ticks behind back ticks: code within a line, not a fence.
  if (signs.startsWith('`') && info.includes('`')) return false;
  open.fence = signs;
  open.isFenceInList = isInList;
  return true;
}

function closes(line: string, fence: string): boolean {
  const match = FENCE.exec(line);
  return match?.[1]?.startsWith(fence) === true && isBlank(match[2]!);
}

function isBlank(line: string): boolean {
  return line.trim() === '';
}

interface TextLine {
  readonly start: number;
  /** Behind the line break. */
  readonly end: number;
  /** Without the line break. */
  readonly line: string;
}

/** What some editors put at the front of a file. It belongs to no line. */
export const BYTE_ORDER_MARK = '\ufeff';

/** A line ends with `\n`; a `\r` before it belongs to the line break. */
export function* linesOf(text: string): Generator<TextLine> {
  for (let start = text.startsWith(BYTE_ORDER_MARK) ? 1 : 0; start < text.length; ) {
    const newline = text.indexOf('\n', start);
    const end = newline < 0 ? text.length : newline + 1;
    const line = text.slice(start, newline < 0 ? end : newline);
    yield { start, end, line: line.endsWith('\r') ? line.slice(0, -1) : line };
    start = end;
  }
}

/**
 * The text without what matches. Lines first, because a list must not go for the sake of one item; then the
 * paragraphs (lines without a blank one between them) that match when their lines are read as one, because a
 * phrase may run over a line's end.
 * @param matches gets a line or a paragraph, without line breaks
 */
export function withoutMatches(text: string, matches: (text: string) => boolean): string {
  const mark = text.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : '';
  const kept: string[] = [];
  let paragraph: { readonly lines: string[]; readonly whole: string[] } = { lines: [], whole: [] };
  const endParagraph = (): void => {
    const { lines, whole } = paragraph;
    if (lines.length < 2 || !matches(lines.join(' '))) kept.push(...whole);
    paragraph = { lines: [], whole: [] };
  };
  for (const { start, end, line } of linesOf(text)) {
    if (line.trim() === '') {
      endParagraph();
      if (!matches(line)) kept.push(text.slice(start, end));
    } else if (!matches(line)) {
      paragraph.lines.push(line.trim());
      paragraph.whole.push(text.slice(start, end));
    }
  }
  endParagraph();
  return mark + kept.join('');
}
