/**
 * Runs a regular expression the way V8 does, by trying and going back, and counts every step: V8 itself says neither how
 * often it goes back nor how far it looks ahead in vain. A caller compares the answer with V8's own.
 */

type Op =
  | { readonly op: 'character'; readonly is: (character: string) => boolean }
  | { readonly op: 'place'; readonly at: RegExp }
  | { readonly op: 'either'; readonly first: number; readonly second: number }
  | { readonly op: 'go'; readonly to: number }
  | { readonly op: 'save'; readonly slot: number }
  | { readonly op: 'moved'; readonly slot: number }
  | { readonly op: 'same'; readonly group: () => number }
  | { readonly op: 'look'; readonly program: Program; readonly isNegative: boolean }
  | { readonly op: 'end' };

interface Program {
  readonly ops: readonly Op[];
  readonly isBackward: boolean;
}

/** Makes operations of a piece of the pattern, which begin at a place in the program. */
type Piece = (from: number, isBackward: boolean) => Op[];

const exec = RegExp.prototype.exec;

/** What takes more steps for each character has gone back over all of them again and again. */
const MOST_STEPS = 800;

export interface Counted {
  /** Infinite where the count was given up. */
  readonly steps: number;
  readonly found: { readonly index: number; readonly end: number } | undefined;
}

export class CountedExpression {
  readonly #program: Program;
  readonly #isUnicode: boolean;
  readonly #isSticky: boolean;
  readonly #isWithoutCase: boolean;
  #steps = 0;
  #mostSteps = 0;

  constructor({ source, flags }: RegExp) {
    this.#isUnicode = flags.includes('u');
    this.#isSticky = flags.includes('y');
    this.#isWithoutCase = flags.includes('i');
    const ops = new Pattern(source, flags).whole()(0, false);
    this.#program = { ops: [...ops, { op: 'end' }], isBackward: false };
  }

