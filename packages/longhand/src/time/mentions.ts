/**
 * The times that a question refers to: "what did I plant two weeks ago?", "what is on Friday?".
 *
 * A question takes a time softly, because people count roughly. What often means something else ("may", "second", "the 3rd
 * attempt") is left alone.
 */

import { bounded, type Calendar, type TimeRange } from './calendar.ts';
import { Grammar } from './grammar.ts';
import { mayHoldTime, scanWords } from './scan.ts';

export interface TimeMention extends TimeRange {
  /** How far outside the range a moment may lie and still be half as likely meant; see `closeness`. */
  readonly softnessMs: number;
  /** Where in the question it stands: `question.slice(from, to)`. */
  readonly from: number;
  readonly to: number;
  /** Whether it is to come: nothing was written then yet. */
  readonly isAhead: boolean;
  /** Counted from now, so that none of its words stands in an answer: "last week", and not "in May". */
  readonly isRelative: boolean;
  /** Means a time only where nothing else is asked for: "what is new lately?", and not "who did she meet lately?". */
  readonly isLoose: boolean;
}

/** A question that names more times than this singles out none of them. */
export const MAX_MENTIONS = 16;
/** Beyond this a question is a pasted text: it singles out no time, and asks for no plans. */
const LONGEST_QUESTION = 2_000;
/** Milliseconds: a time to come has hard edges. */
const AHEAD_SOFTNESS = 1;

/**
 * The times of a question, in the order of the text, at most `MAX_MENTIONS`.
 *
 * @param nowMs when the question is asked: "ten days ago" counts from it
 * @param calendar of the place where it is asked: there "yesterday" began
 */
export function timesIn(question: string, nowMs: number, calendar: Calendar): readonly TimeMention[] {
  if (question.length > LONGEST_QUESTION || !mayHoldTime(question)) return [];
  const scan = scanWords(question);
  const side = asksForPlans(question) ? 1 : -1;
  const grammar = new Grammar(scan, { nowMs, calendar, reader: 'question', side });
  const mentions: TimeMention[] = [];
  for (let at = 0; at < scan.words.length && mentions.length < MAX_MENTIONS; ) {
    const found = grammar.mention(at);
    const from = scan.from[at]!;
    at = found?.next ?? at + 1;
    if (!found) continue;
    const to = scan.to[at - 1]!;
    for (const each of found.other ? [found, found.other] : [found]) {
      const range = bounded(each);
      // "After May", asked in May, names no time that has been.
      if (each.startMs > each.endMs || mentions.length === MAX_MENTIONS) continue;
      const isAhead = range.startMs > nowMs;
      const softnessMs = isAhead ? AHEAD_SOFTNESS : found.softnessMs;
      const isRelative = found.isRelative === true;
      mentions.push({ ...range, softnessMs, from, to, isAhead, isRelative, isLoose: found.isLoose === true });
    }
  }
  return mentions;
}

/** How well a moment fits one of some times: 1 inside, half for each softness outside; 0 for none. */
export function closeness(mentions: readonly TimeMention[], ms: number): number {
  let most = 0;
  for (const { startMs, endMs, softnessMs } of mentions) {
    const distanceMs = Math.max(startMs - ms, ms - endMs, 0);
    most = Math.max(most, 2 ** (-distanceMs / softnessMs));
  }
  return most;
}

const PRESENT =
  /^(?:any|anything)\b|(?<![\w'])(?:is|are|am|what['’]?s|do|does|will|shall|should|must|can|got|ist|sind|bin|habe|haben|gibt|steht|stehen|wird|werde|muss|soll|est|suis|sont|ai|avons|y|plans?|schedule|agenda|calendar|upcoming|free|busy|available|frei|libre)(?!\w)/i;
/** "Was" is "what" in German, and begins a question. */
const PAST =
  /(?<=\S\s{1,3})was\b|\b(?:did|were|had|been|done|went|gone|new|news|latest|recent|recently|recap|summar\w+|memor(?:y|ies)|notes?|says?|said|tells?|told|know|knew|known|remember|recall|mention|talk|discuss|happen(?:s|ing)?|war|waren|hatte|hat|gemacht|getan|besprochen|beschlossen|entschieden|gesagt|gewesen|passiert|geschehen)\b|\bfrom\b(?!.*\b(?:to|until|till|through)\b)/i;
const ENDS_LIKE_PAST =
  /\b(?!(?:need|feed|speed|seed|bed|red|shed|wed|hundred|indeed|fred|alfred|ahmed|ted|planned|scheduled)\b)\w+ed\b/i;
/** "Do I have the signed contract tomorrow?" */
const BEGINS_PRESENT = /^\W*(?:is|are|am|do|does|will|shall|should|must|can|habe|haben|bin|ist)\b/i;

/** Whether a question asks for what is to come: "What is on Friday?", and not "What was". */
export function asksForPlans(question: string): boolean {
  if (question.length > LONGEST_QUESTION || !PRESENT.test(question) || PAST.test(question)) return false;
  return BEGINS_PRESENT.test(question) || !ENDS_LIKE_PAST.test(question);
}

const WHEN =
  /^[^\p{L}\d]*(?:[\p{L}\d]+\s+)?(?:when|wann|quand|(?:what|which)\s+(?:time|day|date|week|month|year))(?![\p{L}\d])/iu;

/** Whether a question asks when something is or was: "When is the demo?", "What day did she leave?", "By when". */
export function asksWhen(question: string): boolean {
  return WHEN.test(question);
}
