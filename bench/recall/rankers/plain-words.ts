/** What plain full-text search takes for a word, and the words that it leaves out of a question. */

const STOPWORDS = new Set(
  `a about after again all also am an and any are as at be because been before being but by can could d did do does
  doing done for from had has have having he her hers him his how i if in into is it its itself just ll m me more most
  my myself no nor not now of on once only or other our ours out over own re s same shall she should so some such t than
  that the their theirs them then there these they this those through to too under until up us ve very was we were what
  when where which while who whom whose why will with would you your yours`.split(/\s+/),
);

/** In small letters and without accents, as the tokenizer of SQLite does it. */
export function plainWords(text: string): string[] {
  const plain = text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
  return plain.match(/[\p{L}\p{N}]+/gu) ?? [];
}

export function queryWords(question: string): string[] {
  return [...new Set(plainWords(question).filter((word) => !STOPWORDS.has(word)))];
}
