import { useEffect, useState } from 'react';
import { useStore } from 'zustand';
import { refreshShown } from './hooks.ts';
import { api, session } from './session.ts';

const AT_MOST_EVERY_MS = 2_000;

/** Asks again for what is shown when others have changed something. */
export function useLiveUpdates(): void {
  const state = useStore(session, (now) => now.state);
  const scope = useStore(session, (now) => now.scope);
  const shown = useTimesShown();
  useEffect(() => {
    if (state !== 'in' || shown === 0) return;
    const ending = new AbortController();
    // At once: the browser may keep a page that is left, with its connection.
    const leave = (): void => ending.abort();
    window.addEventListener('pagehide', leave);
    let [timer, refreshedAt] = [0, 0];
    const refresh = (): void => {
      clearTimeout(timer);
      const waitMs = Math.max(0, refreshedAt + AT_MOST_EVERY_MS - Date.now());
      timer = window.setTimeout(() => {
        refreshedAt = Date.now();
        refreshShown();
      }, waitMs);
    };
    // What it showed before it was hidden may have changed.
    if (shown > 1) refresh();
    void (async () => {
      let isFirst = true;
      for await (const { event } of api().events(undefined, { signal: ending.signal })) {
        // The first `ready` says that nothing was missed; a later one, that the connection was lost for a while.
        if (event !== 'ready' || !isFirst) refresh();
        isFirst = false;
      }
    })().catch(() => undefined);
    return () => {
      ending.abort();
      clearTimeout(timer);
      window.removeEventListener('pagehide', leave);
    };
  }, [state, scope, shown]);
}

/**
 * 0 while the page is hidden, another number each time that it is shown. A hidden page follows nothing: a browser has six
 * connections to a server for all its tabs, and each stream takes one. What it shows is asked again when it is shown.
 */
function useTimesShown(): number {
  const [shown, setShown] = useState(document.hidden ? 0 : 1);
  useEffect(() => {
    let times = 1;
    const look = (): void => setShown(document.hidden ? 0 : ++times);
    const onPageShow = ({ persisted }: PageTransitionEvent): void => (persisted ? look() : undefined);
    document.addEventListener('visibilitychange', look);
    window.addEventListener('pageshow', onPageShow);
    return () => {
      document.removeEventListener('visibilitychange', look);
      window.removeEventListener('pageshow', onPageShow);
    };
  }, []);
  return shown;
}
