/**
 * What is needed of a Redis driver: the shape of a client of `@redis/client`. The caller connects and closes it, so that
 * the library depends on no driver. It must not queue commands while it is not connected.
 */
export interface RedisClient {
  readonly isReady: boolean;
  sendCommand(args: readonly string[]): Promise<unknown>;
}

/** A second connection of the same driver: one that listens can do nothing else. */
export interface RedisSubscriber {
  readonly isReady: boolean;
  on(event: 'ready', listener: () => void): unknown;
  /** The same listener again changes nothing. */
  subscribe(channel: string, listener: (message: string) => void): Promise<unknown>;
}
