/**
 * The words of the keys of a memory's content.
 *
 * `{"vegetarian": true, "favourite_colour": "teal"}` says in its keys what it is about, so they are texts like the
 * values, `isPublic` with its words beside it as in any text. Some keys only say where the text stands, and would be the same in every memory: those are left out, and so
 * are the types of memories, which are texts of their own.
 */

const CARRIERS: ReadonlySet<string> = new Set(
  `message messages text texts content contents body value values data item items list entry entries
   role speaker name title summary description caption label note notes comment comments detail details
   id ids key type kind tag tags url timestamp metadata meta source
   memory fact facts conversation decision finding preference`.split(/\s+/),
);

/** What a key says, as a text; empty when it says nothing. */
export function keyText(key: string): string {
  return CARRIERS.has(key.toLowerCase()) ? '' : key;
}
