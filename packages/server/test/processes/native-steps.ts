/** Counts what V8 does natively: the characters and elements that its searches pass over. */
const steps = new Map<string, number>();

function add(name: string, count: number): void {
  steps.set(name, (steps.get(name) ?? 0) + count);
}

/** Since the last call. */
export function takeNativeSteps(): ReadonlyMap<string, number> {
  const taken = new Map(steps);
  steps.clear();
  return taken;
}

export function countNatively(): void {
  const exec = RegExp.prototype.exec;
  // With another `exec`, V8 sends every method of texts that takes an expression through it.
  RegExp.prototype.exec = function (this: RegExp, text: string): RegExpExecArray | null {
    const from = this.global || this.sticky ? this.lastIndex : 0;
    const found = exec.call(this, text);
    const to = found === null ? (this.sticky ? from + 1 : text.length) : found.index + found[0].length;
    add(`/${this.source}/${this.flags}`, Math.max(1, to - from));
    return found;
  };
  for (const name of ['indexOf', 'includes', 'lastIndexOf', 'split'] as const) {
    const native = String.prototype[name] as (...given: readonly unknown[]) => unknown;
    const counted = function (this: string, ...given: readonly unknown[]): unknown {
      const found = native.apply(this, given as never);
      const start = typeof given[1] === 'number' && name !== 'split' ? given[1] : undefined;
      const isFound = typeof found === 'number' && found >= 0;
      if (name === 'lastIndexOf') add('String.lastIndexOf', (start ?? this.length) - (isFound ? found : 0));
      else add(`String.${name}`, (isFound ? found + 1 : this.length) - (start ?? 0));
      return found;
    };
    Object.defineProperty(String.prototype, name, { value: counted, configurable: true, writable: true });
  }
  for (const name of ['indexOf', 'includes', 'splice', 'unshift'] as const) {
    const native = Array.prototype[name] as (...given: readonly unknown[]) => unknown;
    const counted = function (this: readonly unknown[], ...given: readonly unknown[]): unknown {
      const found = native.apply(this, given as never);
      add(
        `Array.${name}`,
        typeof found === 'number' && found >= 0 && name === 'indexOf' ? found : this.length,
      );
      return found;
    };
    Object.defineProperty(Array.prototype, name, { value: counted, configurable: true, writable: true });
  }
}
