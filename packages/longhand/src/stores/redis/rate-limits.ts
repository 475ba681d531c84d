import { AWAY, type Redis } from './redis.ts';

/** A bucket that fills up evenly over a minute. Gives how long to wait, in milliseconds: 0 when there was room. */
const TAKE = `
local time = redis.call('TIME')
local now = math.floor(time[1] * 1000 + time[2] / 1000)
local size, tokens, at = tonumber(ARGV[1]), tonumber(ARGV[1]), now
local kept = redis.call('GET', KEYS[1])
if kept then
  local left, filled = string.match(kept, '^(%S+) (%S+)$')
  tokens, at = tonumber(left), tonumber(filled)
end
tokens = math.min(size, tokens + math.max(0, now - at) / 60000 * size)
local wait = 0
if tokens < 1 then wait = math.ceil((1 - tokens) / size * 60000) else tokens = tokens - 1 end
redis.call('SET', KEYS[1], tokens .. ' ' .. string.format('%d', now), 'PX', 60000)
return wait`;

/** How much callers have asked, of all servers together. */
export class SharedRateLimits {
  readonly #redis: Redis;

  constructor(redis: Redis) {
    this.#redis = redis;
  }

  /**
   * Takes one of the requests that a caller may make in a minute.
   * @param of which limit it is
   * @returns after how many milliseconds there is another one, 0 when this one was taken; `undefined` when Redis cannot tell
   */
  async take(of: string, caller: string, perMinute: number): Promise<number | undefined> {
    const wait = await this.#redis.call('EVAL', TAKE, '1', this.#redis.key(of, caller), String(perMinute));
    return wait === AWAY ? undefined : Number(wait);
  }
}
