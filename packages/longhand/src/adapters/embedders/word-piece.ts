/**
 * WordPiece, as BERT and its kin take texts apart: words and single marks of punctuation, lower-cased and without
 * accents, and each word as the longest pieces that the vocabulary has, from its beginning on.
 */

const UNKNOWN = '[UNK]';
const FIRST = '[CLS]';
const LAST = '[SEP]';
const PADDING = '[PAD]';
/** Inside of a word a piece begins with this. */
const CONTINUES = '##';
/** Longer words are unknown, as the models were trained. */
const MAX_WORD_CHARACTERS = 100;

const GONE = /\ufffd|(?![\t\n\r])\p{C}/gu;
/** Chinese characters, and those that Japanese shares with it: each is a word. */
const IDEOGRAPH =
  /[\u{4e00}-\u{9fff}\u{3400}-\u{4dbf}\u{20000}-\u{2ceaf}\u{f900}-\u{faff}\u{2f800}-\u{2fa1f}]/gu;
/** All marks of ASCII count, also those that Unicode takes for symbols: $ + < = > ^ ` | ~ */
const PUNCTUATION = /[\p{P}$+<=>^`|~]/gu;
const ACCENT = /\p{Mn}/gu;

interface WordPieceOptions {
  /** Also takes accents off. Default true; false for models that tell cases apart. */
  readonly lowerCase?: boolean;
  /** Of a text, the two marks around it included; what lies beyond is left out. Default 256. */
  readonly maxTokens?: number;
}

export class WordPiece {
  readonly #numbers = new Map<string, number>();
  readonly #lowerCase: boolean;
  readonly #maxTokens: number;
  /** Fills the shorter texts of a batch. */
  readonly padding: number;

  /**
   * @param vocabulary as in `vocab.txt`: a piece a line
   * @throws RangeError when it lacks a piece that every vocabulary has
   */
  constructor(vocabulary: string, { lowerCase = true, maxTokens = 256 }: WordPieceOptions = {}) {
    for (const [number, piece] of vocabulary.split(/\r?\n/).entries()) {
      if (piece !== '') this.#numbers.set(piece, number);
    }
    this.#lowerCase = lowerCase;
    this.#maxTokens = maxTokens;
    for (const piece of [UNKNOWN, FIRST, LAST]) this.#numberOf(piece);
    this.padding = this.#numberOf(PADDING);
  }

  #numberOf(piece: string): number {
    const number = this.#numbers.get(piece);
    if (number === undefined) throw new RangeError(`The vocabulary has no ${piece}.`);
    return number;
  }

  /** The numbers of a text's pieces, between those of [CLS] and [SEP]. */
  encode(text: string): number[] {
    const numbers = [this.#numberOf(FIRST)];
    const most = this.#maxTokens - 1;
    for (const word of this.#words(text)) {
      if (numbers.length >= most) break;
      numbers.push(...this.#pieces(word));
    }
    numbers.length = Math.min(numbers.length, most);
    numbers.push(this.#numberOf(LAST));
    return numbers;
  }

  #words(text: string): string[] {
    let clean = text.replaceAll(GONE, '').replaceAll(IDEOGRAPH, ' $& ');
    if (this.#lowerCase) clean = clean.toLowerCase().normalize('NFD').replaceAll(ACCENT, '');
    return clean
      .replaceAll(PUNCTUATION, ' $& ')
      .split(/\s+/u)
      .filter((word) => word !== '');
  }

  #pieces(word: string): number[] {
    const characters = [...word];
    const unknown = [this.#numberOf(UNKNOWN)];
    if (characters.length > MAX_WORD_CHARACTERS) return unknown;
    const numbers: number[] = [];
    for (let start = 0; start < characters.length; ) {
      let end = characters.length;
      let number: number | undefined;
      for (; end > start; end--) {
        const piece = characters.slice(start, end).join('');
        number = this.#numbers.get(start === 0 ? piece : CONTINUES + piece);
        if (number !== undefined) break;
      }
      if (number === undefined) return unknown;
      numbers.push(number);
      start = end;
    }
    return numbers;
  }
}
