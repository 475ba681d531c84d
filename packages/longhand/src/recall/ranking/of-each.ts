/**
 * What `items.map` gives, always as one kind of array.
 *
 * V8 makes another kind once the code around `map` is optimised, and discards what it had optimised for the first kind.
 */
export function ofEach<Item, Made>(items: readonly Item[], make: (item: Item, at: number) => Made): Made[] {
  const made: Made[] = [];
  for (let at = 0; at < items.length; at++) made.push(make(items[at]!, at));
  return made;
}
