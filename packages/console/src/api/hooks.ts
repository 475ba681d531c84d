import {
  keepPreviousData,
  type Query,
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
import { useCallback, useEffect } from 'react';
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

/** Whether the key speaks for all users, and none of them is chosen yet. */
export function useNeedsUser(): boolean {
  return useStore(session, ({ me, scope }) => me?.user_id === null && scope.user === undefined);
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

export interface PageOptions<Output, Item> extends AskOptions {
  /** Where the next page begins, when not at a `next_cursor`: as a field of the question. */
  readonly next?: (page: Output, items: readonly Item[]) => Readonly<Record<string, string>> | undefined;
}

/** Pages after the first are larger: who reads on reads far. */
const GROWTH = 4;
const MOST_ROWS = 1_000;

/**
 * What an operation answers in pages, as one list that grows with `fetchNextPage`. While one page is shown, changes of others
 * show at once; a longer list is then outdated, and `Outdated` says so.
 */
export function useAnswerPages<Name extends OperationName, Item>(
  name: Name,
  input: InputOf<Name> & { readonly limit?: number },
  itemsOf: (page: OutputOf<Name>) => readonly Item[],
  { isOn = true, keepsShowing = false, next }: PageOptions<OutputOf<Name>, Item> = {},
) {
  const { limit = 100 } = input;
  return useInfiniteQuery({
    queryKey: [name, input, useScopeKey(), 'pages'],
    queryFn: ({ signal, pageParam }) =>
      api().call(
        name,
        pageParam === undefined
          ? input
          : { ...input, limit: Math.min(MOST_ROWS, limit * GROWTH), ...pageParam },
        { signal },
      ),
    initialPageParam: undefined as Readonly<Record<string, string>> | undefined,
    getNextPageParam: (last) => {
      if (next !== undefined) return next(last, itemsOf(last));
      const { next_cursor: cursor } = last as Page;
      return cursor === undefined ? undefined : { cursor };
    },
    select: useCallback(
      ({ pages }: { readonly pages: readonly OutputOf<Name>[] }) => ({
        pages,
        items: pages.flatMap((page) => itemsOf(page)),
      }),
      [],
    ),
    enabled: isOn,
    // Comparing every row that is loaded with itself takes longer than showing those in sight.
    structuralSharing: false,
    // Stale is only what others have changed: see the live updates.
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
    ...(keepsShowing ? { placeholderData: keepPreviousData } : {}),
  });
}

/** Reads on, page by page, for as long as more is wanted: what the server cannot narrow is narrowed here. */
export function useReadingOn(
  { hasNextPage, isFetching, isError, fetchNextPage }: ReturnType<typeof useInfiniteQuery>,
  isWanted: boolean,
): boolean {
  const isReading = isWanted && hasNextPage && !isError;
  useEffect(() => {
    if (isReading && !isFetching) void fetchNextPage();
  }, [isReading, isFetching, fetchNextPage]);
  return isReading;
}

function isLong({ state }: Query): boolean {
  const pages = (state.data as { readonly pages?: readonly unknown[] } | undefined)?.pages;
  return pages !== undefined && pages.length > 1;
}

/** The page reads what it has changed itself again at once; the news of it arrives within this time. */
const OWN_CHANGE_MS = 3_000;
let changedAt = 0;

/** Others have changed something: what is shown is read again. Of long lists it is only said that they are outdated. */
export function refreshShown(): void {
  queries.removeQueries({ predicate: (query) => isLong(query) && !query.isActive() });
  void queries.invalidateQueries({ predicate: (query) => !isLong(query) });
  if (Date.now() - changedAt > OWN_CHANGE_MS)
    void queries.invalidateQueries({ predicate: isLong, refetchType: 'none' });
}

/** An operation that changes something; all that is shown is asked again then. */
export function useAct<Name extends OperationName>(name: Name) {
  const client = useQueryClient();
  return useMutation<OutputOf<Name>, Error, InputOf<Name> & { readonly options?: CallOptions }>({
    mutationFn: ({ options, ...input }) => api().call(name, input as InputOf<Name>, options),
    onSuccess: () => {
      changedAt = Date.now();
      return client.invalidateQueries();
    },
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

/** A long list that is outdated, from its beginning. */
export function readAgain(): void {
  void queries.resetQueries({ predicate: isLong, type: 'active' });
}

function useScopeKey(): string {
  useStore(session);
  return scopeKey();
}
