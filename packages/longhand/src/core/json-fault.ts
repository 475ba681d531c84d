/**
 * Where a text stops being JSON, for a person who has written it by hand. The parser's own message may quote the text,
 * which no message of ours does, and does not always say where.
 */

const WHITE_SPACE = /[ \t\n\r]*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /true|false|null/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
/** The first character that no text may hold as it is. */
const FIRST_PRINTABLE = ' ';

/** The place of the first character that cannot stand there, from 0; the length of a text that ends too soon. */
export function placeOfJsonFault(text: string): number | undefined {
  const scan = new JsonScan(text);
  try {
    scan.value();
    scan.end();
    return undefined;
  } catch (error) {
    if (error !== FAULT) throw error;
    return scan.at;
  }
}

const FAULT = Symbol('fault');

class JsonScan {
  readonly #text: string;
  at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  value(): void {
    // By hand and not by calling itself: a text may have more levels than the stack.
    const closings: string[] = [];
    do {
      this.#take(WHITE_SPACE);
      const opening = this.#text[this.at];
      if (opening === '{' || opening === '[') {
        this.at++;
        closings.push(opening === '{' ? '}' : ']');
        if (!this.#isNext(closings.at(-1)!)) {
          this.#key(closings.at(-1)!);
          continue;
        }
      } else this.#plain();
      while (closings.length > 0 && this.#isNext(closings.at(-1)!)) {
        this.at++;
        closings.pop();
      }
      if (closings.length === 0) return;
      this.#expect(',');
      this.#key(closings.at(-1)!);
    } while (closings.length > 0);
  }

  end(): void {
    this.#take(WHITE_SPACE);
    if (this.at < this.#text.length) throw FAULT;
  }

  #key(closing: string): void {
    if (closing !== '}') return;
    this.#take(WHITE_SPACE);
    this.#quoted();
    this.#expect(':');
  }

  #plain(): void {
    if (this.#text[this.at] === '"') this.#quoted();
    else if (!this.#take(WORD) && !this.#take(NUMBER)) throw FAULT;
  }

  #quoted(): void {
    if (this.#text[this.at] !== '"') throw FAULT;
    this.at++;
    while (this.#text[this.at] !== '"') {
      const character = this.#text[this.at];
      if (character === undefined || character < FIRST_PRINTABLE) throw FAULT;
      if (character !== '\\') this.at++;
      else if (!this.#take(ESCAPE)) throw FAULT;
    }
    this.at++;
  }

  #isNext(character: string): boolean {
    this.#take(WHITE_SPACE);
    return this.#text[this.at] === character;
  }

  #expect(character: string): void {
    if (!this.#isNext(character)) throw FAULT;
    this.at++;
  }

  #take(pattern: RegExp): boolean {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.#text)?.[0] ?? '';
    this.at += found.length;
    return found !== '';
  }
}
