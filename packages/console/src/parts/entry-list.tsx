import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useParam } from '../api/address.ts';

export interface EntryListProps<Item> {
  readonly label: string;
  readonly items: readonly Item[];
  readonly keyOf: (item: Item) => string;
  /** All rows are of one height: long lists then scroll without a hitch. */
  readonly rowHeight?: number;
  /** Rows are as high as what they show; `rowHeight` is a guess. */
  readonly isMeasured?: boolean;
  readonly render: (item: Item, isCurrent: boolean, at: number) => ReactNode;
  /** The row that keys act on. */
  readonly current?: number;
  /** Called when the end comes into sight, while there is more. */
  readonly onEnd?: (() => void) | undefined;
}

/** So long after the last scroll its place is written into the address. */
const SETTLED_MS = 400;

/** A list of any length, of which only the rows in sight are in the page. It scrolls with the page. */
export function EntryList<Item>(props: EntryListProps<Item>): ReactNode {
  const { label, items, keyOf, rowHeight = 84, isMeasured, render, current, onEnd } = props;
  const list = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  // What stands above the list may change its height at any time.
  useLayoutEffect(() => {
    const measured = list.current === null ? 0 : list.current.getBoundingClientRect().top + scrollY;
    if (Math.abs(measured - top) > 1) setTop(measured);
  });
  // Another function would have all rows measured again.
  // biome-ignore lint/correctness/useExhaustiveDependencies: what names an item is the same for the life of the list
  const keyAt = useCallback((at: number) => keyOf(items[at]!), [items]);
  const rows = useWindowVirtualizer({
    count: items.length,
    estimateSize: () => rowHeight,
    overscan: 6,
    scrollMargin: top,
    scrollPaddingStart: 16,
    scrollPaddingEnd: 96,
    ...(isMeasured ? { getItemKey: keyAt } : {}),
  });
  useEffect(() => {
    if (current !== undefined && current >= 0) rows.scrollToIndex(current, { align: 'auto' });
  }, [current, rows]);
  const shown = rows.getVirtualItems();
  const last = shown.at(-1)?.index ?? -1;
  const first = shown.find(({ end }) => end > (rows.scrollOffset ?? 0))?.index ?? 0;
  const wanted = usePosition(first, (at) => rows.scrollToIndex(at, { align: 'start' }), items.length, top);
  useEffect(() => {
    if (last >= items.length - 10 || wanted >= items.length) onEnd?.();
  }, [last, items.length, wanted, onEnd]);
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
          ref={isMeasured ? rows.measureElement : undefined}
          data-index={index}
          aria-posinset={index + 1}
          aria-setsize={onEnd === undefined ? items.length : -1}
          style={{
            transform: `translateY(${start - top}px)`,
            ...(isMeasured ? {} : { blockSize: rowHeight }),
          }}
        >
          {render(items[index]!, index === current, index)}
        </article>
      ))}
    </div>
  );
}

/**
 * The row at the top of the window stands in the address: a link, a reload and the way back lead to it.
 * @returns the row that is still to be gone to; -1 for none
 */
function usePosition(first: number, goTo: (at: number) => void, count: number, top: number): number {
  const [position, setPosition] = useParam('at');
  const [wanted, setWanted] = useState(() => Number(position ?? -1));
  const isReady = wanted >= 0 && wanted < count && top > 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: gone to once, when the row is there
  useEffect(() => {
    if (!isReady) return;
    goTo(wanted);
    setWanted(-1);
  }, [isReady]);
  useEffect(() => {
    if (wanted >= 0) return;
    const timer = setTimeout(() => setPosition(first === 0 ? undefined : String(first)), SETTLED_MS);
    return () => clearTimeout(timer);
  }, [first, wanted, setPosition]);
  return wanted;
}
