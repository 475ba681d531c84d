/**
 * A text that comes in pieces, cut into stretches of about a hundred words: short enough that a word in them counts nearly
 * as it does in a memory (docs/scoring.md: length), and each known by its lines. The cut is behind a line, or else between words.
 */
export interface TextStretch {
  readonly text: string;
  /** Count from 1. */
  readonly firstLine: number;
  readonly lastLine: number;
}

const STRETCH_CHARACTERS = 600;

export class TextStretches {
  #rest = '';
  #line = 1;

  /** The stretches that are complete with this piece. */
  *add(piece: string): Generator<TextStretch, void> {
    const text = this.#rest + piece;
    let from = 0;
    while (text.length - from > STRETCH_CHARACTERS) {
      const end = cutIn(text, from);
      yield this.#stretch(text.slice(from, end));
      from = end;
    }
    this.#rest = text.slice(from);
  }

  /** What is left at the end. */
  *finish(): Generator<TextStretch, void> {
    if (this.#rest.trim() !== '') yield this.#stretch(this.#rest);
  }

  #stretch(text: string): TextStretch {
    const firstLine = this.#line;
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) this.#line++;
    return { text, firstLine, lastLine: text.endsWith('\n') ? this.#line - 1 : this.#line };
  }
}

/** In the second half of the stretch that begins at a place. */
function cutIn(text: string, from: number): number {
  const stretch = text.slice(from, from + STRETCH_CHARACTERS);
  for (const separator of ['\n', ' ']) {
    const at = stretch.lastIndexOf(separator);
    if (at >= STRETCH_CHARACTERS / 2) return from + at + 1;
  }
  return from + STRETCH_CHARACTERS;
}
