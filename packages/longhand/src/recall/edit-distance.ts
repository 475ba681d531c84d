/**
 * How many typing errors lie between a word and others: letters left out, added, mistaken, or two that changed places
 * (Damerau and Levenshtein, without changing again what changed places).
 *
 * A word's letters are taken one by one, with a row of the distances to all beginnings of the typed word for each. Once all
 * of a row are too far, no word that begins alike can be near: whoever walks through a sorted dictionary leaves them out.
 * Beginnings that differ in length by more than the errors that are looked for are too far, and are not compared.
 */
export class EditDistance {
  readonly #typed: string;
  /** What is further counts as this plus one. */
  readonly #most: number;
  #beforeLast: Uint8Array;
  #last: Uint8Array;
  #next: Uint8Array;
  /** How many letters of the other word it took to know that it is too far; 0 when its end was reached. */
  ruledOutBy = 0;

  constructor(typed: string, most: number) {
    this.#typed = typed;
    this.#most = most;
    this.#beforeLast = new Uint8Array(typed.length + 1);
    this.#last = new Uint8Array(typed.length + 1);
    this.#next = new Uint8Array(typed.length + 1);
  }

  to(other: string): number {
    const tooFar = this.#most + 1;
    this.ruledOutBy = 0;
    for (let column = 0; column < this.#last.length; column++) this.#last[column] = column;
    let leastBefore = 0;
    for (let row = 1; row <= other.length; row++) {
      const least = this.#addRow(other, row);
      // Letters that change places look back over a row: from the one before, it takes one error more.
      if (least >= tooFar && leastBefore + 1 >= tooFar) {
        this.ruledOutBy = row;
        return tooFar;
      }
      leastBefore = least;
      [this.#beforeLast, this.#last, this.#next] = [this.#last, this.#next, this.#beforeLast];
    }
    const isCompared = this.#typed.length - other.length <= this.#most;
    return isCompared ? Math.min(this.#last[this.#typed.length]!, tooFar) : tooFar;
  }

  /** Gives the least of the row. */
  #addRow(other: string, row: number): number {
    const typed = this.#typed;
    const [beforeLast, last, next] = [this.#beforeLast, this.#last, this.#next];
    const letter = other.charCodeAt(row - 1);
    const letterBefore = other.charCodeAt(row - 2);
    const first = Math.max(1, row - this.#most);
    const end = Math.min(typed.length, row + this.#most);
    // What is beside those that are compared: no letter typed yet, or too far.
    next[first - 1] = first === 1 ? row : this.#most + 1;
    next[end + 1] = this.#most + 1;
    let least = next[first - 1]!;
    for (let column = first; column <= end; column++) {
      const isSame = typed.charCodeAt(column - 1) === letter;
      let distance = Math.min(last[column]! + 1, next[column - 1]! + 1, last[column - 1]! + (isSame ? 0 : 1));
      const hasChangedPlaces =
        column > 1 &&
        typed.charCodeAt(column - 2) === letter &&
        typed.charCodeAt(column - 1) === letterBefore;
      if (hasChangedPlaces) distance = Math.min(distance, beforeLast[column - 2]! + 1);
      next[column] = distance;
      if (distance < least) least = distance;
    }
    return least;
  }
}
