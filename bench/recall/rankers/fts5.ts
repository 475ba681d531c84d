import { DatabaseSync } from 'node:sqlite';
import type { Haystack, Hit, View } from '../haystack.ts';
import { documentsOf, plainViews } from './documents.ts';
import { queryWords } from './plain-words.ts';
import { DEPTH, type Ranker } from './ranker.ts';

/** SQLite's full-text index as it comes: stems by Porter, ranks by its `bm25`. Any word of the question is enough. */
export const fts5: Ranker = {
  name: 'SQLite FTS5',
  open: async (haystack, { views }) => {
    const tables = new Map(plainViews(views).map((view) => [view, fill(haystack, view)]));
    return {
      rank: (question, view) => tables.get(view)?.rank(question.text),
      close: async () => {
        for (const { close } of tables.values()) close();
      },
    };
  },
};

interface Table {
  readonly rank: (question: string) => Promise<Hit[]>;
  readonly close: () => void;
}

function fill(haystack: Haystack, view: View): Table {
  const database = new DatabaseSync(':memory:');
  database.exec(
    "CREATE VIRTUAL TABLE documents USING fts5(name UNINDEXED, text, tokenize = 'porter unicode61')",
  );
  const insert = database.prepare('INSERT INTO documents (name, text) VALUES (?, ?)');
  database.exec('BEGIN');
  for (const { name, text } of documentsOf(haystack, view)) insert.run(name, text);
  database.exec('COMMIT');
  const select = database.prepare('SELECT name FROM documents WHERE documents MATCH ? ORDER BY rank LIMIT ?');
  const rank = async (question: string): Promise<Hit[]> => {
    const words = queryWords(question).map((word) => `"${word}"`);
    if (words.length === 0) return [];
    return select.all(words.join(' OR '), DEPTH).map(({ name }) => ({ name: String(name) }));
  };
  return { rank, close: () => database.close() };
}