  run(text: string, from: number): Counted {
    this.#steps = 0;
    this.#mostSteps = MOST_STEPS * (text.length - from + 1);
    const last = this.#isSticky ? from : text.length;
    for (let index = from; index <= last; index++) {
      const end = this.#attempt(this.#program, text, index, []);
      if (this.#steps > this.#mostSteps) return { steps: Number.POSITIVE_INFINITY, found: undefined };
      if (end !== undefined) return { steps: this.#steps, found: { index, end } };
      if (this.#isUnicode && text.codePointAt(index)! > 0xffff) index++;
    }
    return { steps: this.#steps, found: undefined };
  }

  #attempt({ ops, isBackward }: Program, text: string, from: number, saved: number[]): number | undefined {
    /** Where to go on when the present way fails: a place in the program and one in the text, or a slot to restore. */
    const ways: (readonly [pc: number, at: number, slot?: number])[] = [];
    let [pc, at] = [0, from];
    for (;;) {
      if (++this.#steps > this.#mostSteps) return undefined;
      const op = ops[pc]!;
      let goesOn = true;
      pc++;
      switch (op.op) {
        case 'end':
          return at;
        case 'character': {
          const character = isBackward ? this.#before(text, at) : this.#after(text, at);
          goesOn = character !== '' && op.is(character);
          at += isBackward ? -character.length : character.length;
          break;
        }
        case 'place':
          op.at.lastIndex = at;
          goesOn = exec.call(op.at, text) !== null;
          break;
        case 'either':
          ways.push([op.second, at]);
          pc = op.first;
          break;
        case 'go':
          pc = op.to;
          break;
        case 'save':
          ways.push([saved[op.slot] ?? -1, 0, op.slot]);
          saved[op.slot] = at;
          break;
        case 'moved':
          goesOn = saved[op.slot] !== at;
          break;
        case 'same': {
          const [one = -1, other = -1] = [saved[2 * op.group()], saved[2 * op.group() + 1]];
          const same = one < 0 || other < 0 ? '' : text.slice(Math.min(one, other), Math.max(one, other));
          const start = isBackward ? at - same.length : at;
          goesOn = this.#folded(text.slice(Math.max(start, 0), start + same.length)) === this.#folded(same);
          at = isBackward ? start : at + same.length;
          break;
        }
        case 'look': {
          const seen = [...saved];
          goesOn = (this.#attempt(op.program, text, at, seen) !== undefined) !== op.isNegative;
          if (goesOn && !op.isNegative) for (const [slot, place] of seen.entries()) saved[slot] = place;
          break;
        }
      }
      while (!goesOn) {
        const way = ways.pop();
        if (way === undefined) return undefined;
        if (way[2] === undefined) [pc, at, goesOn] = [way[0], way[1], true];
        else saved[way[2]] = way[0];
      }
    }
  }

  #after(text: string, at: number): string {
    if (!this.#isUnicode || at >= text.length) return text[at] ?? '';
    return String.fromCodePoint(text.codePointAt(at)!);
  }

  #before(text: string, at: number): string {
    const isPair = this.#isUnicode && at >= 2 && text.codePointAt(at - 2)! > 0xffff;
    return text.slice(Math.max(0, at - (isPair ? 2 : 1)), at);
  }

  #folded(text: string): string {
    return this.#isWithoutCase ? text.toLowerCase() : text;
  }
}

const MOST_TIMES = 2_000;

class Pattern {
  readonly #source: string;
  readonly #flags: string;
  readonly #names: readonly string[];
  #at = 0;
  #groups = 0;
  /** Slots behind those of the groups: where a round of a loop began. */
  #loops = 0;

  constructor(source: string, flags: string) {
    if (flags.includes('v') || /\(\?[ims-]+:/.test(source))
      throw new Error(`Not counted: /${source}/${flags}`);
    this.#source = source;
    this.#flags = flags.replaceAll(/[dgy]/g, '');
    const opened = source.replaceAll(/\\.|\[(?:\\.|[^\]\\])*\]/gs, '').match(/\((?!\?)|\(\?<(?![=!])[^>]+/g);
    this.#names = (opened ?? []).map((group) => group.slice(3));
  }

  whole(): Piece {
    const piece = this.#alternatives();
    if (this.#at < this.#source.length) throw new Error(`Not understood: /${this.#source}/ at ${this.#at}`);
    return piece;
  }

  #take(text: string): boolean {
    const isNext = this.#source.startsWith(text, this.#at);
    if (isNext) this.#at += text.length;
    return isNext;
  }

  #taken(expected: RegExp): string | undefined {
    expected.lastIndex = this.#at;
    const found = exec.call(expected, this.#source)?.[0];
    this.#at += found?.length ?? 0;
    return found;
  }

  #alternatives(): Piece {
    const first = this.#sequence();
    if (!this.#take('|')) return first;
    const second = this.#alternatives();
    return (from, isBackward) => {
      const one = first(from + 1, isBackward);
      const other = second(from + one.length + 2, isBackward);
      const [start, end] = [from + one.length + 2, from + one.length + other.length + 2];
      return [{ op: 'either', first: from + 1, second: start }, ...one, { op: 'go', to: end }, ...other];
    };
  }

  #sequence(): Piece {
    const pieces: Piece[] = [];
    while (this.#at < this.#source.length && !/[|)]/.test(this.#source[this.#at]!))
      pieces.push(this.#quantified(this.#atom()));
    return (from, isBackward) => {
      const ops: Op[] = [];
      for (const piece of isBackward ? pieces.toReversed() : pieces)
        for (const op of piece(from + ops.length, isBackward)) ops.push(op);
      return ops;
    };
  }

  #quantified(atom: Piece): Piece {
    const written = this.#taken(/[*+?]|\{\d+(?:,\d*)?\}/y);
    if (written === undefined) return atom;
    const isLazy = this.#take('?');
    const [, least, comma, most] = /^\{(\d+)(,?)(\d*)\}$/.exec(written) ?? [];
    const fewest = Number(least ?? (written === '+' ? 1 : 0));
    const open = written === '?' ? 1 : Number.POSITIVE_INFINITY;
    const limit =
      least === undefined ? open : most ? Number(most) : comma ? Number.POSITIVE_INFINITY : fewest;
    if (fewest > MOST_TIMES) throw new Error(`Not counted: /${this.#source}/`);
    const slot = 2 * (this.#names.length + 1) + this.#loops++;
    const either = (on: number, out: number): Op =>
      isLazy ? { op: 'either', first: out, second: on } : { op: 'either', first: on, second: out };
    return (from, isBackward) => {
      const ops: Op[] = [];
      for (let time = 0; time < fewest; time++) ops.push(...atom(from + ops.length, isBackward));
      if (limit > MOST_TIMES) {
        const start = from + ops.length;
        const round = atom(start + 2, isBackward);
        const out = start + round.length + 4;
        ops.push(either(start + 1, out), { op: 'save', slot }, ...round);
        ops.push({ op: 'moved', slot }, { op: 'go', to: start });
        return ops;
      }
      const length = atom(0, isBackward).length + 1;
      const out = from + ops.length + (limit - fewest) * length;
      for (let time = fewest; time < limit; time++) {
        const start = from + ops.length;
        ops.push(either(start + 1, out), ...atom(start + 1, isBackward));
      }
      return ops;
    };
  }

  #atom(): Piece {
    if (this.#take('(')) return this.#group();
    const place = this.#taken(/[\^$]|\\[bB]/y);
    if (place !== undefined) {
      const at = new RegExp(place, `${this.#flags}y`);
      return () => [{ op: 'place', at }];
    }
    const back = this.#taken(/\\[1-9]\d*|\\k<[^>]+>/y);
    if (back !== undefined) {
      const named = back.startsWith('\\k')
        ? this.#names.indexOf(back.slice(3, -1)) + 1
        : Number(back.slice(1));
      return () => [{ op: 'same', group: () => named }];
    }
    const character = this.#taken(
      /\[(?:\\[\s\S]|[^\]\\])*\]|\\[pP]\{[^}]*\}|\\u\{[^}]*\}|\\u[\da-f]{4}|\\x[\da-f]{2}|\\c[a-z]|\\[\s\S]|[^\\]/iuy,
    );
    const one = new RegExp(`^(?:${character})$`, this.#flags.replace('m', ''));
    const known = new Map<string, boolean>();
    const is = (given: string): boolean => {
      const answer = known.get(given) ?? exec.call(one, given) !== null;
      known.set(given, answer);
      return answer;
    };
    return () => [{ op: 'character', is }];
  }

  #group(): Piece {
    const kind = this.#taken(/\?(?:[:=!]|<[=!]|<[^>]+>)/y) ?? '';
    const number = kind === '' || /^\?<[^=!]/.test(kind) ? ++this.#groups : 0;
    const body = this.#alternatives();
    if (!this.#take(')')) throw new Error(`Not understood: /${this.#source}/ at ${this.#at}`);
    if (/[=!]$/.test(kind)) {
      const isBackward = kind.includes('<');
      const program = { ops: [...body(0, isBackward), { op: 'end' } as const], isBackward };
      return () => [{ op: 'look', program, isNegative: kind.endsWith('!') }];
    }
    if (number === 0) return body;
    return (from, isBackward) => [
      { op: 'save', slot: 2 * number },
      ...body(from + 1, isBackward),
      { op: 'save', slot: 2 * number + 1 },
    ];
  }
}
