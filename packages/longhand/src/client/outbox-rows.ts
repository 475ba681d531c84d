import './dom.ts';
/** A message that waits to be archived. */
export interface OutboxRow {
  /** In the order of writing, across all tabs. */
  readonly seq: number;
  readonly sessionId: string;
  readonly message: OutboxMessage;
  /** Why the server will not take it; it is then sent again only when a person asks. */
  readonly failed?: string;
}

export interface OutboxMessage {
  readonly id: string;
  readonly text: string;
  readonly sender: 'user' | 'ai';
  /** ISO 8601. */
  readonly timestamp: string;
}

/** Where rows are kept until the server has them. */
export interface OutboxRows {
  /** False where the browser keeps nothing, in some private windows: rows then end with the page. */
  readonly isPersistent: boolean;
  /** Ends when the row is on the disk. */
  add(sessionId: string, message: OutboxMessage): Promise<void>;
  /** All of them, oldest first. */
  list(): Promise<readonly OutboxRow[]>;
  remove(seqs: readonly number[]): Promise<void>;
  fail(seq: number, reason: string | undefined): Promise<void>;
  close(): void;
}

const TABLE = 'messages';

/**
 * Rows in IndexedDB, one database for each scope (server and user), so that no page sends what another user wrote.
 * @param onBlocked called when a page with an older or newer version holds the database
 */
export async function openRows(scope: string, onBlocked: (why: string) => void): Promise<OutboxRows> {
  try {
    return new DatabaseRows(await openDatabase(`longhand-outbox ${scope}`, onBlocked));
  } catch {
    return new MemoryRows();
  }
}

function openDatabase(name: string, onBlocked: (why: string) => void): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open(name, 1);
    opening.onupgradeneeded = () =>
      opening.result.createObjectStore(TABLE, { keyPath: 'seq', autoIncrement: true });
    opening.onblocked = () => onBlocked('Another tab holds an older version of the outbox. Close it.');
    opening.onerror = () => reject(opening.error);
    opening.onsuccess = () => {
      const database = opening.result;
      // An old page must not keep a newer one from its database.
      database.onversionchange = () => {
        database.close();
        onBlocked('A newer version of this app is open in another tab. Reload this one.');
      };
      resolve(database);
    };
  });
}

class DatabaseRows implements OutboxRows {
  readonly isPersistent = true;
  readonly #database: IDBDatabase;

  constructor(database: IDBDatabase) {
    this.#database = database;
  }

  add(sessionId: string, message: OutboxMessage): Promise<void> {
    return this.#write((table) => table.add({ sessionId, message }));
  }

  list(): Promise<readonly OutboxRow[]> {
    return new Promise((resolve, reject) => {
      const asked = this.#database.transaction(TABLE).objectStore(TABLE).getAll();
      asked.onsuccess = () => resolve(asked.result as OutboxRow[]);
      asked.onerror = () => reject(asked.error);
    });
  }

  remove(seqs: readonly number[]): Promise<void> {
    return this.#write((table) => {
      for (const seq of seqs) table.delete(seq);
    });
  }

  fail(seq: number, reason: string | undefined): Promise<void> {
    return this.#write((table) => {
      const asked = table.get(seq);
      asked.onsuccess = () => {
        if (asked.result === undefined) return;
        const { failed: _, ...row } = asked.result as OutboxRow;
        table.put(reason === undefined ? row : { ...row, failed: reason });
      };
    });
  }

  close(): void {
    this.#database.close();
  }

  #write(work: (table: IDBObjectStore) => void): Promise<void> {
    return new Promise((resolve, reject) => {
      // `strict`: what was acknowledged is meant to survive a power cut too.
      const writing = this.#database.transaction(TABLE, 'readwrite', { durability: 'strict' });
      writing.oncomplete = () => resolve();
      writing.onabort = () => reject(writing.error);
      writing.onerror = () => reject(writing.error);
      work(writing.objectStore(TABLE));
    });
  }
}

class MemoryRows implements OutboxRows {
  readonly isPersistent = false;
  #rows: OutboxRow[] = [];
  #last = 0;

  async add(sessionId: string, message: OutboxMessage): Promise<void> {
    this.#rows.push({ seq: ++this.#last, sessionId, message });
  }

  async list(): Promise<readonly OutboxRow[]> {
    return [...this.#rows];
  }

  async remove(seqs: readonly number[]): Promise<void> {
    this.#rows = this.#rows.filter(({ seq }) => !seqs.includes(seq));
  }

  async fail(seq: number, reason: string | undefined): Promise<void> {
    this.#rows = this.#rows.map(({ failed: _, ...row }) =>
      row.seq === seq && reason !== undefined ? { ...row, failed: reason } : row,
    );
  }

  close(): void {
    this.#rows = [];
  }
}
