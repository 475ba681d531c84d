import type { OutputOf } from 'longhand/client';
import { Fragment, memo, type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { addressOf, useParam } from '../../api/address.ts';
import { useAnswerPages, useReadingOn } from '../../api/hooks.ts';
import { Answered } from '../../parts/answered.tsx';
import { Button } from '../../parts/button.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { EntryList } from '../../parts/entry-list.tsx';
import { counted } from '../../parts/numbers.ts';
import { Outdated } from '../../parts/outdated.tsx';
import { exactTime, minuteOf } from '../../parts/times.tsx';

type Message = OutputOf<'listChatMessages'>['messages'][number];

export interface TranscriptProps {
  readonly sessionId: string;
  /** So many of the first messages are covered by the summary. */
  readonly summarized: number;
}

/** Everything that was said, of which only the messages in sight are in the page. */
export function Transcript({ sessionId, summarized }: TranscriptProps): ReactNode {
  const [newest, setNewest] = useState(-1);
  const [wanted] = useParam('message');
  const asked = useAnswerPages(
    'listChatMessages',
    { session_id: sessionId, limit: 250 },
    ({ messages }) => messages,
    { next: ({ has_more }, messages) => (has_more ? { after: messages.at(-1)!.id } : undefined) },
  );
  // All of it is read, so that the newest can be gone to.
  const isReading = useReadingOn(asked, true);
  return (
    <Answered asked={asked} what="The transcript could not be read">
      {({ items }) =>
        items.length === 0 ? (
          <EmptyState text="Nothing was said here yet." />
        ) : (
          <>
            <div className="spread transcript-head">
              <p className="hint" role="status">
                {counted(items.length, 'message')}
                {isReading && ' read, and more are coming'}
              </p>
              <Outdated asked={asked} />
              {items.length > 20 && (
                <Button look="link" onClick={() => setNewest(items.length - 1)}>
                  To the newest
                </Button>
              )}
            </div>
            <EntryList
              label="What was said"
              items={items}
              keyOf={({ id }) => id}
              rowHeight={96}
              isMeasured
              current={newest < 0 ? items.findIndex(({ id }) => id === wanted) : newest}
              render={(message, _, at) => (
                <Said
                  {...{ message, sessionId }}
                  isSummarized={at < summarized}
                  isFirst={at === 0}
                  isWanted={message.id === wanted}
                />
              )}
            />
          </>
        )
      }
    </Answered>
  );
}

interface SaidProps {
  readonly message: Message;
  readonly sessionId: string;
  readonly isSummarized: boolean;
  readonly isFirst: boolean;
  /** The one that a link led to. */
  readonly isWanted: boolean;
}

const Said = memo(function Said(props: SaidProps): ReactNode {
  const { message, sessionId, isSummarized, isFirst, isWanted } = props;
  const { role, name, content, timestamp } = message;
  return (
    <div className={`said is-${role}${isSummarized ? ' is-summarized' : ''}`} aria-current={isWanted}>
      <p className="said-by">
        <b dir="auto">{name ?? (role === 'user' ? 'user' : 'agent')}</b>
        <time dateTime={timestamp} title={exactTime(timestamp)}>
          {minuteOf(timestamp)}
        </time>
        {isSummarized && isFirst && <span className="in-summary">in the summary</span>}
      </p>
      <p className="text" dir="auto">
        {withReferences(content, sessionId)}
      </p>
    </div>
  );
});

/** A text with its placeholders as links to what they stand for: a memory, or a detail. */
function withReferences(text: string, sessionId: string): ReactNode {
  const parts = text.split(/(\[MemoryRef: [^\]\n]{1,600}\])/);
  if (parts.length === 1) return text;
  return parts.map((part, at) => {
    const [, key = '', about = key] = /^\[MemoryRef: (\S+)(?: - (.*))?\]$/.exec(part) ?? [];
    const address = key.startsWith('mem_')
      ? addressOf(['sessions', sessionId], { open: `${sessionId}/${key}` })
      : addressOf(['details', key]);
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text do not move
      <Fragment key={at}>{key === '' ? part : <Link href={address}>{about}</Link>}</Fragment>
    );
  });
}
