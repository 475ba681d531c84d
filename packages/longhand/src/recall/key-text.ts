/**
 * The words of the keys of a memory's content.
 *
 * `{"vegetarian": true, "favourite_colour": "teal"}` says in its keys what it is about, so they are texts like the
 * values. Some keys only say where the text stands, and would be the same in every memory: those are left out, and so
 * are the types of memories, which are texts of their own.
 */

const CARRIERS: ReadonlySet<string> = new Set(
  `message messages text texts content contents body value values data item items list entry entries
   role speaker name title summary description caption label note notes comment comments detail details
   id ids key type kind tag tags url timestamp metadata meta source
   memory fact facts conversation decision finding preference`.split(/\s+/),
);

/** Between the words of camelCase, and before the last capital letter of several: `XMLFile`. */
const HUMP = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu;

/** The same few keys come again and again; where they do not, they are data and not worth keeping. */
const MAX_KNOWN = 1000;
const MAX_KNOWN_LENGTH = 64;
const known = new Map<string, string>();

/** What a key says, as a text; empty when it says nothing. The words of `isPublic` stand beside it as written. */
export function keyText(key: string): string {
  let text = known.get(key);
  if (text === undefined) {
    const apart = key.replaceAll(HUMP, ' ');
    text = CARRIERS.has(key.toLowerCase()) ? '' : apart === key ? key : `${key} ${apart}`;
    if (known.size < MAX_KNOWN && key.length <= MAX_KNOWN_LENGTH) known.set(key, text);
  }
  return text;
}
