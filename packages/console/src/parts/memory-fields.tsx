import type { OutputOf } from 'longhand/client';
import type { ReactNode } from 'react';
import type { EntryFields } from './entry.tsx';
import type { ScoreParts } from './score-bar.tsx';

export type Memory = OutputOf<'getMemory'>;
export type FoundMemory = OutputOf<'search'>['memories'][number];

export const MEMORY_TYPES = ['conversation', 'decision', 'finding', 'preference'] as const;

/** Where a memory is, as it stands in the address: `SESSION/MEMORY`. */
export function placeOf({ session_id, id }: { readonly session_id: string; readonly id: string }): string {
  return `${session_id}/${id}`;
}

/** What people read of a memory; any other content as it is stored. */
export function textOf(content: Memory['content']): string {
  return typeof content.text === 'string' ? content.text : JSON.stringify(content);
}

/** A memory as an entry. @param words that are marked in it */
export function entryOf(memory: Memory, words: readonly string[] = []): EntryFields {
  const { type, content, timestamp, session_id, tags, provenance } = memory;
  const place = [provenance.agent_id, session_id].filter((name) => name !== undefined).join(' · ');
  return {
    type,
    text: marked(textOf(content), words),
    time: timestamp,
    place,
    tags,
    trust: provenance.trust,
  };
}

/** The factors of a hit's relevance, when it was asked to explain itself. */
export function scoreOf({ relevance, explanation }: FoundMemory): ScoreParts | undefined {
  if (explanation === undefined) return undefined;
  const { importance, decay, recency, match_quality } = explanation;
  return { relevance, importance, decay, recency, match: match_quality };
}

/** A text with the words marked that were found in it, in whatever form. */
export function marked(text: string, words: readonly string[]): ReactNode {
  const known = words
    .filter((word) => word !== '')
    .map((word) => word.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  if (known.length === 0) return text;
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}])((?:${known.join('|')})[\\p{L}\\p{N}]*)`, 'giu');
  // What is captured stands at the odd places.
  return text.split(pattern).map((part, at) =>
    at % 2 === 0 ? (
      part
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text do not move
      <mark key={at}>{part}</mark>
    ),
  );
}
