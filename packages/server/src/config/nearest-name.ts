/** The name that was probably meant; `undefined` when none is near. */
export function nearestOf(given: string, names: readonly string[]): string | undefined {
  const ranked = names
    .map((name) => ({ name, distance: editDistance(given, name) }))
    .sort((a, b) => a.distance - b.distance);
  const [best] = ranked;
  return best !== undefined && best.distance <= Math.max(1, Math.floor(given.length / 3))
    ? best.name
    : undefined;
}

/** What the tools of an agent call otherwise. */
const OF_TOOLS = new Map<string, readonly string[]>([
  ['query', ['text']],
  ['thread_id', ['session_id']],
  ['memory_key', ['memory_id', 'id']],
  ['id', ['memory_id', 'memory_key']],
]);

/**
 * The names that may be meant by one that is right elsewhere: the nearest; else those of the same words, more of them or
 * fewer (`budget` by `budget_tokens`, `first_line` by `lines`), or what another skin calls so. None when nothing fits.
 */
export function meantBy(given: string, names: readonly string[]): readonly string[] {
  const nearest = nearestOf(given, names);
  if (nearest !== undefined) return [nearest];
  const words = wordsOf(given);
  const alike = names.filter((name) => {
    const others = wordsOf(name);
    return isWithin(words, others) || isWithin(others, words);
  });
  if (alike.length > 0) return alike;
  return (OF_TOOLS.get(given) ?? []).filter((name) => names.includes(name)).slice(0, 1);
}

/** Of `budgetTokens` as of `budget_tokens`, one or many. */
function wordsOf(name: string): readonly string[] {
  return name
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, '_')
    .toLowerCase()
    .split(/[_-]/)
    .map((word) => word.replace(/(?<=...)s$/, ''));
}

/** “id” says too little to go by alone. */
function isWithin(words: readonly string[], others: readonly string[]): boolean {
  return words.some((word) => word.length > 2) && words.every((word) => others.includes(word));
}

/** Letters to add, take away, replace, or exchange with their neighbour. */
function editDistance(left: string, right: string): number {
  let before: readonly number[] = [];
  let row = Array.from({ length: right.length + 1 }, (_, i) => i);
  for (let i = 1; i <= left.length; i++) {
    const next = [i];
    for (let j = 1; j <= right.length; j++) {
      const replaced = row[j - 1]! + (left[i - 1] === right[j - 1] ? 0 : 1);
      const isSwapped = j > 1 && left[i - 1] === right[j - 2] && left[i - 2] === right[j - 1];
      const swapped = isSwapped ? before[j - 2]! + 1 : replaced;
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, replaced, swapped));
    }
    before = row;
    row = next;
  }
  return row[right.length]!;
}
