import { useEffect, useState } from 'react';
import { type StoreApi, useStore } from 'zustand';
import { type ChatState, type ChatStoreOptions, createChatStore } from '../client/index.ts';

/**
 * The chat of a component: made when it is first shown, closed when it goes. `undefined` until the outbox is open.
 * @param options taken when the component is first shown
 */
export function useChatStore(options: ChatStoreOptions): StoreApi<ChatState> | undefined {
  const [store, setStore] = useState<StoreApi<ChatState>>();
  const [given] = useState(options);
  useEffect(() => {
    let isGone = false;
    let opened: StoreApi<ChatState> | undefined;
    void createChatStore(given).then((made) => {
      if (isGone) return made.getState().close();
      opened = made;
      setStore(made);
    });
    return () => {
      isGone = true;
      opened?.getState().close();
    };
  }, [given]);
  return store;
}

/** A part of the state, which shows the component again when it changes. */
export function useChat<Part>(store: StoreApi<ChatState>, select: (state: ChatState) => Part): Part {
  return useStore(store, select);
}
