import type { MemoryEntry } from 'longhand';
import { corrects, isSame, singleOf, takesPlaceOf, topicOf } from './demo-corrections.ts';
import { errorOf, type Move, resultOf, say, shorten, upperFirst, withTool } from './demo-move.ts';
import { isOneSentence, type Reading, type Statement, type ToolAnswer } from './demo-prompt.ts';
import { asSpokenTo, bestStatement, isAbout, isNewer, shareOf, wordsOf } from './demo-recall.ts';
import { textOfMemory } from './memory-in-words.ts';

/** What the demo model does with memories: it keeps, recalls, forgets and lists them, through tools alone. */

/**
 * Kept first, and only then is forgotten what it takes the place of: whatever goes wrong in between, nothing is lost.
 */
export function remember(about: string, reading: Reading, tools: ReadonlySet<string>): Move {
  const fact = upperFirst(about.replace(/[\s.!]+$/, ''));
  const stored = resultOf(reading, 'store_memory');
  if (stored === undefined && !tools.has('store_memory')) return addToNotes(fact, reading, tools);
  const error = stored === undefined ? undefined : errorOf(stored);
  if (error !== undefined) return say(`I could not keep that: ${error}`);
  const kept = keptStatements(reading);
  const newest = newestAbout(fact, kept);
  const isKnown = newest !== undefined && isSame(newest.text, fact);
  if (stored === undefined && !isKnown) {
    if (resultOf(reading, 'search_memory') === undefined && tools.has('search_memory'))
      return { tool: 'search_memory', input: { query: queryFor(fact) } };
    return { tool: 'store_memory', input: { content: `${fact}.`, type: kindOf(fact) } };
  }
  const replaced = replacedBy(fact, kept, corrects(reading.request));
  const tried = new Set(forgettings(reading).map(({ key }) => key));
  const next = replaced.find(({ key }) => !tried.has(key));
  if (next !== undefined && tools.has('forget_memory'))
    return { tool: 'forget_memory', input: { memory_key: next.key } };
  const answer =
    stored === undefined ? `I know that already: “${newest!.text}”` : `I will remember: “${fact}.”`;
  return say([answer, ...tellReplaced(reading, replaced, isKnown ? undefined : newest)].join(' '));
}

/** The memories that are no longer true, by key: only such as say nothing else, since all of a memory goes. */
function replacedBy(fact: string, kept: readonly Statement[], isCorrection: boolean): Statement[] {
  const replaced = kept.filter(
    ({ text, key, isWhole }) => key !== '' && isWhole && takesPlaceOf(fact, text, isCorrection),
  );
  return [...new Map(replaced.map((each) => [each.key, each])).values()];
}

function tellReplaced(reading: Reading, replaced: readonly Statement[], newest?: Statement): string[] {
  const gone = new Set(forgettings(reading).flatMap(({ key, error }) => (error === undefined ? [key] : [])));
  const old = newest === undefined || replaced.some(({ text }) => text === newest.text) ? [] : [newest];
  return [...replaced, ...old].map(({ text, key }) =>
    gone.has(key)
      ? `It takes the place of “${text}”, which I have forgotten.`
      : `It takes the place of “${text}”, which I still have too.`,
  );
}

/** What `forget_memory` was called for, and what came of it. */
function forgettings({ results }: Reading): { readonly key: string; readonly error: string | undefined }[] {
  return results
    .filter(({ name }) => name === 'forget_memory')
    .map((result) => {
      const { memory_key: key = '' } = (result.input ?? {}) as { readonly memory_key?: string };
      return { key, error: errorOf(result) };
    });
}

/** Where somebody lives may have been told as a move, and the other way round. In sentences: people watch the searches. */
function queryFor(text: string): string {
  const sentence = /[.!?]$/.test(text) ? text : `${text}.`;
  if (/\bmoved to\b/i.test(text)) return `${sentence} Where do I live?`;
  return /\blive\b/i.test(text) ? `${sentence} Where have I moved to?` : text;
}

/** The latest of what was kept that says the same, or what this would take the place of. */
function newestAbout(fact: string, kept: readonly Statement[]): Statement | undefined {
  const single = singleOf(fact);
  const about = kept.filter(
    ({ text }) => isSame(text, fact) || (single !== undefined && singleOf(text) === single),
  );
  return about.reduce<Statement | undefined>(
    (newest, one) => (newest === undefined || isNewer(one, newest) ? one : newest),
    undefined,
  );
}

/** Fences in which facts are kept; that of a memory has no kind. Others hold placeholders and what was only said. */
const FACTS: ReadonlySet<string> = new Set(['', 'notes']);
/** What the agent has kept for itself, its journal and core memories: “I” and “my” in them are not the user's. */
const OWN = 'private-memory';

