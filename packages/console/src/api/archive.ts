import type { ArchiveState } from 'longhand/client';
import { createStore } from 'zustand/vanilla';

/** Whether all that was said in the chat of this tab is on the server; `undefined` as long as no chat was opened. */
export const archive = createStore<{ readonly state: ArchiveState | undefined }>(() => ({
  state: undefined,
}));
