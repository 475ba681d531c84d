import { useCallback } from 'react';
import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';

/**
 * What is written and not saved yet. It outlives the page that it is written on, a reload and a session that ends, for as long
 * as the tab is open.
 */
const KEPT = 'longhand-drafts';

type Drafts = Readonly<Record<string, unknown>>;

const drafts = createStore<Drafts>(() => {
  try {
    return JSON.parse(sessionStorage.getItem(KEPT) ?? '{}') as Drafts;
  } catch {
    return {};
  }
});

drafts.subscribe((state) => {
  try {
    sessionStorage.setItem(KEPT, JSON.stringify(state));
  } catch {
    // Without storage, or when it is full, drafts last as long as the page.
  }
});

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
