import { useInfiniteQuery } from '@tanstack/react-query';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import type { OutputOf } from 'longhand/client';
import { Fragment, memo, type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import { addressOf } from '../../api/address.ts';
import { useCall } from '../../api/hooks.ts';
import { scopeKey } from '../../api/session.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorBox } from '../../parts/error-box.tsx';
import { counted } from '../../parts/numbers.ts';
import { RowsLoading } from '../../parts/page-loading.tsx';
import { exactTime, minuteOf } from '../../parts/times.tsx';

type Message = OutputOf<'listChatMessages'>['messages'][number];

const MESSAGES_A_TIME = 500;

export interface TranscriptProps {
  readonly sessionId: string;
  /** So many of the first messages are covered by the summary. */
  readonly summarized: number;
}

/** Everything that was said, of which only the messages in sight are in the page. */
export function Transcript({ sessionId, summarized }: TranscriptProps): ReactNode {
  const call = useCall();
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: ['listChatMessages', sessionId, scopeKey(), 'pages'],
    queryFn: ({ pageParam, signal }) => {
      const after = pageParam === undefined ? {} : { after: pageParam };
      return call(
        'listChatMessages',
        { session_id: sessionId, limit: MESSAGES_A_TIME, ...after },
        { signal },
      );
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ messages, has_more }) => (has_more ? messages.at(-1)?.id : undefined),
  });
  // All of it is read, so that the newest can be gone to.
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);
  const messages = data?.pages.flatMap((page) => page.messages);
  const list = useRef<HTMLOListElement>(null);
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    const measured = list.current === null ? 0 : list.current.getBoundingClientRect().top + scrollY;
    if (Math.abs(measured - top) > 1) setTop(measured);
  });
  const rows = useWindowVirtualizer({
    count: messages?.length ?? 0,
    estimateSize: () => 96,
    overscan: 8,
    scrollMargin: top,
    getItemKey: (index) => messages![index]!.id,
  });
  if (error !== null && messages === undefined)
    return <ErrorBox error={error} what="The transcript could not be read" onRetry={refetch} />;
  if (messages === undefined) return <RowsLoading />;
  if (messages.length === 0) return <EmptyState text="Nothing was said here yet." />;
  return (
    <>
      <div className="spread transcript-head">
        <p className="hint">{counted(messages.length, 'message')}</p>
        {messages.length > 20 && (
          <button
            type="button"
            className="link-button"
            onClick={() => rows.scrollToIndex(messages.length - 1, { align: 'end' })}
          >
            To the newest
          </button>
        )}
      </div>
      <ol ref={list} className="transcript" style={{ blockSize: rows.getTotalSize() }}>
        {rows.getVirtualItems().map(({ index, key, start }) => (
          <li
            key={key}
            ref={rows.measureElement}
            data-index={index}
            aria-posinset={index + 1}
            aria-setsize={messages.length}
            style={{ transform: `translateY(${start - top}px)` }}
          >
            <Said message={messages[index]!} isSummarized={index < summarized} isFirst={index === 0} />
          </li>
        ))}
      </ol>
    </>
  );
}

interface SaidProps {
  readonly message: Message;
  readonly isSummarized: boolean;
  readonly isFirst: boolean;
}

const Said = memo(function Said({ message, isSummarized, isFirst }: SaidProps): ReactNode {
  const { role, name, content, timestamp } = message;
  return (
    <article className={`said is-${role}${isSummarized ? ' is-summarized' : ''}`}>
      <p className="said-by">
        <b dir="auto">{name ?? (role === 'user' ? 'user' : 'agent')}</b>
        <time dateTime={timestamp} title={exactTime(timestamp)}>
          {minuteOf(timestamp)}
        </time>
        {isSummarized && isFirst && <span className="in-summary">in the summary</span>}
      </p>
      <p className="text" dir="auto">
        {withDetails(content)}
      </p>
    </article>
  );
});

/** A text with its placeholders as links to what they stand for. */
function withDetails(text: string): ReactNode {
  const parts = text.split(/(\[MemoryRef: [^\]\n]{1,600}\])/);
  if (parts.length === 1) return text;
  return parts.map((part, at) => {
    const [, key, about] = /^\[MemoryRef: (\S+)(?: - (.*))?\]$/.exec(part) ?? [];
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text do not move
      <Fragment key={at}>
        {key === undefined ? part : <Link href={addressOf(['details', key])}>{about ?? key}</Link>}
      </Fragment>
    );
  });
}
