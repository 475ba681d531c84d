import { errorOf, type Move, resultOf, say, shorten, upperFirst, withTool } from './demo-move.ts';
import type { Reading, Statement, ToolAnswer } from './demo-prompt.ts';
import { asSpokenTo, bestStatement, isNewer, isSame, shareOf, singleOf, wordsOf } from './demo-recall.ts';

/** What the demo model does with memories: it keeps, recalls, forgets and lists them, through tools alone. */

export function remember(about: string, reading: Reading, tools: ReadonlySet<string>): Move {
  const fact = upperFirst(about.replace(/[\s.!]+$/, ''));
  const stored = resultOf(reading, 'store_memory');
  if (stored === undefined && !tools.has('store_memory')) return addToNotes(fact, reading, tools);
  const newest = newestAbout(fact, keptStatements(reading));
  if (stored !== undefined) {
    const error = errorOf(stored);
    if (error !== undefined) return say(`I could not keep that: ${error}`);
    const before = newest === undefined ? '' : ` It takes the place of “${newest.text}”`;
    return say(`I will remember: “${fact}.”${before}`);
  }
  if (newest !== undefined && isSame(newest.text, fact)) return say(`I know that already: “${newest.text}”`);
  if (resultOf(reading, 'search_memory') === undefined && tools.has('search_memory'))
    return { tool: 'search_memory', input: { query: fact } };
  return { tool: 'store_memory', input: { content: `${fact}.`, type: kindOf(fact) } };
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
const FACTS: ReadonlySet<string> = new Set(['', 'notes', 'private-memory']);

/** What was kept from earlier, as far as prompt and searches have shown it. */
function keptStatements(reading: Reading): Statement[] {
  const found = reading.results.filter(({ name }) => name === 'search_memory').flatMap(foundIn);
  const shown = reading.statements.filter(({ isStored }) => isStored);
  return [...shown, ...found].filter(({ kind }) => FACTS.has(kind));
}

function kindOf(fact: string): string {
  if (/\b(?:like|love|prefer|favou?rite|hate|always|never|want)\b/i.test(fact)) return 'preference';
  return /\b(?:decided|decision|agreed|chose)\b/i.test(fact) ? 'decision' : 'finding';
}

export function recall(question: string, reading: Reading, tools: ReadonlySet<string>): Move {
  const known = bestStatement(question, reading.statements);
  if (known !== undefined) {
    const source = known.isStored ? 'from my memory' : 'from this conversation';
    return say(`${asSpokenTo(known.text)} (${source})`);
  }
  const found = resultOf(reading, 'search_memory');
  if (found === undefined && tools.has('search_memory')) {
    return { tool: 'search_memory', input: { query: question } };
  }
  const best = found === undefined ? undefined : bestFound(question, found);
  if (best !== undefined) return say(`${asSpokenTo(best.text)} (found in my memory)`);
  return say('I do not know that. Tell me with “remember that …”, and I will.');
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
  if (next !== undefined && gone.length > 0) return say('Some of it is forgotten, for good. Ask me again.');
  if (gone.length > 0) return say('It is forgotten, for good.');
  if (!tools.has('search_memory') || !tools.has('forget_memory')) {
    return say('I cannot do that: I have no tool to forget with.');
  }
  if (found === undefined) return { tool: 'search_memory', input: { query: about } };
  return say('I remember nothing of the kind.');
}

function meantBy(about: string, found: ToolAnswer): Statement[] {
  const best = bestFound(about, found);
  if (best === undefined) return [];
  const single = singleOf(best.text);
  const share = shareOf(about, best.text);
  return foundIn(found).filter(({ text }) => {
    const isAbout = isSame(text, best.text) || (single !== undefined && singleOf(text) === single);
    return isAbout && shareOf(about, text) === share;
  });
}

/** Words of which every sentence has one: a search for them finds what there is. */
const EVERYTHING = 'my our I we me us you is are was were has have the a an in on at of to';
const LISTED = 50;

export function listAll(_: string, reading: Reading, tools: ReadonlySet<string>): Move {
  if (resultOf(reading, 'search_memory') === undefined && tools.has('search_memory'))
    return { tool: 'search_memory', input: { query: EVERYTHING, limit: LISTED } };
  const kept = keptStatements(reading);
  const lines = kept
    .filter(({ text }) => newestAbout(text, kept)!.text === text)
    .map(({ text }) => `- ${asSpokenTo(text)}`);
  if (lines.length === 0) return say('Nothing yet. Tell me with “remember that …”, and I will.');
  return say(`This is what I know:\n${shorten([...new Set(lines)].join('\n'))}`);
}

interface Found {
  readonly memory_key: string;
  readonly memory_type?: string;
  readonly summary: string;
  readonly timestamp?: string;
}

function foundIn({ output }: ToolAnswer): Statement[] {
  const { results = [] } = (output ?? {}) as { readonly results?: readonly Found[] };
  return results.map(({ memory_key, memory_type, summary, timestamp = '' }) => ({
    text: summary,
    isStored: true,
    date: timestamp.slice(0, 'YYYY-MM-DD'.length),
    key: memory_key,
    kind: memory_type === 'detail' ? 'details' : '',
  }));
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
