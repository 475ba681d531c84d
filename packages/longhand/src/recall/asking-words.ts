/**
 * Words of questions that say only that something is asked.
 *
 * "What did Marcus say?" asks for whatever Marcus said, and not for "say"; "What happened to Bluefin?" for Bluefin.
 */

/** What people do who are asked about by their names, and what of it is asked for. */
export const SAYING: ReadonlySet<string> = new Set(
  `ask asks asked asking chat chatted chatting discuss discusses discussed discussing mention mentions mentioned mentioning
  say says said saying speak speaks spoke spoken speaking talk talks talked talking tell tells told telling
  think thinks thought thinking know knows known remember remembered
  anything everything something nothing thing things stuff`.split(/\s+/),
);

/** Whether a word says no more than that somebody said something: "said", "everything", "so far". */
export function isSaying(words: readonly string[], at: number): boolean {
  return SAYING.has(words[at]!) || (words[at] === 'far' && words[at - 1] === 'so');
}

/** Everything happens. */
export const HAPPENING: ReadonlySet<string> = new Set(
  'happen happens happened happening passiert geschehen'.split(' '),
);
const GOES_ON_BEHIND = new Set(["what's", 'is', 'was']);

/** Whether a word asks for all that can be told: "what *happened* to", "what's *new* with", "what is *going* on with". */
export function isAsking(words: readonly string[], at: number): boolean {
  const word = words[at]!;
  if (HAPPENING.has(word)) return true;
  const before = words[at - 1] ?? '';
  if (word === 'new') {
    const isWhatIs = before === 'is' && words[at - 2] === 'what';
    return isWhatIs || before === "what's" || before === 'anything';
  }
  return word === 'going' && words[at + 1] === 'on' && GOES_ON_BEHIND.has(before);
}
