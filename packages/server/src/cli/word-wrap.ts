/**
 * Wraps a text at words while it comes in pieces: a word is shown once its end is known. A word that is longer than a
 * line is left to the terminal.
 */
export class WordWrap {
  readonly #columns: number;
  readonly #write: (text: string) => void;
  #column: number;
  #isAfterSpace = false;
  #word = '';

  /** @param column where the text begins in its first line */
  constructor(columns: number, column: number, write: (text: string) => void) {
    this.#columns = columns;
    this.#column = column;
    this.#write = write;
  }

  push(text: string): void {
    for (const character of text) {
      if (character !== ' ' && character !== '\n') {
        this.#word += character;
        continue;
      }
      this.#showWord();
      if (character === ' ') this.#isAfterSpace = true;
      else {
        this.#write('\n');
        this.#column = 0;
        this.#isAfterSpace = false;
      }
    }
  }

  /** Shows what was held back. */
  end(): void {
    this.#showWord();
  }

  #showWord(): void {
    if (this.#word === '') return;
    const width = [...this.#word].length;
    const gap = this.#isAfterSpace ? ' ' : '';
    const isOver = this.#column > 0 && this.#column + gap.length + width > this.#columns;
    this.#write(isOver ? `\n${this.#word}` : gap + this.#word);
    this.#column = isOver ? width : this.#column + gap.length + width;
    this.#word = '';
    this.#isAfterSpace = false;
  }
}
