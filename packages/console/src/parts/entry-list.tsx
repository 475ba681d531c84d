import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react';

export interface EntryListProps<Item> {
  readonly label: string;
  readonly items: readonly Item[];
  readonly keyOf: (item: Item) => string;
  /** All rows are of one height: long lists then scroll without a hitch. */
  readonly rowHeight?: number;
  readonly render: (item: Item, isCurrent: boolean) => ReactNode;
  /** The row that keys act on. */
  readonly current?: number;
  /** Of all that there are, when not all are loaded. */
  readonly total?: number | undefined;
  /** Called when the end comes into sight. */
  readonly onEnd?: (() => void) | undefined;
}

/** A list of any length, of which only the rows in sight are in the page. It scrolls with the page. */
export function EntryList<Item>(props: EntryListProps<Item>): ReactNode {
  const { label, items, keyOf, rowHeight = 84, render, current, total, onEnd } = props;
  const list = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  // What stands above the list may change its height at any time.
  useLayoutEffect(() => {
    const measured = list.current === null ? 0 : list.current.getBoundingClientRect().top + scrollY;
    if (Math.abs(measured - top) > 1) setTop(measured);
  });
  const rows = useWindowVirtualizer({
    count: items.length,
    estimateSize: () => rowHeight,
    overscan: 6,
    scrollMargin: top,
    scrollPaddingStart: 16,
    scrollPaddingEnd: 96,
  });
  useEffect(() => {
    if (current !== undefined && current >= 0) rows.scrollToIndex(current, { align: 'auto' });
  }, [current, rows]);
  const shown = rows.getVirtualItems();
  const last = shown.at(-1)?.index ?? -1;
  useEffect(() => {
    if (last >= items.length - 10) onEnd?.();
  }, [last, items.length, onEnd]);
  return (
    <div
      ref={list}
      className="entry-list"
      role="feed"
      aria-label={label}
      style={{ blockSize: rows.getTotalSize() }}
    >
      {shown.map(({ index, start }) => (
        <article
          key={keyOf(items[index]!)}
          aria-posinset={index + 1}
          aria-setsize={total ?? (onEnd === undefined ? items.length : -1)}
          style={{ blockSize: rowHeight, transform: `translateY(${start - top}px)` }}
        >
          {render(items[index]!, index === current)}
        </article>
      ))}
    </div>
  );
}
