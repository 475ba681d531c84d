import '../client/dom.ts';
import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
import type { StoreApi } from 'zustand';
import type { ChatState, Detail } from '../client/index.ts';

/** What stands behind a placeholder, in a dialog over the page. */
export function DetailViewer(props: {
  store: StoreApi<ChatState>;
  memoryKey: string;
  onClose: () => void;
}): ReactNode {
  const { store, memoryKey, onClose } = props;
  const dialog = useRef<HTMLDialogElement>(null);
  const headingId = useId();
  const [page, setPage] = useState(1);
  const [detail, setDetail] = useState<Detail>();
  const [failure, setFailure] = useState('');
  useEffect(() => dialog.current?.showModal(), []);
  useEffect(() => {
    let isCurrent = true;
    setFailure('');
    store
      .getState()
      .readDetail(memoryKey, page)
      .then(
        (found) => isCurrent && setDetail(found),
        (error: Error) => isCurrent && setFailure(error.message),
      );
    return () => {
      isCurrent = false;
    };
  }, [store, memoryKey, page]);
  const { title = memoryKey, content = '', pages = 1 } = detail ?? {};
  return (
    <dialog ref={dialog} className="lh-chat-detail" aria-labelledby={headingId} onClose={onClose}>
      <header className="lh-chat-head">
        <h2 id={headingId} dir="auto">
          {title}
        </h2>
        <button type="button" aria-label="Close" onClick={() => dialog.current?.close()}>
          ×
        </button>
      </header>
      {failure !== '' && (
        <p className="lh-chat-error" role="alert">
          {failure}
        </p>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard */}
      <pre dir="auto" tabIndex={0} aria-busy={detail === undefined && failure === ''}>
        {content}
      </pre>
      {pages > 1 && (
        <footer className="lh-chat-pages">
          <button type="button" disabled={page === 1} onClick={() => setPage(page - 1)}>
            Previous
          </button>
          <span role="status">
            Page {page} of {pages}
          </span>
          <button type="button" disabled={page === pages} onClick={() => setPage(page + 1)}>
            Next
          </button>
        </footer>
      )}
    </dialog>
  );
}
