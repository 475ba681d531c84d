/**
 * The number of typing errors between a typed word and others: a letter left out, added or replaced, or two swapped (optimal
 * string alignment). Only beginnings that differ in length by at most `most` are compared.
 */
export class EditDistance {
  readonly #typed: string;
  readonly #most: number;
  /** Distances from a beginning of the other word to each beginning of the typed word. */
  #beforeLast: Uint8Array;
  #last: Uint8Array;
  #next: Uint8Array;
  /**
   * How many letters of the other word ruled it out, 0 when all were read. A walk through a sorted dictionary may skip all
   * words with this beginning.
   */
  ruledOutBy = 0;

  /** @param most what is further counts as this plus one */
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
      // A swap builds on the row before the last, at the cost of one error.
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

  /** Returns the least distance of the row. */
  #addRow(other: string, row: number): number {
    const typed = this.#typed;
    const [beforeLast, last, next] = [this.#beforeLast, this.#last, this.#next];
    const letter = other.charCodeAt(row - 1);
    const letterBefore = other.charCodeAt(row - 2);
    const first = Math.max(1, row - this.#most);
    const end = Math.min(typed.length, row + this.#most);
    next[first - 1] = first === 1 ? row : this.#most + 1;
    next[end + 1] = this.#most + 1;
    let least = next[first - 1]!;
    for (let column = first; column <= end; column++) {
      const isSame = typed.charCodeAt(column - 1) === letter;
      let distance = Math.min(last[column]! + 1, next[column - 1]! + 1, last[column - 1]! + (isSame ? 0 : 1));
      const isSwapped =
        column > 1 &&
        typed.charCodeAt(column - 2) === letter &&
        typed.charCodeAt(column - 1) === letterBefore;
      if (isSwapped) distance = Math.min(distance, beforeLast[column - 2]! + 1);
      next[column] = distance;
      least = Math.min(least, distance);
    }
    return least;
  }
}
