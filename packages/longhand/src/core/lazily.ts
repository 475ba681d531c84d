/**
 * A value that is made when it is first asked for.
 *
 * For tables and expressions that few queries need: a process that starts has a few milliseconds for its first answer, and an
 * expression with classes of Unicode takes half of one to read.
 */
export function lazily<Value extends object>(make: () => Value): () => Value {
  let made: Value | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
