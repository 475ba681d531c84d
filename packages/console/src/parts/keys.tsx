import { type ReactNode, useEffect, useRef, useState } from 'react';
import { Dialog } from './dialog.tsx';

/** What a key does: `j`, `Enter`, `Delete`, `?`. */
export type Keys = Readonly<Record<string, (() => void) | undefined>>;

/** Keys for the whole page. They rest while the reader writes, or while a dialog or menu is open. */
export function useKeys(keys: Keys): void {
  const latest = useRef(keys);
  useEffect(() => {
    latest.current = keys;
  });
  useEffect(() => {
    const onKeyDown = (event: globalThis.KeyboardEvent): void => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      const target = event.target as HTMLElement;
      if (target.closest('input, textarea, select, [contenteditable], dialog, [popover]') !== null) return;
      // A button or a link that has the focus is pressed with Enter.
      if (event.key === 'Enter' && target.closest('button, a') !== null) return;
      const act = latest.current[event.key];
      if (act === undefined) return;
      event.preventDefault();
      act();
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, []);
}

/** What a key does to the row that keys act on, in words and as a deed; `undefined`: this reader may not. */
export type RowKeys<Item> = Readonly<Record<string, readonly [string, ((item: Item) => void) | undefined]>>;

/** Keys for a list: `j` and `k` move, `?` tells all of them. @returns the row that keys act on, and the dialog of `?` */
export function useRowKeys<Item>(items: readonly Item[], acts: RowKeys<Item>): readonly [number, ReactNode] {
  const [current, setCurrent] = useState(-1);
  const [isHelpShown, setHelpShown] = useState(false);
  const at = items[current];
  const allowed = Object.entries(acts).filter(([, [, act]]) => act !== undefined);
  const last = items.length - 1;
  useKeys({
    ...Object.fromEntries(allowed.map(([key, [, act]]) => [key, at && (() => act!(at))])),
    j: () => setCurrent(Math.min(last, current + 1)),
    k: () => setCurrent(Math.max(0, Math.min(last, current - 1))),
    '?': () => setHelpShown(true),
  });
  const words = Object.fromEntries(allowed.map(([key, [does]]) => [key, does]));
  const keys = { 'j k': 'next, previous', ...words, '?': 'these keys' };
  return [current, isHelpShown && <KeyHelp keys={keys} onClose={() => setHelpShown(false)} />];
}

/** The keys of a page, for `?`. */
export function KeyHelp({
  keys,
  onClose,
}: {
  readonly keys: Readonly<Record<string, string>>;
  readonly onClose: () => void;
}): ReactNode {
  return (
    <Dialog title="Keys" onClose={onClose}>
      <dl className="key-list">
        {Object.entries(keys).map(([key, what]) => (
          <div key={key}>
            <dt>
              {key.split(' ').map((one) => (
                <kbd key={one}>{one}</kbd>
              ))}
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
