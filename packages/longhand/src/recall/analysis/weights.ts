/**
 * The constants of the ranking, one set for all kinds of conversation, chosen on the development sets. `docs/scoring.md` lists them
 * with their reasons, and what each rule gains.
 *
 * The parts of a match are shares of an ideal text, which holds every word of the query once, so they can be added.
 */

/** Of a longer query, the ideal text holds this many words: what answers a pasted paragraph repeats only a few of them. */
export const IDEAL_TERMS = 5;

/** Saturation of repeated words. Low: in a turn of twenty words a second mention says little. */
export const WORD_SATURATION = 0.4;

/** Rarity counts as if there were at least so many memories: that one of two holds a word does not make it common. */
export const FEW_TEXTS = 50;

/** A word of a tag counts this many times: tags say what a memory is about. */
export const TAG_WEIGHT = 2;

/**
 * Pivoted length normalisation, stopwords left out: above the pivot, words count 1 / (1 + slope × (length / pivot − 1)). A long
 * answer holds every word; the short statement that it answers is wanted.
 */
export const LENGTH_PIVOT = 32;
export const LENGTH_SLOPE = 0.5;

/** What the previous and the next turn lend to a turn, and those at distance two: the subject carries on. */
export const PREVIOUS_TURN = 0.4;
export const NEXT_TURN = 0.25;
export const SECOND_TURN = 0.1;
/** A previous turn that asks lends this many times as much: it holds the subject of the answer. */
export const QUESTION_LENDS = 2;
/** The share that a neighbour lends of a word that the memory holds itself. */
export const LENT_AGAIN = 0.4;
/** Neighbours and session count less between a user and an assistant, whose answers are long and about everything. */
export const UNNAMED_NEIGHBOURS = 0.5;
export const UNNAMED_SESSION = 0.25;
/** Neighbours are read for memories with at least this share of the best score: to weaker ones they add too little. */
export const LENDING_SHARE = 0.5;

/** The author is named in the query. */
export const NAMED_AUTHOR = 0.5;
/** The same for a memory without any other word of the query: it is found, but ranks behind those that have one. */
export const NAMED_ALONE = 0.1;

/** How well the whole session matches; saturation of its words; how far long sessions are discounted. */
export const SESSION_PRIOR = 0.4;
export const SESSION_SATURATION = 2;
export const SESSION_LENGTH_SHARE = 0.4;

/** Taken off a turn that mostly asks: it repeats the question and does not answer it. */
export const ASKING_PENALTY = 0.15;

/** The memory is from the time that the query names. */
export const NAMED_TIME = 0.25;
/** The share of it for a memory written in that time, when the query asks for plans. */
export const WRITTEN_OF_PLANS = 0.5;
/** How close to the time a memory must be when the query names only a time; 1 is inside it. */
export const NEAR_IN_TIME = 0.5;

/**
 * How steeply relevance falls with the match: e^(sharpness × difference). A fully decayed memory (a tenth, e^−2.3) is level with
 * a fresh one that matches 0.12 worse. Steeper leaves decay no say among equals, flatter costs recall.
 */
export const SHARPNESS = 20;

/** Ranking of sessions: saturation of words. High: a session that keeps coming back to a word is about it. */
export const SESSION_RANK_SATURATION = 5;
/** Ranking of sessions: how many times words count of the side (user or assistant) that the query names. */
export const NAMED_SIDE = 2;

/** Memories that are compared in full, with their neighbours. More changes no figure. */
export const CANDIDATES = 48;

/**
 * Meaning: what each standard deviation above the mean cosine adds to a match, and how many count. A paraphrase stands five or
 * six above the mean, which is worth half of the words of the query. Noise in a thousand memories reaches three.
 */
export const SIMILARITY = 0.08;
/** The same for a memory that holds no word of the query: there, meaning is all there is to go by. */
export const WORDLESS_SIMILARITY = 0.16;
export const MOST_DEVIATIONS = 6;
/** What meaning adds at most to the `match` that a hit reports. */
export const MEANING_MATCH = 0.3;
/** Memories found by meaning alone. */
export const NEAREST = 48;
/** The least cosine by which word vectors find a memory without a word of the query: 2 % of unrelated memories reach it. */
export const LEAST_COSINE = 0.25;
/** With fewer vectors, missing ones count as unrelated: a few memories give no mean. */
export const FEW_VECTORS = 16;

/** Terms of a query that are scored, the rarest first. */
export const MAX_SCORED_TERMS = 64;

/** Typo correction of a word that no memory holds: the least letters of a word with one error, and with two. */
export const MIN_MISTYPED_LETTERS = 5;
export const TWO_ERRORS_LETTERS = 8;
/** Corrections of one word, and the weight of each: it is a guess, so words typed right must decide. */
export const MAX_MEANT = 3;
export const MEANT_WEIGHT = 0.6;
/** Words of a query that are corrected, the first: each takes time. */
export const MAX_MISTYPED = 2;
