import { IOError } from '../../core/errors.ts';
import type { PostgresPool, PostgresQueries, Row } from './client.ts';
import { isLostConnection, isToBeRepeated, translated } from './failures.ts';
import { checkVersion } from './schema.ts';

/** Who asks: row-level security shows and takes what is theirs. */
export interface PostgresClaims {
  readonly account_id: string;
  /** The user; left out for a trusted server, which reaches all users of its account. */
  readonly sub?: string;
  readonly role: 'member' | 'admin' | 'service';
}

export type Ask = (name: string, args: readonly unknown[]) => Promise<Row[]>;
/** Of a call, after the claims; or what gives them, told whether an earlier try may have been carried out. */
type Args = readonly unknown[] | ((isAgain: boolean) => unknown[]);

const FIRST_PAUSE_MS = 25;
const LONGEST_PAUSE_MS = 1_000;

/**
 * Calls of the functions in `migrations/`: one statement, one trip, one transaction each, with the claims as the first
 * argument. When a connection is lost the call is made again, for some seconds: a function that changes something finds
 * out by itself whether the first try was carried out (`isAgain`).
 */
export class Calls {
  readonly #pool: PostgresPool;
  readonly #claims: string;
  readonly #reconnectMs: number;
  #greeting: Promise<void> | undefined;
  #isClosed = false;
  #underWay = 0;
  #whenIdle: (() => void) | undefined;

  constructor(pool: PostgresPool, claims: PostgresClaims, reconnectMs: number) {
    this.#pool = pool;
    this.#claims = JSON.stringify(claims);
    this.#reconnectMs = reconnectMs;
  }

  async rows(name: string, args: Args): Promise<Row[]> {
    return this.#guarded(async () => {
      await this.#greet();
      const deadline = Date.now() + this.#reconnectMs;
      let isAgain = false;
      for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
        try {
          return await this.#ask(this.#pool, name, typeof args === 'function' ? args(isAgain) : args);
        } catch (error) {
          const isLost = isLostConnection(error);
          if ((!isLost && !isToBeRepeated(error)) || Date.now() + pause > deadline) throw translated(error);
          isAgain ||= isLost;
        }
        await new Promise((resolve) => setTimeout(resolve, pause));
      }
    });
  }

  async value<Value>(name: string, args: Args): Promise<Value> {
    const [row] = await this.rows(name, args);
    return row?.[name] as Value;
  }

  /** Several calls in one transaction, which ends when `work` does. */
  async inTransaction<Result>(work: (ask: Ask, client: PostgresQueries) => Promise<Result>): Promise<Result> {
    return this.#guarded(async () => {
      const { client, release } = await this.#begin('BEGIN');
      try {
        const result = await work((name, args) => this.#ask(client, name, args), client);
        await client.query('COMMIT');
        await release(true);
        return result;
      } catch (error) {
        await release();
        throw translated(error);
      }
    });
  }

  /** The rows of a query, page by page, all as of one moment. Holds a connection until it ends. */
  async *streamed(query: string, atOnce: number): AsyncGenerator<Row> {
    const { client, release } = await this.#begin('BEGIN READ ONLY');
    try {
      await client.query('SELECT longhand.enter($1)', [this.#claims]);
      await client.query(`DECLARE pages NO SCROLL CURSOR FOR ${query}`);
      for (;;) {
        const { rows } = await client.query(`FETCH ${atOnce} FROM pages`);
        if (rows.length === 0) break;
        yield* rows;
      }
    } catch (error) {
      throw translated(error);
    } finally {
      await release();
    }
  }

  /** A transaction on a connection of its own; `release` undoes it, unless it is committed. */
  async #begin(
    statement: string,
  ): Promise<{ client: PostgresQueries; release: (isCommitted?: boolean) => Promise<void> }> {
    await this.#greet();
    try {
      const client = await this.#pool.connect();
      // The statement that is under way fails too, and tells.
      const ignore = (): void => undefined;
      client.on?.('error', ignore);
      const release = async (isCommitted = false): Promise<void> => {
        const undone = isCommitted ? Promise.resolve() : client.query('ROLLBACK');
        const isBroken = await undone.then(
          () => false,
          () => true,
        );
        client.off?.('error', ignore);
        client.release(isBroken);
      };
      await client.query(statement).catch(async (error: unknown) => {
        await release();
        throw error;
      });
      return { client, release };
    } catch (error) {
      throw translated(error);
    }
  }

  /** The claims, for statements that call no function. */
  get claims(): string {
    return this.#claims;
  }

  refuseWhenClosed(): void {
    if (this.#isClosed) throw new IOError('STORE_CLOSED', 'The store is closed.');
  }

  /** Takes no more calls, except those of work that has begun. */
  close(): void {
    this.#isClosed = true;
  }

  async whenIdle(): Promise<void> {
    if (this.#underWay > 0) await new Promise<void>((resolve) => (this.#whenIdle = resolve));
  }

  async #guarded<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#underWay++;
    try {
      return await work();
    } finally {
      if (--this.#underWay === 0) this.#whenIdle?.();
    }
  }

  async #ask(client: PostgresQueries, name: string, args: readonly unknown[]): Promise<Row[]> {
    const places = args.map((_, i) => `,$${i + 2}`).join('');
    const { rows } = await client.query(`SELECT * FROM longhand.${name}($1${places})`, [
      this.#claims,
      ...args,
    ]);
    return rows;
  }

  /** Once, before the first call: a wrong address or role is reported at once, in plain words. */
  #greet(): Promise<void> {
    this.#greeting ??= this.#ask(this.#pool, 'hello', []).then(
      ([row]) => {
        if (row?.is_unsafe !== false) {
          throw new IOError(
            'ACCESS_DENIED',
            `The store would serve as the role ${row?.role}, which owns the tables or bypasses row-level security, directly or as a member of another role. Use a login that is a member of longhand_app, and take other memberships away from that role.`,
          );
        }
        checkVersion(row.version);
      },
      (error: unknown) => {
        throw translated(error);
      },
    );
    this.#greeting.catch(() => (this.#greeting = undefined));
    return this.#greeting;
  }
}
