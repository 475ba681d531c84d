import { type ChatState, createChatStore } from 'longhand/client';
import { useEffect, useState } from 'react';
import type { StoreApi } from 'zustand';
import { archive } from '../../api/archive.ts';
import { api, scopeKey } from '../../api/session.ts';

/** One conversation is open at a time. It stays open while other pages are looked at, so that an answer goes on meanwhile. */
let open: { readonly key: string; readonly store: Promise<StoreApi<ChatState>> } | undefined;

function openChat(agent: string | undefined): Promise<StoreApi<ChatState>> {
  const scope = `console ${scopeKey()} ${agent ?? ''}`;
  if (open?.key === scope) return open.store;
  void open?.store.then((store) => store.getState().close());
  const store = createChatStore({
    client: api(),
    scope,
    isOpen: true,
    ...(agent === undefined ? {} : { agentId: agent }),
  });
  open = { key: scope, store };
  store.then(
    (made) => {
      const tell = ({ archive: state }: ChatState): void => archive.setState({ state });
      tell(made.getState());
      made.subscribe(tell);
    },
    () => undefined,
  );
  return store;
}

/** The chat of the current scope with one agent; `undefined` until the browser's outbox is open. */
export function useOpenChat(agent: string | undefined): StoreApi<ChatState> | Error | undefined {
  const [store, setStore] = useState<StoreApi<ChatState> | Error>();
  useEffect(() => {
    let isGone = false;
    setStore(undefined);
    openChat(agent).then(
      (made) => isGone || setStore(made),
      (error: Error) => isGone || setStore(error),
    );
    return () => {
      isGone = true;
    };
  }, [agent]);
  return store;
}
