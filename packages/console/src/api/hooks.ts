import {
  keepPreviousData,
  QueryClient,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import {
  type CallOptions,
  type InputOf,
  type OperationName,
  type OutputOf,
  ProblemError,
} from 'longhand/client';
import { useCallback } from 'react';
import { useStore } from 'zustand';
import { api, scopeKey, session } from './session.ts';

export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      // What was refused is not asked again; a server that is away may come back.
      retry: (failures, error) =>
        failures < 2 && !(error instanceof ProblemError && error.status < 500 && error.status !== 429),
    },
  },
});

export function useSession() {
  return useStore(session);
}

/** Whether the caller sees what all users share. */
export function useIsAdmin(): boolean {
  return useStore(session, ({ me }) => me?.role === 'admin');
}

export function useCanWrite(): boolean {
  return useStore(session, ({ me }) => me !== undefined && me.access !== 'read');
}

export interface AskOptions {
  readonly isOn?: boolean;
  /** Shows what an earlier question of this place found until the answer is there. */
  readonly keepsShowing?: boolean;
}

/** What an operation answers, from the cache when it is there. */
export function useAnswer<Name extends OperationName>(
  name: Name,
  input: InputOf<Name>,
  { isOn = true, keepsShowing = false }: AskOptions = {},
) {
  return useQuery<OutputOf<Name>, Error>({
    queryKey: [name, input, useScopeKey()],
    queryFn: ({ signal }) => api().call(name, input, { signal }),
    enabled: isOn,
    ...(keepsShowing ? { placeholderData: keepPreviousData } : {}),
  });
}

interface Page {
  readonly next_cursor?: string;
}

/** What an operation answers in pages, as one list that grows with `fetchNextPage`. */
export function useAnswerPages<Name extends OperationName, Item>(
  name: Name,
  input: InputOf<Name>,
  itemsOf: (page: OutputOf<Name>) => readonly Item[],
  { isOn = true, keepsShowing = false }: AskOptions = {},
) {
  return useInfiniteQuery({
    queryKey: [name, input, useScopeKey(), 'pages'],
    queryFn: ({ signal, pageParam }) =>
      api().call(name, pageParam === undefined ? input : { ...input, cursor: pageParam }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => (last as Page).next_cursor,
    select: ({ pages }) => ({ pages, items: pages.flatMap((page) => itemsOf(page)) }),
    enabled: isOn,
    ...(keepsShowing ? { placeholderData: keepPreviousData } : {}),
  });
}

/** An operation that changes something; all that is shown is asked again then. */
export function useAct<Name extends OperationName>(name: Name) {
  const client = useQueryClient();
  return useMutation<OutputOf<Name>, Error, InputOf<Name> & { readonly options?: CallOptions }>({
    mutationFn: ({ options, ...input }) => api().call(name, input as InputOf<Name>, options),
    onSuccess: () => client.invalidateQueries(),
  });
}

/** Asks for what an operation would answer, outside of a component's life. */
export function useCall() {
  return useCallback(
    <Name extends OperationName>(name: Name, input: InputOf<Name>, options?: CallOptions) =>
      api().call(name, input, options),
    [],
  );
}

function useScopeKey(): string {
  useStore(session);
  return scopeKey();
}
