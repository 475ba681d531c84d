import '../client/dom.ts';
import { type ReactNode, useEffect, useState } from 'react';
import type { StoreApi } from 'zustand';
import type { ArchiveState, ChatState } from '../client/index.ts';
import { useChat } from './use-chat-store.ts';

/** At the foot of the panel: whether all that was said is kept on the server. */
export function ArchiveFoot({ store }: { store: StoreApi<ChatState> }): ReactNode {
  const archive = useChat(store, (state) => state.archive);
  const now = useSeconds(archive.retryAt !== undefined);
  return (
    <footer
      className="lh-chat-foot"
      data-state={archive.failed.length > 0 ? 'failed' : archive.waiting > 0 ? 'waiting' : 'kept'}
    >
      <span role="status">{wordsOf(archive, now)}</span>
      {archive.failed.length > 0 && (
        <details>
          <summary>See why</summary>
          <ul>
            {archive.failed.map(({ id, text, reason }) => (
              <li key={id}>
                <q dir="auto">{text.slice(0, 80)}</q> {reason}
              </li>
            ))}
          </ul>
        </details>
      )}
      {(archive.failed.length > 0 || archive.retryAt !== undefined) && <Mending store={store} />}
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

function wordsOf({ waiting, failed, retryAt, reason, isPersistent }: ArchiveState, nowMs: number): string {
  const sentences: string[] = [];
  if (failed.length > 0) sentences.push(`${failed.length} could not be kept.`);
  if (waiting > 0 && retryAt !== undefined) {
    const seconds = Math.max(0, Math.ceil((retryAt - nowMs) / 1_000));
    sentences.push(`${reason ?? 'Not sent.'} ${waiting} waiting, next try in ${seconds} s.`);
  } else if (waiting > 0) sentences.push(`${waiting} waiting.`);
  if (sentences.length === 0) sentences.push('All kept.');
  if (!isPersistent && waiting > 0) sentences.push('This window keeps nothing: do not close it yet.');
  return sentences.join(' ');
}

/** The time now, second by second, as long as somebody counts. */
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
