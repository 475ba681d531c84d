import { create, insertMultiple, search } from '@orama/orama';
import type { NewMemory } from 'longhand';
import MiniSearch from 'minisearch';
import { textOf } from '../entries.ts';

/** A library that keeps its index in memory. */
export interface SearchPeer {
  readonly name: string;
  addAll(entries: readonly NewMemory[]): unknown;
  /** The texts of the ten best entries that hold any of the words. */
  search(text: string): unknown;
}

export const MINISEARCH = 'MiniSearch';
export const ORAMA = 'Orama';

export function openMiniSearch(): SearchPeer {
  const index = new MiniSearch({ fields: ['text'], storeFields: ['text'] });
  let next = 0;
  return {
    name: MINISEARCH,
    addAll: (entries) => index.addAll(entries.map((entry) => ({ id: next++, text: textOf(entry) }))),
    search: (text) =>
      index
        .search(text, { combineWith: 'OR' })
        .slice(0, 10)
        .map((hit) => hit.text as string),
  };
}

export function openOrama(): SearchPeer {
  const index = create({ schema: { text: 'string' } as const });
  return {
    name: ORAMA,
    addAll: (entries) =>
      insertMultiple(
        index,
        entries.map((entry) => ({ text: textOf(entry) })),
        1_000,
      ),
    search: async (text) => {
      // The threshold of 1, its default, asks for entries with any of the words.
      const { hits } = await search(index, { term: text, limit: 10, threshold: 1 });
      return hits.map(({ document }) => document.text);
    },
  };
}
