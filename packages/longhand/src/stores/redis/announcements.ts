import { randomName } from '../../core/ids.ts';
import type { RedisSubscriber } from './client.ts';
import type { Redis } from './redis.ts';

/**
 * How servers tell each other that there is something new. An announcement may be lost: it says when to look, and a
 * listener that hears none looks all the same, only later.
 */
export class Announcements<News> {
  readonly #redis: Redis;
  readonly #subscriber: RedisSubscriber;
  readonly #self = randomName();
  readonly #listeners = new Set<(news: News) => void>();

  constructor(redis: Redis, subscriber: RedisSubscriber) {
    this.#redis = redis;
    this.#subscriber = subscriber;
    const hear = (text: string): void => this.#hear(text);
    const subscribe = () => subscriber.subscribe(redis.key('news'), hear).catch(() => undefined);
    subscriber.on('ready', subscribe);
    if (subscriber.isReady) void subscribe();
  }

  /** Whether what others announce is heard, as far as this process knows. */
  get areHeard(): boolean {
    return this.#redis.isThere && this.#subscriber.isReady;
  }

  /** Returns at once. This process does not hear it. */
  announce(news: News): void {
    void this.#redis.call('PUBLISH', this.#redis.key('news'), JSON.stringify([this.#self, news]));
  }

  /** @returns what ends it */
  listen(listener: (news: News) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #hear(text: string): void {
    const [from, news] = JSON.parse(text) as [string, News];
    if (from !== this.#self) for (const listener of this.#listeners) listener(news);
  }
}
