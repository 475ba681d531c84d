/**
 * What `items.map` gives, always as one kind of array.
 *
 * V8 makes another kind of it once the code around `map` is optimised. All that was optimised for the first kind then begins
 * anew: a process asks a thousand queries more until it is at its full speed.
 */
export function ofEach<Item, Made>(items: readonly Item[], make: (item: Item, at: number) => Made): Made[] {
  const made: Made[] = [];
  for (let at = 0; at < items.length; at++) made.push(make(items[at]!, at));
  return made;
}
