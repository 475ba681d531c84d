import { Pin } from 'lucide-react';
import { memo, type ReactNode } from 'react';
import { RelativeTime } from './times.tsx';
import { TrustBadge } from './trust-badge.tsx';
import { TypeIcon } from './type-icon.tsx';

/** A memory, wherever it is shown. */
export interface EntryFields {
  readonly type: string;
  /** What stands for it in a list: its text or the beginning of that. */
  readonly text: ReactNode;
  readonly time: string;
  /** The session, the agent, or another place that it is from. */
  readonly place?: ReactNode;
  readonly tags?: readonly string[];
  readonly trust?: string | undefined;
  readonly isPinned?: boolean;
  /** Faded from the prompt: dashed. */
  readonly isExpired?: boolean;
  /** A word more about its state: "replaced". */
  readonly note?: ReactNode;
}

export interface EntryProps {
  readonly entry: EntryFields;
  /** What stands on the right: a score, a loss, buttons, a menu. */
  readonly aside?: ReactNode;
  /** Before the icon: a box to select it. */
  readonly before?: ReactNode;
  /** Shows all of the text, not two lines of it. */
  readonly isWhole?: boolean;
  /** The one that keys act on. */
  readonly isCurrent?: boolean;
  readonly onOpen?: () => void;
}

export const Entry = memo(function Entry(props: EntryProps): ReactNode {
  const { entry, aside, before, isWhole, isCurrent, onOpen } = props;
  const { type, text, time, place, tags = [], trust, isPinned, isExpired, note } = entry;
  const name = ['entry', isWhole && 'is-whole', isCurrent && 'is-current', isExpired && 'is-expired'];
  return (
    <div className={name.filter(Boolean).join(' ')}>
      {before}
      <TypeIcon type={type} />
      <div className="entry-main">
        {onOpen === undefined ? (
          <p className="entry-text" dir="auto">
            {text}
          </p>
        ) : (
          <button type="button" className="entry-text" dir="auto" onClick={onOpen}>
            {text}
          </button>
        )}
        <p className="entry-facts">
          <span>{type}</span>
          <RelativeTime time={time} />
          {place !== undefined && <span className="entry-place">{place}</span>}
          {tags.map((tag) => (
            <span key={tag} className="tag">
              {tag}
            </span>
          ))}
          <TrustBadge trust={trust} />
          {isPinned && (
            <span className="pinned">
              <Pin size={12} /> pinned
            </span>
          )}
          {isExpired && <span className="warn">expired</span>}
          {note !== undefined && <span>{note}</span>}
        </p>
      </div>
      {aside !== undefined && <div className="entry-aside">{aside}</div>}
    </div>
  );
});
