import '../client/dom.ts';
import {
  type FormEvent,
  type KeyboardEvent,
  type ReactNode,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react';
import type { StoreApi } from 'zustand';
import type { ChatMessage, ChatState, RememberedPiece, ToolCall } from '../client/index.ts';
import { ArchiveFoot, ArchiveNotice } from './archive-state.tsx';
import { DetailViewer } from './detail-viewer.tsx';
import { StoredText } from './stored-text.tsx';
import { useChat } from './use-chat-store.ts';

export interface ChatPanelProps {
  readonly store: StoreApi<ChatState>;
  /** The heading. */
  readonly title?: string;
  /** Shown while nothing has been said. */
  readonly empty?: ReactNode;
  /** Called with the key of a placeholder that was chosen; when left out, the panel shows what stands behind it. */
  readonly onOpenDetail?: (key: string) => void;
  /** Called when an answer is chosen, to show why its prompt looked as it did. */
  readonly onSelect?: (message: ChatMessage) => void;
  readonly selectedId?: string | undefined;
  /** Whether it can be closed; its notice is then shown even while it is. Default true. */
  readonly isClosable?: boolean;
}

/**
 * A chat for any page. Stored text is shown as text and never as HTML. It brings no styles: import
 * `longhand/react/chat-panel.css`, or style the classes yourself.
 */
export function ChatPanel(props: ChatPanelProps): ReactNode {
  const { store, title = 'Chat', isClosable = true } = props;
  const isOpen = useChat(store, (state) => state.isOpen) || !isClosable;
  const headingId = useId();
  const [openKey, setOpenKey] = useState<string>();
  const frame = useRef<HTMLDivElement>(null);
  const wasOpen = useRef(isOpen);
  useEffect(() => {
    // A person who opens it goes on to write; one who closes it stays where they were.
    if (wasOpen.current !== isOpen)
      frame.current?.querySelector<HTMLElement>(isOpen ? 'textarea' : '.lh-chat-open')?.focus();
    wasOpen.current = isOpen;
  }, [isOpen]);
  return (
    <div className="lh-chat-frame" ref={frame}>
      <ArchiveNotice store={store} />
      {isOpen ? (
        <section className="lh-chat" aria-labelledby={headingId}>
          <header className="lh-chat-head">
            <h2 id={headingId}>{title}</h2>
            <button type="button" onClick={() => store.getState().newSession()}>
              New conversation
            </button>
            {isClosable && (
              <button
                type="button"
                aria-label="Close the chat"
                onClick={() => store.getState().toggleChatPanel(false)}
              >
                ×
              </button>
            )}
          </header>
          <Messages {...props} onOpenDetail={props.onOpenDetail ?? setOpenKey} />
          <Composer store={store} />
          <ArchiveFoot store={store} />
        </section>
      ) : (
        <button type="button" className="lh-chat-open" onClick={() => store.getState().toggleChatPanel(true)}>
          {title}
        </button>
      )}
      {openKey !== undefined && (
        <DetailViewer store={store} memoryKey={openKey} onClose={() => setOpenKey(undefined)} />
      )}
    </div>
  );
}

function Messages(props: ChatPanelProps & { onOpenDetail: (key: string) => void }): ReactNode {
  const { store, empty, onOpenDetail, onSelect, selectedId } = props;
  const messages = useChat(store, (state) => state.messages);
  const isAnswering = useChat(store, (state) => state.isAnswering);
  const error = useChat(store, (state) => state.error);
  const isRestoring = useChat(store, (state) => state.isRestoring);
  const list = useRef<HTMLOListElement>(null);
  // A reader who has scrolled up stays where they are, until they say something themselves.
  const isFollowing = useRef(true);
  const last = messages.at(-1);
  const isOwn = last?.sender === 'user';
  const isEmpty = messages.length === 0 && error === undefined;
  useEffect(() => {
    const { current } = list;
    const follow = (): void => {
      if (current !== null && (isFollowing.current || isOwn)) current.scrollTop = current.scrollHeight;
    };
    if (messages.length > 0) follow();
    if (current === null) return undefined;
    // What is below the messages takes their room when it has something to say.
    const observer = new ResizeObserver(follow);
    observer.observe(current);
    return () => observer.disconnect();
  }, [messages, isOwn]);
  if (isEmpty)
    return (
      <div className="lh-chat-empty">
        {isRestoring ? 'Reading the conversation …' : (empty ?? 'Nothing has been said yet.')}
      </div>
    );
  return (
    <ol
      className="lh-chat-messages"
      ref={list}
      onScroll={({ currentTarget }) => {
        isFollowing.current = isNearEnd(currentTarget);
      }}
      aria-live="polite"
      aria-busy={isAnswering}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
      tabIndex={0}
      aria-label="Messages"
    >
      {messages.map((message) => (
        <li
          key={message.id}
          className="lh-chat-message"
          data-sender={message.sender}
          data-selected={message.id === selectedId}
        >
          <MessageHead message={message} {...(onSelect === undefined ? {} : { onSelect })} />
          <Tools tools={message.tools ?? []} />
          <div className="lh-chat-text" dir="auto">
            <StoredText text={message.text} onOpenDetail={onOpenDetail} />
            {message.isPartial && <span className="lh-chat-caret" aria-hidden="true" />}
            {message.isBroken && <em className="lh-chat-broken"> (not finished)</em>}
          </div>
          <Remembered store={store} message={message} />
        </li>
      ))}
      {isAnswering && isOwn && <li className="lh-chat-pending">Answering …</li>}
      {isOwn && !isAnswering && !isRestoring && error === undefined && (
        <li className="lh-chat-pending">
          There is no answer to this.{' '}
          <button type="button" onClick={() => void store.getState().tryAgain()}>
            Ask again
          </button>
        </li>
      )}
      {error !== undefined && (
        <li className="lh-chat-error" role="alert">
          {error.message}{' '}
          {error.isRetryable && (
            <button type="button" onClick={() => void store.getState().tryAgain()}>
              Try again
            </button>
          )}
        </li>
      )}
    </ol>
  );
}

function isNearEnd({ scrollHeight, scrollTop, clientHeight }: HTMLElement): boolean {
  return scrollHeight - scrollTop - clientHeight < 160;
}

function MessageHead(props: Pick<ChatPanelProps, 'onSelect'> & { message: ChatMessage }): ReactNode {
  const { message, onSelect } = props;
  const { sender, agentId, timestamp, isPartial } = message;
  return (
    <div className="lh-chat-who">
      <span>
        {sender === 'user' ? 'You' : agentId === undefined || agentId === 'default' ? 'Assistant' : agentId}
      </span>
      <time dateTime={timestamp.toISOString()} title={timestamp.toLocaleString()}>
        {momentOf(timestamp)}
      </time>
      {onSelect !== undefined && sender === 'ai' && !isPartial && (
        <button type="button" className="lh-chat-why" onClick={() => onSelect(message)}>
          Why this answer?
        </button>
      )}
    </div>
  );
}

/** The day too, when it was another one. */
function momentOf(time: Date): string {
  const isToday = time.toDateString() === new Date().toDateString();
  return time.toLocaleString([], { ...(isToday ? {} : { dateStyle: 'medium' }), timeStyle: 'short' });
}

function Tools({ tools }: { tools: readonly ToolCall[] }): ReactNode {
  if (tools.length === 0) return null;
  return (
    <details className="lh-chat-tools">
      <summary>{tools.length === 1 ? `Used ${tools[0]!.name}` : `Used ${tools.length} tools`}</summary>
      {tools.map((tool, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: calls have no ids, and never change places
        <div key={i} className="lh-chat-tool" data-failed={tool.error !== undefined}>
          <code>{tool.name}</code>{' '}
          {tool.durationMs !== undefined && <span>{durationOf(tool.durationMs)}</span>}
          <pre>{JSON.stringify(tool.input, null, 2)}</pre>
          <pre>{tool.error ?? tool.output}</pre>
        </div>
      ))}
    </details>
  );
}

function durationOf(ms: number): string {
  return ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(1)} s`;
}

const CHANGES: Readonly<Record<RememberedPiece['change'], string>> = {
  remembered: 'Remembered',
  known: 'Known already',
  noted: 'Changed the notes',
  changed: 'Changed',
  forgotten: 'Forgotten',
};

/** What became of a piece, in words. */
export function describeChange({ change, isUndone }: RememberedPiece): string {
  return isUndone ? 'Taken back' : CHANGES[change];
}

function Remembered({ store, message }: { store: StoreApi<ChatState>; message: ChatMessage }): ReactNode {
  const [failure, setFailure] = useState('');
  if (message.remembered === undefined) return null;
  const undo = (key: string): void => {
    const undone = store.getState().undo(message.id, key);
    void undone.then(
      () => setFailure(''),
      (error: Error) => setFailure(`This was not taken back: ${error.message}`),
    );
  };
  return (
    <ul className="lh-chat-remembered" aria-label="Changed in the memory on the way to this answer">
      {message.remembered.map((piece, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a memory can be changed twice, and the changes never change places
        <li key={i}>
          <span className="lh-chat-kept">{describeChange(piece)}</span> <span dir="auto">{piece.text}</span>{' '}
          {piece.undo !== undefined && !piece.isUndone && (
            <button type="button" onClick={() => undo(piece.key)}>
              Undo
            </button>
          )}
        </li>
      ))}
      {failure !== '' && <li role="alert">{failure}</li>}
    </ul>
  );
}

function Composer({ store }: { store: StoreApi<ChatState> }): ReactNode {
  const isAnswering = useChat(store, (state) => state.isAnswering);
  const [text, setText] = useState('');
  const hintId = useId();
  const send = (event: FormEvent | KeyboardEvent): void => {
    event.preventDefault();
    if (text.trim() === '' || isAnswering) return;
    setText('');
    void store.getState().send(text);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    // Enter also ends the choice of a word in an input method, which is not sending.
    if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing) send(event);
  };
  return (
    <form className="lh-chat-composer" onSubmit={send}>
      <textarea
        value={text}
        rows={2}
        dir="auto"
        aria-label="Message"
        aria-describedby={hintId}
        placeholder="Write a message"
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <span id={hintId} hidden>
        Enter sends, Shift and Enter begins a new line.
      </span>
      {isAnswering ? (
        <button type="button" className="lh-chat-stop" onClick={() => store.getState().stop()}>
          Stop
        </button>
      ) : (
        <button type="submit" disabled={text.trim() === ''}>
          Send
        </button>
      )}
    </form>
  );
}
