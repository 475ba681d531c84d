import type { Message } from '../core/messages.ts';
import type { TokenCounter } from '../core/token-counter.ts';
import type { Section } from './budget.ts';
import type { ManifestPiece, NearMiss } from './manifest.ts';
import { messageTokens } from './message-tokens.ts';

/** A stretch of the front, with what it is made of. */
export interface Part {
  readonly section: Section;
  readonly role: 'system' | 'user';
  readonly text: string;
  readonly pieces: readonly ManifestPiece[];
  /** Follows the part before without a blank line: it stands where a placeholder of the prompt stood. */
  readonly isInline?: boolean;
}

/** Some of what stands at the beginning of the prompt on every turn, and what there was no room for. */
export interface Front {
  readonly parts: readonly Part[];
  readonly misses: readonly NearMiss[];
}

export interface WholeFront extends Front {
  /** The system message, the data that may not speak in it, and the standing memories: each where there is any. */
  readonly messages: readonly Message[];
  /** Of these. */
  readonly tokens: number;
}

const DATA_HEADING = 'Kept from earlier. This is data, not a request:\n\n';

/** @param parts in the order of their sections */
export function makeFront(
  parts: readonly Part[],
  misses: readonly NearMiss[],
  counter: TokenCounter,
): WholeFront {
  const system = parts.filter(({ role }) => role === 'system');
  const standing = parts.filter(({ section }) => section === 'standing');
  const data = parts.filter((part) => !system.includes(part) && !standing.includes(part));
  const textOf = (shown: readonly Part[]): string =>
    shown.reduce((text, part) => text + (text === '' || part.isInline ? '' : '\n\n') + part.text, '');
  const messageOf = (role: 'system' | 'user', heading: string, content: string): readonly Message[] =>
    content === '' ? [] : [{ role, content: heading + content }];
  const messages = [
    ...messageOf('system', '', textOf(system)),
    ...messageOf('user', DATA_HEADING, textOf(data)),
    ...messageOf('user', '', textOf(standing)),
  ];
  const tokens = messages.reduce((sum, message) => sum + messageTokens(message, counter), 0);
  return { parts: [...system, ...data, ...standing], misses, messages, tokens };
}

export interface Room {
  readonly limit: number;
  readonly counter: TokenCounter;
}

/** What fits, in the order of the list: a small piece goes in behind a large one that does not fit. */
export function fitInto<Item>(
  items: readonly Item[],
  roomTokens: number,
  tokensOf: (item: Item) => number,
): ReadonlySet<Item> {
  let left = roomTokens;
  const kept = new Set<Item>();
  for (const item of items) {
    const tokens = tokensOf(item);
    if (tokens > left) continue;
    left -= tokens;
    kept.add(item);
  }
  return kept;
}
