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
  /** False while a row ends with the page: where the browser keeps nothing, as in some private windows, or no more. */
  readonly isPersistent: boolean;
  /** Why there is no database, or no more, and what a person can do. */
  readonly trouble?: string | undefined;
  /** Ends when the row is kept. */
  add(sessionId: string, message: OutboxMessage): Promise<OutboxRow>;
  /** All of them, oldest first. */
  list(): Promise<readonly OutboxRow[]>;
  remove(seqs: readonly number[]): Promise<void>;
  fail(seq: number, reason: string | undefined): Promise<void>;
  /**
   * The session that all tabs go on in. It is kept here because the browser writes its `localStorage` some seconds late.
   * @param wanted becomes it when there is none, or when it is to be another
   */
  session(wanted: string, isAnother: boolean): Promise<string>;
  close(): void;
}

const TABLE = 'messages';
/** Where the session stands, before all messages. */
const SESSION = 0;
/** Rows that the database did not take count from here. */
const FIRST_IN_MEMORY = 2 ** 52;

/**
 * Rows in IndexedDB, one database for each scope (server and user), so that no page sends what another user wrote.
 * @param onTrouble called when the database is taken away
 */
export async function openRows(scope: string, onTrouble: () => void): Promise<OutboxRows> {
  try {
    return new DatabaseRows(await openDatabase(`longhand-outbox ${scope}`), onTrouble);
  } catch (error) {
    return new MemoryRows(error === BLOCKED ? BLOCKED : undefined);
  }
}

const BLOCKED = 'Another tab holds what this app keeps. Close its other tabs, then reload this one.';
/** Behind another tab that deletes the database, a request waits without any event. */
const LONGEST_OPENING_MS = 10_000;

/** @throws BLOCKED while another tab keeps this one from it */
function openDatabase(name: string): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open(name, 1);
    opening.onupgradeneeded = () =>
      opening.result.createObjectStore(TABLE, { keyPath: 'seq', autoIncrement: true });
    opening.onerror = () => reject(opening.error);
    const giveUp = (): void => {
      // It must not keep other tabs from it in its turn.
      opening.onsuccess = () => opening.result.close();
      reject(BLOCKED);
    };
    const timer = setTimeout(giveUp, LONGEST_OPENING_MS);
    opening.onblocked = giveUp;
    opening.onsuccess = () => {
      clearTimeout(timer);
      resolve(opening.result);
    };
  });
}

class DatabaseRows implements OutboxRows {
  readonly #database: IDBDatabase;
  /** What the database did not take: the disk is full, or it was taken away. */
  readonly #rest = new MemoryRows();
  trouble: string | undefined;

  constructor(database: IDBDatabase, onTrouble: () => void) {
    this.#database = database;
    const lose = (why: string) => () => {
      database.close();
      this.trouble = why;
      onTrouble();
    };
    // An old page must not keep a newer one from its database.
    database.onversionchange = lose('A newer version of this app is open in another tab. Reload this one.');
    database.onclose = lose('The browser has cleared what this app keeps. Reload this page.');
  }

  get isPersistent(): boolean {
    return this.#rest.isEmpty && this.trouble === undefined;
  }

  async add(sessionId: string, message: OutboxMessage): Promise<OutboxRow> {
    try {
      const added = await this.#write((table) => table.add({ sessionId, message }));
      return { seq: Number(added.result), sessionId, message };
    } catch {
      return this.#rest.add(sessionId, message);
    }
  }

  async list(): Promise<readonly OutboxRow[]> {
    const rest = await this.#rest.list();
    if (this.trouble !== undefined) return rest;
    const kept = new Promise<OutboxRow[]>((resolve, reject) => {
      const asked = this.#database
        .transaction(TABLE)
        .objectStore(TABLE)
        .getAll(IDBKeyRange.lowerBound(SESSION, true));
      asked.onsuccess = () => resolve(asked.result as OutboxRow[]);
      asked.onerror = () => reject(asked.error);
    });
    return [...(await kept), ...rest];
  }

  async remove(seqs: readonly number[]): Promise<void> {
    await this.#rest.remove(seqs);
    const own = seqs.filter((seq) => seq < FIRST_IN_MEMORY);
    if (own.length > 0)
      await this.#write((table) => {
        for (const seq of own) table.delete(seq);
      });
  }

  async fail(seq: number, reason: string | undefined): Promise<void> {
    if (seq >= FIRST_IN_MEMORY) return this.#rest.fail(seq, reason);
    await this.#write((table) => {
      const asked = table.get(seq);
      asked.onsuccess = () => {
        if (asked.result === undefined) return;
        const { failed: _, ...row } = asked.result as OutboxRow;
        table.put(reason === undefined ? row : { ...row, failed: reason });
      };
    });
  }

  async session(wanted: string, isAnother: boolean): Promise<string> {
    let session = wanted;
    const work = this.#write((table) => {
      const asked = table.get(SESSION);
      asked.onsuccess = () => {
        const kept = asked.result as { readonly session: string } | undefined;
        if (kept !== undefined && !isAnother) session = kept.session;
        else table.put({ seq: SESSION, session });
      };
    });
    // On a full disk it lasts as long as the page.
    await work.catch(() => undefined);
    return session;
  }

  close(): void {
    this.#database.close();
  }

  #write<Result>(work: (table: IDBObjectStore) => Result): Promise<Result> {
    return new Promise((resolve, reject) => {
      // `strict`: what was acknowledged is meant to survive a power cut too.
      const writing = this.#database.transaction(TABLE, 'readwrite', { durability: 'strict' });
      writing.onabort = () => reject(writing.error);
      writing.onerror = () => reject(writing.error);
      const result = work(writing.objectStore(TABLE));
      writing.oncomplete = () => resolve(result);
    });
  }
}

class MemoryRows implements OutboxRows {
  readonly isPersistent = false;
  readonly trouble: string | undefined;
  #rows: OutboxRow[] = [];
  #last = FIRST_IN_MEMORY;

  constructor(trouble?: string) {
    this.trouble = trouble;
  }

  get isEmpty(): boolean {
    return this.#rows.length === 0;
  }

  async add(sessionId: string, message: OutboxMessage): Promise<OutboxRow> {
    const row = { seq: this.#last++, sessionId, message };
    this.#rows.push(row);
    return row;
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

  async session(wanted: string): Promise<string> {
    return wanted;
  }

  close(): void {
    this.#rows = [];
  }
}
