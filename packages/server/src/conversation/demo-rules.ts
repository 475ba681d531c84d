import type { Reading, Statement, ToolAnswer } from './demo-prompt.ts';
import {
  asSpokenTo,
  bestStatement,
  isNewer,
  isSame,
  shareOf,
  singleOf,
  withoutCorrection,
  wordsOf,
} from './demo-recall.ts';

/** What the demo model does next: it says something, or it calls a tool. */
export type Move =
  | { readonly text: string }
  | { readonly tool: string; readonly input: Readonly<Record<string, unknown>> };

/** One kind of request: how it is recognised, and what is done about it. */
interface Rule {
  readonly pattern: RegExp;
  readonly act: (about: string, reading: Reading, tools: ReadonlySet<string>) => Move;
}

export const DEMO_MARK = '[demo]';
const SHOWN_CHARACTERS = 600;

/** The first rule whose pattern fits acts; its first group is what the request is about. */
const RULES: readonly Rule[] = [
  {
    pattern: /^(?:please\s+)?(?:use|call|run)\s+(?:the\s+tool\s+)?([\w-]+(?:\s+\{[\s\S]*\})?)$/i,
    act: useTool,
  },
  {
    pattern: /^(?:please\s+)?(?:show|read|open|retrieve|get)\b.*?(?:\[MemoryRef:\s*|memory\s+)([\w-]+)/i,
    act: retrieve,
  },
  {
    pattern: /^(?:please\s+)?(?:show|read|what is in|what's in)\s+(?:me\s+)?your (notes)/i,
    act: readNotes,
  },
  { pattern: /\byour notes?\s*[:,]?\s+(?:that\s+)?([\s\S]+)$/i, act: addToNotes },
  { pattern: /\bjournal\s*[:,]?\s+(?:that\s+)?([\s\S]+)$/i, act: keepWith('save_to_journal') },
  { pattern: /\bcore memor(?:y|ies)\s*[:,]?\s+(?:that\s+)?([\s\S]+)$/i, act: keepWith('save_to_core') },
  { pattern: /^(?:please\s+)?forget\s+(?:that\s+|about\s+|what I said about\s+)?([\s\S]+)$/i, act: forget },
  { pattern: /^(what (?:do|can) you (?:remember|know)(?: about (?:me|us))?|who am I)\s*\??$/i, act: listAll },
  {
    pattern:
      /^(?:please\s+)?(?:remember|note|keep in mind|do not forget|don['’]t forget)(?:\s+that\b|\s*[:,])?\s+([^?]+)$/i,
    act: remember,
  },
  {
    pattern: /^(hello|hi|hey|good (?:morning|evening|day)|help|who are you|what can you do)\b/i,
    act: introduce,
  },
  { pattern: /^((?:my|our|i|i['’]m|we)\b[^?]+)$/i, act: remember },
  { pattern: /^([\s\S]*\?)\s*$/, act: recall },
  {
    pattern: /^((?:what|who|where|when|which|how|why|do|does|did|is|are|was|tell me)\b[\s\S]*)$/i,
    act: recall,
  },
];

/** Before something else. */
const GREETING = /^(?:hello|hi|hey)(?:\s+there)?[,!.]?\s+(?=\S)/i;

export function decide(reading: Reading, tools: ReadonlySet<string>): Move {
  if (reading.hasImages) return say('I was shown a picture, and cannot see: that takes a real model.');
  const request = withoutCorrection(reading.request.replace(GREETING, ''));
  for (const { pattern, act } of RULES) {
    const about = pattern.exec(request)?.[1]?.trim();
    if (about !== undefined && about !== '') return act(about, reading, tools);
  }
  return introduce();
}

function say(text: string): Move {
  return { text: `${DEMO_MARK} ${text}` };
}

function introduce(): Move {
  return say(
    'I am Longhand’s built-in demo model: a few rules, no language model. I can remember (“remember that my dog is ' +
      'called Rex”), recall (“what is my dog called?”), forget (“forget my dog”), keep notes (“add to your notes: …”), ' +
      'and use tools. Name a real model in longhand.config.yaml to talk freely.',
  );
}

function resultOf(reading: Reading, tool: string): ToolAnswer | undefined {
  return reading.results.findLast(({ name }) => name === tool);
}

function errorOf(result: ToolAnswer): string | undefined {
  const output = result.output;
  return typeof output === 'object' && output !== null && 'error' in output
    ? String(output.error)
    : undefined;
}

function remember(about: string, reading: Reading, tools: ReadonlySet<string>): Move {
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

function addToNotes(about: string, reading: Reading, tools: ReadonlySet<string>): Move {
  const note = { operation: 'append', content: `- ${upperFirst(about)}` };
  return withTool(
    'manage_long_term_memory',
    note,
    reading,
    tools,
    () => `I wrote it into my notes: “${about}”`,
  );
}

function readNotes(_: string, reading: Reading, tools: ReadonlySet<string>): Move {
  return withTool('manage_long_term_memory', { operation: 'read' }, reading, tools, (output) => {
    const { notes = '' } = output as { readonly notes?: string };
    return notes.trim() === '' ? 'My notes are empty.' : `My notes say:\n${shorten(notes)}`;
  });
}

function keepWith(tool: string): Rule['act'] {
  return (about, reading, tools) =>
    withTool(tool, { content: upperFirst(about) }, reading, tools, () => `I kept it: “${about}”`);
}

function retrieve(key: string, reading: Reading, tools: ReadonlySet<string>): Move {
  return withTool('retrieve_memory', { memory_key: key }, reading, tools, (output) => {
    const { content = '' } = output as { readonly content?: string };
    return `${key} holds:\n${shorten(content)}`;
  });
}

function useTool(about: string, reading: Reading, tools: ReadonlySet<string>): Move {
  const [, name = '', json = '{}'] = /^([\w-]+)\s*(\{[\s\S]*\})?$/.exec(about) ?? [];
  let input: Record<string, unknown>;
  try {
    input = JSON.parse(json) as Record<string, unknown>;
  } catch {
    return say(`What is to be handed to ${name} must be JSON.`);
  }
  return withTool(name, input, reading, tools, (output) => {
    return `${name} answered: ${shorten(typeof output === 'string' ? output : JSON.stringify(output))}`;
  });
}

/** Calls a tool once, and then says what came of it. */
function withTool(
  tool: string,
  input: Readonly<Record<string, unknown>>,
  reading: Reading,
  tools: ReadonlySet<string>,
  tell: (output: unknown) => string,
): Move {
  const result = resultOf(reading, tool);
  if (result === undefined) {
    return tools.has(tool) ? { tool, input } : say(`I cannot do that: I have no tool ${tool} here.`);
  }
  const error = errorOf(result);
  return say(error === undefined ? tell(result.output) : `That did not work: ${error}`);
}

function recall(question: string, reading: Reading, tools: ReadonlySet<string>): Move {
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
function forget(about: string, reading: Reading, tools: ReadonlySet<string>): Move {
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

function listAll(_: string, reading: Reading, tools: ReadonlySet<string>): Move {
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

function shorten(text: string): string {
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS).trimEnd()}…` : text;
}

function upperFirst(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