/** What was kept from earlier, as far as prompt and searches have shown it. */
function keptStatements(reading: Reading): Statement[] {
  const found = reading.results.filter(({ name }) => name === 'search_memory').flatMap(foundIn);
  const shown = reading.statements.filter(({ isStored }) => isStored);
  return [...shown, ...found].filter(({ kind }) => FACTS.has(kind));
}

/** Quoted as they stand, and never told as something that the user has said. */
function ownStatements({ statements }: Reading): Statement[] {
  return statements.filter(({ kind }) => kind === OWN);
}

function kindOf(fact: string): string {
  if (/\b(?:like|love|prefer|favou?rite|hate|always|never|want)\b/i.test(fact)) return 'preference';
  return /\b(?:decided|decision|agreed|chose)\b/i.test(fact) ? 'decision' : 'finding';
}

/** Asks for all that there is of something, and not for one answer. */
const ASKS_FOR_ALL = /\b(?:know|remember|recall|tell (?:me|us))\b.*\babout\b/i;
/** Names a time: what is recalled is of it, whatever its words are. */
const NAMES_TIME =
  /\b(?:yesterday|today|tonight|morning|afternoon|evening|night|(?:mon|tues|wednes|thurs|fri|satur|sun)day|weekend|(?:last|this|past) (?:week|month|year|\w+)|ago|recently|lately)\b/i;

export function recall(question: string, reading: Reading, tools: ReadonlySet<string>): Move {
  if (!ASKS_FOR_ALL.test(question)) return recallOne(question, reading, tools);
  const found = resultOf(reading, 'search_memory');
  if (found === undefined && tools.has('search_memory'))
    return { tool: 'search_memory', input: { query: queryFor(question) } };
  const said = bestStatement(
    question,
    reading.statements.filter(({ isStored }) => !isStored),
  );
  const recalled = found === undefined ? [] : nearTheBest(found);
  if (!recalled.some(({ text }) => isAbout(question, text))) return recallOne(question, reading, tools);
  return say(`This is what I know of it:\n${listed([...(said === undefined ? [] : [said]), ...recalled])}`);
}

function recallOne(question: string, reading: Reading, tools: ReadonlySet<string>): Move {
  const known = bestStatement(
    question,
    reading.statements.filter(({ kind }) => kind !== OWN),
  );
  const found = resultOf(reading, 'search_memory');
  const canSearch = found === undefined && tools.has('search_memory');
  // What was told in other words was not recalled with it, and may be newer: whoever moved lives elsewhere.
  const mayBeOld = known?.isStored === true && queryFor(question) !== question;
  if (known !== undefined && !(mayBeOld && canSearch)) {
    const newer = found === undefined || !mayBeOld ? undefined : bestFound(question, found);
    if (newer !== undefined && newer.key !== known.key && isNewer(newer, known))
      return say(`${asSpokenTo(newer.text)} (found in my memory)`);
    const source = known.isStored ? 'from my memory' : 'from this conversation';
    return say(`${asSpokenTo(known.text)} (${source})`);
  }
  if (canSearch) {
    return { tool: 'search_memory', input: { query: queryFor(question) } };
  }
  const best = found === undefined ? undefined : bestFound(question, found);
  if (best !== undefined) return say(`${asSpokenTo(best.text)} (found in my memory)`);
  const own = bestStatement(question, ownStatements(reading));
  if (own !== undefined) return say(`All I have is what I keep for myself: “${own.text}”`);
  const recalled = found === undefined ? [] : nearTheBest(found);
  if (recalled.length > 0 && NAMES_TIME.test(question))
    return say(`This is what I recall of that time:\n${listed(recalled)}`);
  const unknown = 'I do not know that. Tell me with “remember that …”, and I will.';
  if (recalled.length === 0) return say(unknown);
  return say(`${unknown} What I recalled comes nearest to it:\n${listed(recalled)}`);
}

/** So much less relevant than the best is beside the point. */
const NEAR_THE_BEST = 0.3;
const MOST_RECALLED = 5;

/** What was found, best first. */
function nearTheBest(found: ToolAnswer): Statement[] {
  const results = resultsIn(found);
  const least = NEAR_THE_BEST * Math.max(0, ...results.map(({ relevance = 0 }) => relevance));
  const near = results.filter(({ relevance = 0 }) => relevance >= least);
  return near
    .map(toStatement)
    .filter(({ kind }) => FACTS.has(kind))
    .slice(0, MOST_RECALLED);
}

function listed(statements: readonly Statement[]): string {
  return shorten([...new Set(statements.map(({ text }) => `- ${asSpokenTo(text)}`))].join('\n'));
}

