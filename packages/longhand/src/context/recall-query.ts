import type { Message } from '../core/messages.ts';

/** A question of so few words says too little by itself: “and the other one?” */
const FEW_WORDS = 5;
const LONGEST_QUERY = 1_000;
const LONGEST_BEFORE = 200;

/**
 * What to look for in memory: the newest user message, and the one before it when the newest is very short. Empty when
 * there is nothing to go by.
 */
export function recallQuery(conversation: readonly Message[], newMessages: readonly Message[]): string {
  const prompts = [...newMessages.toReversed(), ...conversation.toReversed()].filter(
    ({ role }) => role === 'user',
  );
  const [newest, before] = prompts;
  if (newest === undefined) return '';
  const asked = plain(shorten(newest.content, LONGEST_QUERY));
  const isShort = asked.split(/\s+/u).length < FEW_WORDS;
  if (!isShort || before === undefined) return asked;
  return `${asked} ${plain(shorten(before.content, LONGEST_BEFORE))}`.trim();
}

/** Quotes and asterisks mean something in a query. In a message they are punctuation. */
function plain(text: string): string {
  return text.replace(/["“”*]/gu, ' ').trim();
}

/** Its beginning and its end: a long message says at one of them what it wants. */
function shorten(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const half = Math.floor(longest / 2);
  return `${text.slice(0, half)} ${text.slice(-half)}`.toWellFormed();
}
