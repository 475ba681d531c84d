import { useCallback } from 'react';
import { useLocation, useSearchParams } from 'wouter';

/**
 * The name that follows a page's own word in the address, in whatever letters: `/agents/a%2Fb` is of the agent `a/b`. The router
 * would leave some of them as they are written there.
 */
export function useNameInPath(): string | undefined {
  useLocation(); // Another address is another look.
  const [, , name = ''] = location.pathname.split('/');
  try {
    return name === '' ? undefined : decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** Where a list was scrolled to. Another list, or another part of it, begins at its top. */
const POSITION = 'at';
const KEEP_POSITION = [POSITION, 'open', 'similar'];

/**
 * Filters, tabs and open panels. They stand in the address, so that they can be linked to and survive a reload. `undefined` takes
 * one out.
 */
export function useFilters() {
  const [params, setParams] = useSearchParams();
  const change = useCallback(
    (changes: Readonly<Record<string, string | readonly string[] | undefined>>) =>
      setParams(
        (before) => {
          const after = new URLSearchParams(before);
          if (!Object.keys(changes).every((name) => KEEP_POSITION.includes(name))) after.delete(POSITION);
          for (const [name, value] of Object.entries(changes)) {
            after.delete(name);
            for (const one of typeof value === 'string' ? [value] : (value ?? []))
              if (one !== '') after.append(name, one);
          }
          return after;
        },
        { replace: true },
      ),
    [setParams],
  );
  return [params, change] as const;
}

/** One of them. */
export function useParam(name: string): [string | undefined, (value: string | undefined) => void] {
  const [params, change] = useFilters();
  const set = useCallback((value: string | undefined) => change({ [name]: value }), [name, change]);
  return [params.get(name) ?? undefined, set];
}

/** The scope stands in every address: a link shows the same user's memory to the next reader. */
const KEPT = ['as', 'by'];

export function withScope(address: string): string {
  const current = new URLSearchParams(location.search);
  const [path = '', query = ''] = address.split('?', 2);
  const params = new URLSearchParams(query);
  for (const name of KEPT) {
    const value = current.get(name);
    if (value !== null && !params.has(name)) params.set(name, value);
  }
  const text = params.toString();
  return text === '' ? path : `${path}?${text}`;
}

/** An address within the console, with names of any letters. */
export function addressOf(
  path: readonly string[],
  query: Readonly<Record<string, string | undefined>> = {},
): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) params.set(name, value);
  const text = params.toString();
  return `/${path.map(encodeURIComponent).join('/')}${text === '' ? '' : `?${text}`}`;
}
