import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import type { Memory } from './memory-fields.tsx';

/** What a menu, a key or a button does with memories. Its dialog is in `Floating`, which every page with memories has. */
export interface MemoryAct {
  readonly what: 'add' | 'edit' | 'tag' | 'forget';
  readonly memories: readonly Memory[];
}

const acts = createStore<{ readonly act: MemoryAct | undefined }>(() => ({ act: undefined }));

export function beginAct(what: MemoryAct['what'], ...memories: readonly Memory[]): void {
  acts.setState({ act: { what, memories } });
}

export function endAct(): void {
  acts.setState({ act: undefined });
}

export function useMemoryAct(): MemoryAct | undefined {
  return useStore(acts, ({ act }) => act);
}
