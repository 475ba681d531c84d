import '../client/dom.ts';
import { type ReactNode, useEffect, useState } from 'react';
import type { StoreApi } from 'zustand';
import type { ArchiveState, ChatState } from '../client/index.ts';
import { useChat } from './use-chat-store.ts';

/** At the foot of the panel: whether all that was said is kept on the server. */
export function ArchiveFoot({ store }: { store: StoreApi<ChatState> }): ReactNode {
  const archive = useChat(store, (state) => state.archive);
  const { waiting, failed, retryAt, reason, isPersistent } = archive;
  const now = useSeconds(retryAt !== undefined);
  const isLost = !isPersistent && waiting > 0;
  const state = failed.length > 0 || isLost ? 'failed' : retryAt !== undefined ? 'late' : 'kept';
  return (
    <footer className="lh-chat-foot" data-state={state}>
      <span>
        <span role="status">{wordsOf(archive)}</span>
        {/* Hidden from screen readers, which would read it out every second. */}
        {retryAt !== undefined && waiting > 0 && (
          <span aria-hidden="true">, next try in {Math.max(0, Math.ceil((retryAt - now) / 1_000))} s</span>
        )}
        {isLost && <span role="alert">. This window keeps nothing: do not close it yet.</span>}
        {!isPersistent && waiting === 0 && reason === undefined && (
          <span>. This window keeps nothing: each message is sent at once.</span>
        )}
      </span>
      {failed.length > 0 && (
        <details>
          <summary>See why</summary>
          <ul>
            {failed.map(({ id, text, reason }) => (
              <li key={id}>
                <q dir="auto">{text.slice(0, 80)}</q> {reason}{' '}
                <button type="button" onClick={() => void store.getState().discard(id)}>
                  Remove
                </button>
              </li>
            ))}
          </ul>
        </details>
      )}
      {(failed.length > 0 || retryAt !== undefined) && <Mending store={store} />}
    </footer>
  );
}

/** What could not be kept: shown even when the panel is closed, until a person has seen it. */
export function ArchiveNotice({ store }: { store: StoreApi<ChatState> }): ReactNode {
  const notice = useChat(store, (state) => state.notice);
  if (notice === undefined) return null;
  const { messageIds, reason } = notice;
  return (
    <div className="lh-chat-notice" role="alert">
      <span>
        {messageIds.length === 1 ? 'A message' : `${messageIds.length} messages`} could not be kept: {reason}
      </span>
      <Mending store={store} />
      <button type="button" aria-label="Dismiss" onClick={() => store.getState().dismissNotice()}>
        ×
      </button>
    </div>
  );
}

function Mending({ store }: { store: StoreApi<ChatState> }): ReactNode {
  const download = async (): Promise<void> => {
    const text = await store.getState().downloadArchive();
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
    link.download = 'messages.json';
    link.click();
    URL.revokeObjectURL(link.href);
  };
  return (
    <>
      <button type="button" onClick={() => void store.getState().retryArchive()}>
        Retry
      </button>
      <button type="button" onClick={() => void download()}>
        Download
      </button>
    </>
  );
}

function wordsOf({ waiting, failed, retryAt, reason }: ArchiveState): string {
  const parts = failed.length > 0 ? [`${failed.length} could not be kept`] : [];
  // Why it waits is of interest as long as it waits for something.
  if (waiting > 0 && reason !== undefined && retryAt !== undefined) parts.push(reason.replace(/\.$/, ''));
  if (waiting > 0) parts.push(`${waiting} waiting`);
  return parts.length === 0 ? (reason ?? 'All kept') : parts.join(', ');
}

/** The time now, second by second, while a countdown is shown. */
function useSeconds(isCounting: boolean): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!isCounting) return undefined;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, [isCounting]);
  return now;
}
