import { BYTE_ORDER_MARK, linesOf } from './note-headers.ts';

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
