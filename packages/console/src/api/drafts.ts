import { useCallback } from 'react';
import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import { readStored, writeStored } from './stored.ts';

/**
 * What is written and not saved yet. It outlives the page that it is written on, a reload and a session that ends, for as long
 * as the tab is open.
 */
const KEPT = 'longhand-drafts';

type Drafts = Readonly<Record<string, unknown>>;

const drafts = createStore<Drafts>(() => readStored('sessionStorage', KEPT, {}));

drafts.subscribe((state) => writeStored('sessionStorage', KEPT, state));

/** @param name of what is edited: `agent planner`. `undefined` as a draft: nothing is unsaved */
export function useDraft<Value>(
  name: string,
): readonly [Value | undefined, (draft: Value | undefined) => void] {
  const draft = useStore(drafts, (state) => state[name]) as Value | undefined;
  const set = useCallback(
    (value: Value | undefined) => {
      const { [name]: _, ...others } = drafts.getState();
      drafts.setState(value === undefined ? others : { ...others, [name]: value }, true);
    },
    [name],
  );
  return [draft, set];
}

export function hasDraft(name: string): boolean {
  return drafts.getState()[name] !== undefined;
}
