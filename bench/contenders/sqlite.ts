import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { NewMemory } from 'longhand';
import { textOf } from '../entries.ts';
import type { Contender } from './contender.ts';

export const SQLITE = 'SQLite + FTS5';

export interface OpenSqlite extends Contender {
  count(): number;
  /** The texts of the ten best entries that hold any of the words. */
  search(words: string): readonly string[];
}

export function databaseFile(folder: string): string {
  return join(folder, 'memories.sqlite');
}

/**
 * A table and its full-text index in WAL mode with `synchronous = NORMAL`: like Longhand's default, that
 * survives the end of the process but not a power cut. The index refers to the table's text (external
 * content), which writes the text once.
 */
export function openSqlite(folder: string): OpenSqlite {
  const database = new DatabaseSync(databaseFile(folder), { timeout: 30_000 });
  database.exec(`
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = NORMAL;
    CREATE TABLE IF NOT EXISTS memories (
      number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, session_id TEXT NOT NULL, timestamp TEXT NOT NULL,
      type TEXT NOT NULL, content TEXT NOT NULL, importance REAL NOT NULL, tags TEXT NOT NULL, text TEXT NOT NULL
    );
    CREATE VIRTUAL TABLE IF NOT EXISTS memory_text USING fts5(text, content = 'memories', content_rowid = 'number');
  `);
  const insert = database.prepare(
    `INSERT INTO memories (id, session_id, timestamp, type, content, importance, tags, text)
     VALUES (?, 'sess_bench', ?, ?, ?, ?, ?, ?)`,
  );
  const insertText = database.prepare('INSERT INTO memory_text (rowid, text) VALUES (?, ?)');
  // The best ten by number first, and only their texts: the fastest of the ways to ask.
  const selectBest = database.prepare(
    `SELECT text FROM (SELECT rowid AS best, rank FROM memory_text WHERE memory_text MATCH ? ORDER BY rank LIMIT 10)
     JOIN memories ON number = best ORDER BY rank`,
  );
  const begin = database.prepare('BEGIN IMMEDIATE');
  const commit = database.prepare('COMMIT');

  const insertEntry = (entry: NewMemory): void => {
    const text = textOf(entry);
    const { lastInsertRowid } = insert.run(
      randomUUID(),
      new Date().toISOString(),
      entry.type ?? 'finding',
      JSON.stringify(entry.content),
      entry.importance ?? 0.5,
      JSON.stringify(entry.tags),
      text,
    );
    insertText.run(lastInsertRowid, text);
  };
  const addMany = (entries: readonly NewMemory[]): void => {
    begin.run();
    for (const entry of entries) insertEntry(entry);
    commit.run();
  };
  return {
    name: SQLITE,
    add: (entry) => addMany([entry]),
    addMany,
    count: () => Number(database.prepare('SELECT count(*) AS count FROM memories').get()!.count),
    search: (words) => selectBest.all(words.split(' ').join(' OR ')).map(({ text }) => String(text)),
    close: () => database.close(),
  };
}
