type Place = 'localStorage' | 'sessionStorage';

/** What the browser keeps by a name; `none` where it keeps nothing. */
export function readStored<Value>(place: Place, name: string, none: Value): Value {
  try {
    return (JSON.parse(globalThis[place].getItem(name) ?? 'null') as Value | null) ?? none;
  } catch {
    return none;
  }
}

/** Where the browser keeps nothing, or no more, it lasts as long as the page. @param value `undefined` takes it out */
export function writeStored(place: Place, name: string, value: unknown): void {
  try {
    if (value === undefined) globalThis[place].removeItem(name);
    else globalThis[place].setItem(name, JSON.stringify(value));
  } catch {
    // Nothing depends on it.
  }
}
