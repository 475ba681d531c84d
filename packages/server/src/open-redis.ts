import { createClient } from '@redis/client';
import { InProcessWindows, type LayerOptions, systemClock } from 'longhand';
import {
  Announcements,
  Redis,
  type RedisClient,
  type RedisSubscriber,
  SharedRateLimits,
  SharedWindows,
} from 'longhand/redis';

/** What servers announce: whose data have changed, or that one of them asks another to release a session. */
interface News {
  readonly user?: string;
  readonly isWanted?: true;
}

type Client = RedisClient & RedisSubscriber & { destroy(): void };

/**
 * What the servers of one account share in Redis. All of it can be had without Redis, only later or by asking the database
 * more often: a server starts and serves while Redis is gone.
 */
export class OpenRedis {
  /** The address without its credentials. */
  readonly place: string;
  readonly windows: NonNullable<LayerOptions['windowStore']>;
  readonly limits: SharedRateLimits;
  readonly news: Announcements<News>;
  readonly #redis: Redis;
  readonly #end: () => void;

  /** @param waits for the connection, but not for long @param onChange told when Redis is gone, and why, and when it is back */
  static async open(
    url: string,
    accountId: string,
    onChange: (isThere: boolean, reason: string) => void,
    waits: boolean,
  ): Promise<OpenRedis> {
    let reason = 'no answer';
    const clients = [0, 1].map(() =>
      createClient({
        url,
        // Without a connection a command fails at once, and no old one is sent when there is one again.
        disableOfflineQueue: true,
        socket: { connectTimeout: CONNECT_MS, reconnectStrategy: RECONNECT_MS },
      }),
    );
    for (const client of clients)
      client
        .on('error', (error: Error & { code?: string }) => (reason = error.code ?? firstWord(error)))
        .unref();
    const connected = Promise.all(clients.map((client) => client.connect().catch(() => undefined)));
    if (waits) await Promise.race([connected, new Promise((resolve) => setTimeout(resolve, CONNECT_MS))]);
    const opened = new OpenRedis(url, accountId, clients, (isThere) => onChange(isThere, reason));
    // A wrong address is reported at the start, and not at the first request.
    if (waits) await opened.#redis.call('GET', opened.#redis.key('away'));
    return opened;
  }

  private constructor(
    url: string,
    accountId: string,
    clients: readonly Client[],
    onChange: (isThere: boolean) => void,
  ) {
    const { protocol, host, pathname } = new URL(url);
    this.place = `${protocol}//${host}${pathname}`;
    const [client, subscriber] = clients as [Client, Client];
    this.#redis = new Redis(client, accountId, { onChange });
    this.windows = new SharedWindows(this.#redis, new InProcessWindows(systemClock));
    this.limits = new SharedRateLimits(this.#redis);
    this.news = new Announcements(this.#redis, subscriber);
    this.#end = () => {
      for (const each of clients) each.destroy();
    };
  }

  get isThere(): boolean {
    return this.#redis.isThere;
  }

  close(): void {
    this.#redis.close();
    this.#end();
  }
}

const CONNECT_MS = 1_000;
const RECONNECT_MS = 500;

/** Of a refusal by Redis: `WRONGPASS`. The rest may quote what was sent. */
function firstWord({ message }: Error): string {
  return /^[A-Z]{2,}/.exec(message)?.[0] ?? 'it cannot be reached';
}
