/**
 * Words of questions that say only that something is asked.
 *
 * "What did Marcus say?" asks for whatever Marcus said, and not for "say"; "What happened to Bluefin?" for Bluefin.
 */

/** What somebody does who says something, in English, German and French. */
export const TALKING: ReadonlySet<string> = new Set(
  `ask asks asked asking chat chatted chatting discuss discusses discussed discussing mention mentions mentioned
  mentioning say says said saying speak speaks spoke spoken speaking talk talks talked talking tell tells told telling
  think thinks thought thinking
  sagt sagte sagten gesagt meint meinte gemeint erzahlt erzahlte erwahnt erwahnte gesprochen besprochen fragt fragte gefragt
  dit disait raconte parle mentionne`.split(/\s+/),
);

/** What people do who are asked about by their names, and what of it is asked for. */
export const SAYING: ReadonlySet<string> = new Set([
  ...TALKING,
  ...'know knows known remember remembered anything everything something nothing thing things stuff'.split(
    ' ',
  ),
]);

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

/** "How *far* is the station?" asks for kilometres: its answer may say "far", and so may anything else. */
const MEASURES = new Set(
  `big cold deep expensive far fast heavy high hot large late loud near old quickly slow small soon strong tall thick
  warm wide young`.split(/\s+/),
);

/** Words of a question that say in what it wants to be answered, and nothing of what it is about: "how *old*", "which *day*". */
export function wordsOfMeasure(words: readonly string[]): readonly string[] {
  return words.filter((word, at) => {
    const before = words[at - 1] ?? '';
    return before === 'how' ? MEASURES.has(word) : BEFORE_UNIT.has(before) && TIME_UNITS.has(word);
  });
}

/** What asks for what is to come: verbs in the present, and names of plans. */
const OF_PLANS = new Set(
  `is are am what's whats do does will shall should must can got ist sind bin habe haben gibt steht stehen wird werde muss soll
  est suis sont ai avons j'ai qu'est y plan plans schedule agenda calendar upcoming free busy available frei libre`.split(
    /\s+/,
  ),
);
/** What asks for what has been, wherever it stands. */
const OF_PAST = new Set(
  `did was were had been done went gone new news latest recent recently recall recap summarise summarize summary
  memory memories note war waren hatte hat gemacht getan besprochen beschlossen entschieden gesagt gewesen passiert
  geschehen`.split(/\s+/),
);
/** "Any meetings today?" has no verb. */
const ASKS_FOR_ANY = new Set(['any', 'anything']);
const ENDS_LIKE_PAST = /ed$/;
const NO_PAST = new Set(
  'need feed speed seed bed red shed wed hundred indeed fred alfred ahmed ted'.split(' '),
);
export const PLANNED: ReadonlySet<string> = new Set(
  `plan plans planned planning schedule scheduled agenda calendar coming upcoming got need free busy available
  whats steht geplant frei zeit vor prevu libre`.split(/\s+/),
);

/** Whether a question asks for what is to come: "What is on Friday?", and not "What was". */
export function isOfPlans(words: readonly string[]): boolean {
  const [first = ''] = words;
  // "Do I have the signed contract?" is no question for what has been.
  const beginsWithPlans = OF_PLANS.has(first);
  let isPresent = ASKS_FOR_ANY.has(first);
  for (const [at, word] of words.entries()) {
    // "Was" is "what" in German, and begins a question in English that has no other verb to go by.
    if (OF_PAST.has(word) && !(word === 'was' && at === 0)) return false;
    const isOfThings = word.includes('thing') || word === 'stuff';
    if (SAYING.has(word) && !isOfThings) return false;
    const isLikePast = ENDS_LIKE_PAST.test(word) && !PLANNED.has(word) && !NO_PAST.has(word);
    if (isLikePast && !beginsWithPlans) return false;
    isPresent ||= OF_PLANS.has(word);
  }
  return isPresent;
}

/** What has none of these asks for no time. */
export const MAY_ASK_WHEN = /when|wann|quand|what|which/i;
const WHEN = new Set(['when', 'wann', 'quand']);
const BEFORE_UNIT = new Set(['what', 'which']);
const TIME_UNITS = new Set(['time', 'day', 'date', 'week', 'month', 'year']);
/** "By when", "on which day": a "when" further behind joins sentences. */
const FIRST_WORDS = 2;

/** Whether a question asks when something is or was: "When is the demo?", "What day did she leave?", "By when". */
export function asksWhen(words: readonly string[]): boolean {
  return words
    .slice(0, FIRST_WORDS)
    .some((word, at) => WHEN.has(word) || (BEFORE_UNIT.has(word) && TIME_UNITS.has(words[at + 1] ?? '')));
}
