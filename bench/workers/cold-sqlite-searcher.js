import { DatabaseSync } from 'node:sqlite';

/** The same with SQLite and FTS5: see contenders/sqlite.ts for the query. */
const [file, text] = process.argv.slice(2);
const database = new DatabaseSync(file);
const found = database
  .prepare(
    `SELECT text FROM (SELECT rowid AS best, rank FROM memory_text WHERE memory_text MATCH ? ORDER BY rank LIMIT 10)
     JOIN memories ON number = best ORDER BY rank`,
  )
  .all(text.split(' ').join(' OR '));
process.stdout.write(`found ${found.map((row) => row.text).join('\n')}\n`);
database.close();
