import type { OpenBlob } from '../../core/store.ts';
import { STRETCH_BYTES } from '../value-pieces.ts';
import { withReadingBuffer } from './detail-scan.ts';

/**
 * The lines of a value that hold a text, with the lines around them. The value streams by in pieces; what is held is
 * the line at hand, the few before it, and what will be shown. A line that is longer than a piece (a whole file can be
 * one line) is looked through in pieces that overlap, and shown as the stretch around its first match.
 */
export interface FoundLine {
  /** Counts from 1. */
  readonly line: number;
  readonly text: string;
  /** False for a line that is shown because it stands beside one. */
  readonly isMatch: boolean;
}

/** Of one line. */
const SHOWN_CHARACTERS = 400;
const BEFORE_MATCH = 120;

export async function findLines(
  blob: OpenBlob,
  search: string,
  contextLines: number,
  maxMatches: number,
): Promise<{ readonly shown: readonly FoundLine[]; readonly total: number }> {
  const finder = new LineFinder(search, contextLines, maxMatches);
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  await withReadingBuffer(async (buffer) => {
    for (let offset = 0; offset < blob.size; ) {
      const bytes = await blob.read(offset, STRETCH_BYTES, buffer);
      offset += bytes.length;
      finder.add(decoder.decode(bytes, { stream: offset < blob.size }));
    }
  });
  finder.finish();
  return { shown: finder.shown, total: finder.total };
}

class LineFinder {
  readonly #wanted: string;
  readonly #contextLines: number;
  readonly #maxMatches: number;
  readonly shown: FoundLine[] = [];
  total = 0;
  /** Lines before the one at hand that a match would show too. */
  #before: FoundLine[] = [];
  /** Lines that are still to be shown after the last match. */
  #due = 0;
  #number = 1;
  /** The line at hand: how it begins, what of it may still be part of a match, and the match, if it has one. */
  #opening = '';
  #rest = '';
  #match: string | undefined;
  #isBegun = false;

  constructor(search: string, contextLines: number, maxMatches: number) {
    this.#wanted = search.toLowerCase();
    this.#contextLines = contextLines;
    this.#maxMatches = maxMatches;
  }

  add(text: string): void {
    let from = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', from)) {
      this.#look(text.slice(from, end));
      this.#endLine();
      from = end + 1;
    }
    if (from < text.length) this.#look(text.slice(from));
  }

  finish(): void {
    if (this.#isBegun) this.#endLine();
  }

  #look(piece: string): void {
    this.#isBegun = true;
    if (this.#opening.length < SHOWN_CHARACTERS) this.#opening += piece.slice(0, SHOWN_CHARACTERS + 1);
    if (this.#match !== undefined) return;
    const text = this.#rest + piece;
    const at = text.toLowerCase().indexOf(this.#wanted);
    if (at >= 0) this.#match = excerptAround(text, at, this.#rest === '');
    // With room before it for the excerpt of a match that begins here.
    this.#rest = text.slice(-(this.#wanted.length + BEFORE_MATCH));
  }

  #endLine(): void {
    const isMatch = this.#match !== undefined;
    const text = this.#match ?? cut(this.#opening.replace(/\r$/, ''));
    const line: FoundLine = { line: this.#number++, text: text.replace(/\r$/, ''), isMatch };
    this.#opening = '';
    this.#rest = '';
    this.#match = undefined;
    this.#isBegun = false;
    if (isMatch) this.total++;
    const isShown = isMatch && this.total <= this.#maxMatches;
    if (isShown) {
      this.shown.push(...this.#before, line);
      this.#before = [];
      this.#due = this.#contextLines;
    } else if (this.#due > 0) {
      // A match beyond the limit ends what is shown: beside the last one shown it would pass for no match.
      this.#due = isMatch ? 0 : this.#due - 1;
      if (!isMatch) this.shown.push(line);
    } else if (this.#contextLines > 0) {
      this.#before.push(line);
      if (this.#before.length > this.#contextLines) this.#before.shift();
    }
  }
}

function cut(text: string): string {
  return text.length <= SHOWN_CHARACTERS ? text : `${text.slice(0, SHOWN_CHARACTERS).toWellFormed()}…`;
}

/** The place is that in the lower-case text, which may be off by a few characters: good enough to show it. */
function excerptAround(text: string, at: number, isFromStart: boolean): string {
  const from = text.length <= SHOWN_CHARACTERS ? 0 : Math.max(0, at - BEFORE_MATCH);
  const excerpt = text.slice(from, from + SHOWN_CHARACTERS).toWellFormed();
  const isCutBefore = from > 0 || !isFromStart;
  const isCutAfter = from + SHOWN_CHARACTERS < text.length;
  return `${isCutBefore ? '…' : ''}${excerpt}${isCutAfter ? '…' : ''}`;
}
