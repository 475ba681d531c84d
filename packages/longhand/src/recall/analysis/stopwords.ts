/**
 * Words that say nothing of a subject. They are indexed, for phrases and for queries that hold nothing else, but a query with
 * other words ignores them. "Many" and "earliest" are among them: a question asks "how many", its answer does not say it.
 */
export const STOPWORDS: ReadonlySet<string> = new Set(
  `a about above after again against all also am an and any are aren't as at be because been before being below
between both but by can can't cannot could couldn't did didn't do does doesn't doing don't down during each
earliest ever few for from further had hadn't has hasn't have haven't having he he'd he'll he's her here here's hers
herself him himself his how how's i i'd i'll i'm i've if in into is isn't it it'd it'll it's its itself just
latest let's many me might more most much must my myself no nor not of off on once only or other ought our ours
ourselves out over own please same shall she she'd she'll she's should shouldn't so some such than that that's the
their theirs them themselves then there there's these they they'd they'll they're they've this those through
to too under until up upon us very was wasn't we we'd we'll we're we've were weren't what what's when when's
where where's which while who who's whom whose why why's will with won't would wouldn't yes you you'd you'll
you're you've your yours yourself yourselves`.split(/\s+/),
);

/** @param word folded, not stemmed */
export function isStopword(word: string): boolean {
  return STOPWORDS.has(word);
}

const ARTICLES = new Set(['a', 'an', 'the']);
const STRESSING = new Set(
  'so very really truly absolutely totally definitely certainly actually indeed also'.split(' '),
);
const NEGATING = new Set(
  `no not never nor neither none nothing nobody nowhere without hardly barely scarcely cannot dont cant wont nicht nichts nie kein
keine keinen keiner pas jamais`.split(/\s+/),
);

/**
 * What a word tells those who compare two texts. Texts say the same when they have the same words in the same order but for articles
 * and words of stress ("I really love it", "I love it so much"). Every other word counts, as it is written: another name, number,
 * day, tense or "not" is another fact. Behind a negation, words of stress count too: "I did not sleep so much".
 */
const TELLING = 1;
export const ARTICLE = 2;
export const STRESS = 3;
/** Only behind a word of stress: "so much", but not "how much". */
export const MUCH = 4;
export const NEGATION = 5;

/** @param word folded, not stemmed */
export function roleOf(word: string): number {
  if (ARTICLES.has(word)) return ARTICLE;
  if (STRESSING.has(word)) return STRESS;
  if (word === 'much') return MUCH;
  return NEGATING.has(word) || word.endsWith("n't") ? NEGATION : TELLING;
}

/** Signs that tell texts apart which have the same words: "$5" and "5%", "-5" and "5", a question and a statement. */
const SIGNS = /[$\u20ac\u00a3\u00a5%<=>+#]|\?(?!\?)|[-\u2212](?=\d)/g;

export function tellingSigns(texts: readonly string[]): string {
  return texts.map((text) => text.match(SIGNS)?.join('') ?? '').join('');
}

/**
 * Words of questions that only say that something is asked: "What did Marcus *say*?" asks for what Marcus said, "What *happened*
 * to Bluefin?" for Bluefin.
 */

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
