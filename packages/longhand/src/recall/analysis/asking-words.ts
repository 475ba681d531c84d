/**
 * Words of questions that only say that something is asked: "What did Marcus *say*?" asks for what Marcus said, "What *happened*
 * to Bluefin?" for Bluefin.
 */

import { isStopword } from './stopwords.ts';

/** Verbs of saying, in English, German and French. */
export const TALKING: ReadonlySet<string> = new Set(
  `ask asks asked asking chat chatted chatting discuss discusses discussed discussing mention mentions mentioned
  mentioning say says said saying speak speaks spoke spoken speaking talk talks talked talking tell tells told telling
  think thinks thought thinking
  sagt sagte sagten gesagt meint meinte gemeint erzahlt erzahlte erwahnt erwahnte gesprochen besprochen fragt fragte gefragt
  dit disait raconte parle mentionne`.split(/\s+/),
);
const SAYING: ReadonlySet<string> = new Set([
  ...TALKING,
  ...'know knows known remember remembered anything everything something nothing thing things stuff'.split(
    ' ',
  ),
]);
const HAPPENING = new Set('happen happens happened happening passiert geschehen'.split(' '));
const ASKED_TIMES = new Set('time day date week month year'.split(' '));
const TALKERS = new Set(['i', 'we', 'you']);

/** Whether a word only says that something was said: "said", "everything", "so far". */
function isSaying(words: readonly string[], at: number): boolean {
  return SAYING.has(words[at]!) || (words[at] === 'far' && words[at - 1] === 'so');
}

/** Whether a word says that the user and the agent talked: "where did we *talk* about it?" */
export function isTalking(words: readonly string[], at: number): boolean {
  return TALKING.has(words[at]!) && TALKERS.has(words[at - 1] ?? '');
}

/** Whether a word asks for anything there is ("what *happened* to"), or when ("on which *day* is"). */
export function isAsking(words: readonly string[], at: number): boolean {
  const before = words[at - 1] ?? '';
  if (ASKED_TIMES.has(words[at]!)) return before === 'what' || before === 'which';
  return HAPPENING.has(words[at]!);
}

/** Words around a time in a question for what was, or will be, then. The German and French ones are stopwords in English. */
const AROUND_TIMES = new Set(
  `occur occurred going go goes went gone new news latest recent recently
  discussion discussions conversation conversations session sessions
  recall recap summarise summarize summary show list give find look
  memory memories note noted noting learn learned learnt write wrote written add added
  plan plans planned planning schedule scheduled agenda calendar coming upcoming got need free busy available whats may
  am an es gab gibt hab habe haben hat hatte hatten ich ist mir sind uns war waren wir steht geplant frei zeit vor bin im
  gemacht getan besprochen beschlossen entschieden gewesen los neues in der die den dem
  ai avons ce c'etait est fait il j'ai je le la les nous nouveau on passe prevu libre que qui qu'est qu'avons s'est
  s'est-il suis faisons y`.split(/\s+/),
);

/** Whether the words ask for nothing but what was, or will be, at a time. */
export function asksForAnything(words: readonly string[]): boolean {
  return words.every(
    (word) => isStopword(word) || HAPPENING.has(word) || SAYING.has(word) || AROUND_TIMES.has(word),
  );
}

/** Whether the words say only that something was said, or that something happened. */
export function sayOnlyThatItWasSaid(words: readonly string[]): boolean {
  return words.every((word, at) => isStopword(word) || isSaying(words, at) || isAsking(words, at));
}
