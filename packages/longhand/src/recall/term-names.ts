/**
 * Everything that can be looked up is a term of one dictionary. A word's term is the word's stem; the others
 * begin with a mark that no word begins with.
 */

/** The memory with this id. */
export function idTerm(id: string): string {
  return `=${id}`;
}

/** Memories filed under a tag key (see tag-match.ts). */
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

/** Memories whose text states this day, in its year, in none, or in either. */
export function dayTerm(year: number | 'unsaid' | 'any', month: number, day: number): string {
  return `^${year} ${month + 1} ${day}`;
}

/** Memories whose text says the number of a day and no month: "on the 18th". */
export function numberedDayTerm(day: number): string {
  return `^${day}`;
}

/** Whether a term is a word: all marks are ASCII signs. */
export function isWord(term: string): boolean {
  const code = term.charCodeAt(0);
  return code >= 128 || (code >= 48 && code <= 57) || (code >= 97 && code <= 122);
}