/** The memory that is meant, with those that say the same or have had its place: none of them may come back. */
export function forget(about: string, reading: Reading, tools: ReadonlySet<string>): Move {
  const gone = reading.results.filter(({ name }) => name === 'forget_memory');
  const error = gone.map(errorOf).find((each) => each !== undefined);
  if (error !== undefined) return say(`I could not forget it: ${error}`);
  const found = resultOf(reading, 'search_memory');
  const next = found === undefined ? undefined : meantBy(about, found)[gone.length];
  if (next !== undefined && tools.has('forget_memory'))
    return { tool: 'forget_memory', input: { memory_key: next.key } };
  if (next !== undefined && gone.length > 0)
    return say('Some of it is forgotten. Ask me again for the rest.');
  if (gone.length > 0) return say(tellForgotten(gone, found === undefined ? [] : meantBy(about, found)));
  if (!tools.has('search_memory') || !tools.has('forget_memory')) {
    return say('I cannot do that: I have no tool to forget with.');
  }
  if (found === undefined) return { tool: 'search_memory', input: { query: about } };
  return say('I remember nothing of the kind.');
}

/** No more than what the tool promises: what others have said of it is not among what it takes. */
function tellForgotten(gone: readonly ToolAnswer[], meant: readonly Statement[]): string {
  const texts = meant.slice(0, gone.length).map(({ text }) => `“${text}”`);
  const hadMessage = gone.some(({ output }) => ((output ?? {}) as { readonly pieces?: number }).pieces! > 1);
  const what = hadMessage ? 'the memory and the message it came from are gone' : 'the memory is gone';
  return (
    `It is forgotten: ${texts.length === 0 ? '' : `${shorten(texts.join(', '))}; `}${what}. What you or I said about it in other messages stays in the transcript; ` +
    '“longhand forget --session … --everything” takes that too.'
  );
}

function meantBy(about: string, found: ToolAnswer): Statement[] {
  const best = bestFound(about, found);
  if (best === undefined) return [];
  const topic = topicOf(best.text);
  const share = shareOf(about, best.text);
  return foundIn(found).filter(({ text }) => {
    const isOfTopic = isSame(text, best.text) || (topic !== undefined && topicOf(text) === topic);
    return isOfTopic && shareOf(about, text) === share;
  });
}

/** Every memory is found by its type too: a search for all of them finds what there is, whatever it says. */
export const EVERYTHING = 'conversation decision finding preference';
const LISTED = 50;

export function listAll(_: string, reading: Reading, tools: ReadonlySet<string>): Move {
  if (resultOf(reading, 'search_memory') === undefined && tools.has('search_memory'))
    return {
      tool: 'search_memory',
      // With types, nothing is left out for hardly matching.
      input: { query: EVERYTHING, types: EVERYTHING.split(' '), limit: LISTED },
    };
  const kept = keptStatements(reading);
  const lines = kept
    .filter(({ text }) => newestAbout(text, kept)!.text === text)
    .map(({ text }) => `- ${asSpokenTo(text)}`);
  const own = ownStatements(reading).map(({ text }) => `- “${text}”`);
  const told =
    lines.length === 0
      ? 'Nothing yet. Tell me with “remember that …”, and I will.'
      : `This is what I know:\n${shorten([...new Set(lines)].join('\n'))}`;
  if (own.length === 0) return say(told);
  return say(`${told}\nAnd this I keep for myself:\n${shorten([...new Set(own)].join('\n'))}`);
}

interface Found {
  readonly memory_key: string;
  readonly memory_type?: string;
  readonly summary: string;
  readonly timestamp?: string;
  readonly relevance?: number;
}

function resultsIn({ output }: ToolAnswer): readonly Found[] {
  const { results = [] } = (output ?? {}) as { readonly results?: readonly Found[] };
  return results;
}

function foundIn(answer: ToolAnswer): Statement[] {
  return resultsIn(answer).map(toStatement);
}

function toStatement({ memory_key, memory_type, summary, timestamp = '' }: Found): Statement {
  return {
    text: inWords(summary),
    isStored: true,
    date: timestamp.slice(0, 'YYYY-MM-DD'.length),
    key: memory_key,
    kind: memory_type === 'detail' ? 'details' : '',
    isWhole: isOneSentence(summary),
  };
}

/** A memory of several fields is shown as JSON, when it is short enough to be whole. */
function inWords(summary: string): string {
  if (!summary.startsWith('{')) return summary;
  try {
    return textOfMemory({ content: JSON.parse(summary) as MemoryEntry['content'] });
  } catch {
    return summary;
  }
}

function bestFound(question: string, found: ToolAnswer): Statement | undefined {
  return wordsOf(question).length === 0 ? undefined : bestStatement(question, foundIn(found));
}

export function addToNotes(about: string, reading: Reading, tools: ReadonlySet<string>): Move {
  const note = { operation: 'append', content: `- ${upperFirst(about)}` };
  return withTool(
    'manage_long_term_memory',
    note,
    reading,
    tools,
    () => `I wrote it into my notes: “${about}”`,
  );
}
