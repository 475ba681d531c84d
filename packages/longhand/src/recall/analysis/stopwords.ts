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
