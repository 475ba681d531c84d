/**
 * `JSON.parse`, without a fault that V8 has had since 12.8 (nodejs/node#63785): after an object with a key that
 * ends in a backslash, an escaped key in another object of the same shape is read as that key, or stops the
 * parser. A memory would come back with another key than it was stored with.
 *
 * Keys that are escaped are rare, so they are taken out of the engine's hands: the text is parsed with plain
 * keys in their place, which are then given their names. A text without such keys costs a search for `\`.
 *
 * @throws SyntaxError
 */
export function parseJson(text: string): unknown {
  if (!text.includes('\\')) return JSON.parse(text);
  const keys = findEscapedKeys(text);
  if (keys.length === 0) return JSON.parse(text);

  const marker = unusedMarker(text);
  const names = new Map<string, string>();
  let plain = '';
  let at = 0;
  for (const [i, { start, end }] of keys.entries()) {
    const standIn = `${marker}${i}`;
    // On its own, a text is read right.
    names.set(standIn, JSON.parse(text.slice(start, end)) as string);
    plain += `${text.slice(at, start)}"${standIn}"`;
    at = end;
  }
  return renameKeys(JSON.parse(plain + text.slice(at)), names);
}

interface Span {
  readonly start: number;
  /** Behind the closing quote. */
  readonly end: number;
}

const BACKSLASH = '\\';
const QUOTE = '"';

function findEscapedKeys(text: string): Span[] {
  const keys: Span[] = [];
  let backslash = text.indexOf(BACKSLASH);
  for (let start = text.indexOf(QUOTE); start >= 0; ) {
    let at = start + 1;
    let isEscaped = false;
    let quote = text.indexOf(QUOTE, at);
    for (;;) {
      while (backslash >= 0 && backslash < at) backslash = text.indexOf(BACKSLASH, at);
      if (quote < 0 || backslash < 0 || backslash > quote) break;
      isEscaped = true;
      at = backslash + 2;
      if (quote < at) quote = text.indexOf(QUOTE, at);
    }
    if (quote < 0) return keys;
    const end = quote + 1;
    if (isEscaped && isFollowedByColon(text, end)) keys.push({ start, end });
    start = text.indexOf(QUOTE, end);
  }
  return keys;
}

function isFollowedByColon(text: string, from: number): boolean {
  let at = from;
  while (text[at] === ' ' || text[at] === '\t' || text[at] === '\n' || text[at] === '\r') at++;
  return text[at] === ':';
}

function unusedMarker(text: string): string {
  let marker = '\ue000';
  while (text.includes(marker)) marker += '\ue000';
  return marker;
}

function renameKeys(value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => renameKeys(item, names));
  // From entries: `__proto__` is then a key like any other, and of two keys with one name the last one counts.
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [names.get(key) ?? key, renameKeys(item, names)]),
  );
}
