/**
 * Every constant of the ranking in one place. Each was chosen on one half of the conversations that recall is
 * measured with and confirmed on the other; `docs/scoring.md` gives the effect of leaving each out.
 *
 * All parts of a match are shares of an ideal: the words of a memory divided by a text
 * that holds every word of the query once, or a few of a long one. So the parts can be added, whatever the query.
 */

/**
 * An ideal text holds so many words of a query, or all where there are fewer: what answers a pasted paragraph repeats a few
 * of its words. With all of them a word would be next to nothing, and age, author and time would decide.
 */
export const IDEAL_TERMS = 5;

/** Saturation of repeated words. Low: in a turn of twenty words a second mention says little. */
export const WORD_SATURATION = 0.4;

/** A word of a tag counts so many times: whoever filed a memory under it said what it is about. */
export const TAG_WEIGHT = 2;

/**
 * Long memories hold every word, and often: from this many words on (stopwords left out), and again at eight and
 * sixty-four times as many, the words of a memory count less by the share below.
 */
export const LONG_MEMORY_WORDS = 256;
export const LONG_MEMORY_DISCOUNT = 0.15;

/** What the turn before lends, and the turn after: a conversation's subject carries from turn to turn. */
export const PREVIOUS_TURN = 0.4;
export const NEXT_TURN = 0.25;
/** The same for the turns at distance two. */
export const SECOND_TURN = 0.1;
/** A turn before that asks lends this many times as much: its words are the subject of the answer. */
export const QUESTION_LENDS = 2;
/** Of a word that the memory holds itself, a neighbour lends only this share: new words help more. */
export const LENT_AGAIN = 0.4;

/** Being said by somebody whom the question names. */
export const NAMED_AUTHOR = 0.5;
/** The same for what holds no other word of the question: it is found, and stands behind what does. */
export const NAMED_ALONE = 0.1;

/** How well the whole session matches. */
export const SESSION_PRIOR = 0.4;
/** Saturation of words in a session, and how far long sessions are discounted. */
export const SESSION_SATURATION = 2;
export const SESSION_LENGTH_SHARE = 0.6;

/** Taken off a turn that mostly asks: it repeats the words of a question without an answer. */
export const ASKING_PENALTY = 0.15;

/** Being from the time that the question speaks of. */
export const NAMED_TIME = 0.25;

/** A verb that goes with whatever is asked ("go", "take") counts as if so many memories held it, or this share of a small store. */
export const COMMON_HOLDERS = 20;
export const COMMON_SHARE = 0.5;

/** What the words of a time count that is counted from now ("last", "week"), where there are others: a text may say them too. */
export const TIME_WORD_WEIGHT = 0.2;

/** What a word counts that says in what a question wants to be answered ("how *far*", "which *day*"), where there are others. */
export const MEASURE_WEIGHT = 0.2;

/** How close to a day a memory is that speaks of it, whenever it was written: "tomorrow", "on 18 November". */
export const SPOKEN_DAY = 1;
/** The same where a weekday is said, which may be the one before or behind. */
export const SPOKEN_WEEKDAY = 0.75;
/** The same of "next Friday" where most would mean the Friday of another week. */
export const SPOKEN_OTHER_WEEK = 0.6;
/** Where plans are asked for, what was written in a time counts so much of that: it may be about anything. */
export const WRITTEN_OF_PLANS = 0.5;

/** In a question that names a time and nothing else: how close to it a memory must be to be found; 1 is inside of it. */
export const NEAR_IN_TIME = 0.5;

/**
 * How steeply relevance falls with the match: e^(sharpness × difference). A memory that is fully decayed
 * (a tenth, that is e^−2.3) is level with a fresh one that matches 0.26 worse: about a quarter of the words of
 * the query. Steeper costs decay its say among equals, flatter costs recall.
 */
export const SHARPNESS = 9;

/** In the ranking of sessions: saturation is slow, because a session that keeps coming back is about it. */
export const SESSION_RANK_SATURATION = 5;
/** In the ranking of sessions: what the best turn adds to the whole session. */
export const BEST_TURN = 0.5;
/** In the ranking of sessions: words of the side that the question speaks of count so many times. */
export const NAMED_SIDE = 2;

/** So many memories are compared in full, with the turns around them. More changes no figure. */
export const CANDIDATES = 48;

/**
 * What each standard deviation above the usual cosine adds to a match, with an embedder; and how many of them count.
 * A memory that says the same in other words stands five or six above the others: that is worth about as much as half
 * of the words of the query. Noise in a thousand memories reaches three.
 */
export const SIMILARITY = 0.08;
export const MOST_DEVIATIONS = 6;
/** So many are found by their meaning whatever their words. */
export const NEAREST = 48;
/** With fewer vectors than this, missing ones count as unrelated: two memories say nothing about what is usual. */
export const FEW_VECTORS = 16;

/** Terms of a query that count, the rarest first; more only repeat what these say. */
export const MAX_SCORED_TERMS = 64;

/**
 * A word that nobody wrote, and the nearest that somebody did: from so many letters on it may be mistyped, from so many on with
 * another letter in place of the right one ("boss" is no "bass", and "horse" no "house"), and from so many on with two errors.
 * Shorter ones are near to too many others.
 */
export const MIN_MISTYPED_LETTERS = 5;
export const MISTAKEN_LETTERS = 7;
export const TWO_ERRORS_LETTERS = 8;
/** It is taken for so many words at most: with more, none of them is what was meant. */
export const MAX_MEANT = 3;
/** They count so much of what the right word would: it is a guess, and what was typed right must decide. */
export const MEANT_WEIGHT = 0.6;
/** So many words of a query are looked for in this way, the first: who types mistypes one or two, and each takes time. */
export const MAX_MISTYPED = 2;
/** All words of a query are looked for in so many other ways, the first: pasted lists of numbers have thousands. */
export const MAX_OTHER_WAYS = 512;
/** A word that is in no memory is looked for as so many pairs of words at most. */
export const MAX_CUTS = 2;

/** Turns around a memory are looked at when it has at least this share of the best score: less lends little. */
export const LENDING_SHARE = 0.5;

/** What a day that a query names counts, of a word that as many memories hold. */
export const WHOLE_DATE = 1;
/** What its number, month and year count beside it. */
export const WORD_OF_DATE = 0.3;
/** So many days of a query count as a whole, the first: each is a walk through all memories. */
export const MAX_WHOLE_DATES = 8;
