/** All that can be looked up is a term of one dictionary. Terms that are no words begin with a sign that no word begins with. */

export function idTerm(id: string): string {
  return `=${id}`;
}

/** @param key see `tag-match.ts` */
export function tagTerm(key: string): string {
  return `#${key}`;
}

/** Memories that reference this id. */
export function referenceTerm(id: string): string {
  return `&${id}`;
}

/** Memories whose author's name holds this word. */
export function authorTerm(word: string): string {
  return `@${word}`;
}

/** Memories that this agent wrote. */
export function agentTerm(agentId: string): string {
  return `!${agentId}`;
}

/** Memories whose text mentions days in this way (`time/spoken-days.ts`). */
export function spokenTerm(term: string): string {
  return `^${term}`;
}

/** All signs are ASCII. */
export function isWord(term: string): boolean {
  const code = term.charCodeAt(0);
  return code >= 128 || (code >= 48 && code <= 57) || (code >= 97 && code <= 122);
}
