import type { ArchiveError, ChatMessage, ChatState } from 'longhand/client';
import type { BrowserContext, Page } from 'playwright-core';
import { expect } from 'vitest';
import type { Front } from './front.ts';
import type { StorePage as Inside } from './pages/store.ts';

/** A page with a chat store and nothing else, seen from outside. */
export interface StorePage {
  readonly page: Page;
  /** Ends when the message is acknowledged; its id. */
  add(text: string, id?: string): Promise<string>;
  state(): Promise<PlainState>;
  errors(): Promise<readonly ArchiveError[]>;
  /** Calls one of the store's actions. */
  act(name: keyof ChatState, ...values: readonly unknown[]): Promise<unknown>;
}

/** Without the actions. */
export type PlainState = Pick<
  ChatState,
  'sessionId' | 'isOpen' | 'isAnswering' | 'isRestoring' | 'error' | 'archive' | 'notice'
> & { readonly messages: readonly ChatMessage[] };

// Of the page.
declare const ready: Inside['ready'];
declare const errors: Inside['errors'];
declare const add: Inside['add'];

/**
 * @param options of the store, as far as they are JSON
 * @param more what else the page takes: `key` and `user` of its client, `signIn` with a key
 */
export async function openStore(
  context: BrowserContext,
  front: Pick<Front, 'url'>,
  options: Readonly<Record<string, unknown>> = {},
  more: Readonly<Record<string, string>> = {},
): Promise<StorePage> {
  const page = await context.newPage();
  const asked = new URLSearchParams({ options: JSON.stringify(options), ...more });
  await page.goto(`${front.url}/page?${asked}`);
  // A page that signs in first is ready a little later.
  await expect.poll(() => page.evaluate(() => 'ready' in globalThis)).toBe(true);
  await page.evaluate(() => ready.then(() => undefined));
  return storeOn(page);
}

export function storeOn(page: Page): StorePage {
  return {
    page,
    add: (text, id) => page.evaluate(([text, id]) => add(text!, id), [text, id] as const),
    state: () =>
      page.evaluate(async () => {
        const state = (await ready).getState();
        const plain = Object.entries(state).filter(([, value]) => typeof value !== 'function');
        return Object.fromEntries(plain) as unknown as PlainState;
      }),
    errors: () => page.evaluate(() => errors),
    act: (name, ...values) =>
      page.evaluate(
        async ([name, values]) => {
          const action = (await ready).getState()[name] as (...values: readonly unknown[]) => unknown;
          return action(...values);
        },
        [name, values] as const,
      ),
  };
}

/** What a server holds of a session, in its order. */
export async function keptOn(url: string, sessionId: string, userId = 'me'): Promise<readonly Kept[]> {
  const all: Kept[] = [];
  for (;;) {
    const after = all.length === 0 ? '' : `&after=${encodeURIComponent(all.at(-1)!.id)}`;
    const path = `/api/chat/sessions/${sessionId}/messages?limit=1000${after}`;
    const answer = await fetch(`${url}${path}`, { headers: { 'longhand-user': userId } });
    if (answer.status === 404) return all;
    const { messages, has_more } = (await answer.json()) as { messages: readonly Kept[]; has_more: boolean };
    all.push(...messages);
    if (!has_more) return all;
  }
}

export interface Kept {
  readonly id: string;
  readonly role: string;
  readonly content: string;
}

export async function textsOn(url: string, sessionId: string, userId = 'me'): Promise<readonly string[]> {
  return (await keptOn(url, sessionId, userId)).map(({ content }) => content);
}
