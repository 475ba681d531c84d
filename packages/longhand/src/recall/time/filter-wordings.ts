import { EARLIEST_MS } from './calendar.ts';
import { type Edge, matchEdge, matchRange } from './mentions.ts';
import { matchPeriod } from './periods.ts';
import { type Found, type Scan, skip, wordAt, yearAt } from './scan.ts';
import { DATE_SOFTNESS, goSpans, matchOrdinal, matchSpans, rolling } from './spans.ts';
import { LENGTHS, phrases, SPAN_ENDS } from './vocabulary.ts';
import { yearlyName } from './years.ts';

/**
 * What only a filter says: "older than 30 days", "up to Friday", "from May on", "all of last year". In a question such words
 * mean other things as often, and the time in them is read without them, softly.
 */

/** Words of the longest phrase below. */
const MAX_PHRASE_WORDS = 3;

const AGES = phrases<'beyond' | 'inside'>({
  'more_than over longer_than older_than at_least earlier_than': 'beyond',
  'less_than under newer_than younger_than at_most up_to max no_more_than not_more_than': 'inside',
  'no_older_than not_older_than later_than': 'inside',
});

const FILTER_EDGES = phrases<Edge>({
  'starting starting_on starting_from starting_in as_of': 'from',
  later_than: 'after',
  'prior_to earlier_than older_than': 'before',
  'up_to up_until through by': 'through',
});

/** Words that add nothing to the time behind them. */
const FILLERS = phrases({
  'all all_of the_whole the_whole_of the_entire any_time anytime sometime some_time': true,
});

interface Lead<Meaning> {
  readonly meaning: Meaning;
  readonly next: number;
}

/** The longest phrase that the text begins with. */
function lead<Meaning>(scan: Scan, table: ReadonlyMap<string, Meaning>): Lead<Meaning> | undefined {
  for (let count = MAX_PHRASE_WORDS; count > 0; count--) {
    const meaning = table.get(scan.words.slice(0, count).join('_'));
    if (meaning !== undefined) return { meaning, next: count };
  }
  return undefined;
}

/** All of these take the text as a whole, or nothing. */
export function matchFilterWording(scan: Scan): Found | undefined {
  return (
    matchAge(scan) ??
    matchFilterEdge(scan) ??
    matchFrom(scan) ??
    matchTogether(scan) ??
    matchYearAndName(scan) ??
    matchBareQuarter(scan) ??
    matchAfterFiller(scan)
  );
}

const isWhole = (scan: Scan, found: Found | undefined): found is Found => found?.next === scan.words.length;

/** "More than a week ago", "older than 30 days"; "less than two days ago", "newer than a month". */
function matchAge(scan: Scan): Found | undefined {
  const age = lead(scan, AGES);
  const spans = age ? matchSpans(scan, age.next, LENGTHS) : [];
  const last = spans[spans.length - 1];
  if (!age || !last || skip(scan, last.next, 'ago', 'old') !== scan.words.length) return undefined;
  const next = scan.words.length;
  if (age.meaning === 'inside') return { ...rolling(scan, spans, -1), next };
  const endMs = goSpans(scan.calendar, scan.nowMs, spans, -1) - 1;
  return { startMs: EARLIEST_MS, endMs, softnessMs: DATE_SOFTNESS, next };
}

/** "Up to yesterday", "by Friday", "prior to May", "starting Monday". */
function matchFilterEdge(scan: Scan): Found | undefined {
  const edge = lead(scan, FILTER_EDGES);
  const found = edge && matchEdge(scan, edge.next, edge.meaning);
  return isWhole(scan, found) ? found : undefined;
}

/** "From May on", "from Monday onwards": "from May" alone is May. */
function matchFrom(scan: Scan): Found | undefined {
  if (wordAt(scan, 0) !== 'from') return undefined;
  const found = matchEdge(scan, 1, 'from');
  if (!found) return undefined;
  const next = skip(scan, found.next, 'on', 'onward', 'onwards');
  return next > found.next && next === scan.words.length ? { ...found, next } : undefined;
}

/** "Today and yesterday": what touches is one time; "March and May" are two. */
function matchTogether(scan: Scan): Found | undefined {
  const first = matchPeriod(scan, 0, true);
  const word = first && wordAt(scan, first.next);
  if (!first || (word !== 'and' && word !== 'or')) return undefined;
  const second = matchPeriod(scan, first.next + 1, true);
  if (!isWhole(scan, second)) return undefined;
  const [early, late] = first.startMs < second.startMs ? [first, second] : [second, first];
  return early.endMs + 1 === late.startMs
    ? { ...second, startMs: early.startMs, endMs: late.endMs }
    : undefined;
}

/** "2026 May": in a question, "in 2026 may we" is none. */
function matchYearAndName(scan: Scan): Found | undefined {
  const year = yearAt(scan, 0);
  const name = year === undefined ? undefined : yearlyName(scan, 1);
  const range = name?.next === scan.words.length ? name.annual(year!) : undefined;
  return range && { ...range, softnessMs: name!.softnessMs, next: name!.next };
}

/** "First quarter": the latest that has begun. In a question it may be that of a match, and a half may be of anything. */
function matchBareQuarter(scan: Scan): Found | undefined {
  const ordinal = matchOrdinal(scan, skip(scan, 0, 'the'));
  const isQuarter = ordinal && wordAt(scan, ordinal.next) === 'quarter';
  if (!isQuarter || ordinal.next + 1 !== scan.words.length) return undefined;
  const words = ['q', String(ordinal.value)];
  const short = { ...scan, words, from: [0, 1], to: [1, 2], isSmall: [true, true] };
  const found = matchPeriod(short, 0, true);
  return found?.next === words.length ? { ...found, next: scan.words.length } : undefined;
}

/** "All of last year", "the whole of May", "sometime last week". */
function matchAfterFiller(scan: Scan): Found | undefined {
  const filler = lead(scan, FILLERS);
  if (!filler) return undefined;
  const at = skip(scan, filler.next, 'in', 'during', 'on', 'from');
  const found = matchRange(scan, at, SPAN_ENDS) ?? matchPeriod(scan, at, true);
  return isWhole(scan, found) ? found : undefined;
}
