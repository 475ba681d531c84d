import type { StoreConfig } from '../core/config.ts';
import type { LayerContext } from './layer-context.ts';

/** Whether anything is kept for a time only. */
export function hasExpiry({ transcript, details }: StoreConfig): boolean {
  return transcript.retain_days > 0 || details.expire_after_days > 0;
}

/** Whether `Retention` may have something to take away of a session: listing values removes drafts of writers that died. */
export async function mayHaveExpired({ store, config }: LayerContext, sessionId: string): Promise<boolean> {
  const values = await store.list('blob', sessionId);
  return values.length > 0 || hasExpiry(config);
}
