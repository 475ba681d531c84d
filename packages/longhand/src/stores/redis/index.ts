export { Announcements } from './announcements.ts';
export type { RedisClient, RedisSubscriber } from './client.ts';
export { SharedRateLimits } from './rate-limits.ts';
export { Redis, type RedisOptions } from './redis.ts';
export { SharedWindows } from './shared-windows.ts';
