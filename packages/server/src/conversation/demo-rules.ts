import { openScratch } from '../open-store.ts';
import { isRequest, type Reading, sayReplaced, statementsIn, type ToolAnswer } from './demo-prompt.ts';

/** What the demo model does next: it says something, or it calls a tool. */
export type Move =
  | { readonly text: string }
  | { readonly tool: string; readonly input: Readonly<Record<string, unknown>> };

/**
 * The demo's three rules: it remembers what is stated, it answers from what its prompt and its tools show, and it says
 * that it is a demo. Beside them it obeys two plain commands, `forget …` and `use TOOL {…}`.
 */
export async function decide(reading: Reading, tools: ReadonlySet<string>): Promise<Move> {
  const request = reading.request.replace(OPENS, '');
  if (reading.hasImages) return say('I was shown a picture, and I cannot see: that takes a real model.');
  const [, tool, json] = /^(?:please\s+)?use\s+([\w-]+)(?:\s+(\{[\s\S]*\}))?$/i.exec(request) ?? [];
  if (tool !== undefined) return use(tool, json ?? '{}', reading, tools);
  const [, unwanted] = /^(?:please\s+)?forget\s+(?:that\s+|about\s+)?([\s\S]+)$/i.exec(request) ?? [];
  if (unwanted !== undefined) return forget(unwanted, reading, tools);
  const fact = factIn(request);
  if (fact !== undefined) return remember(fact, reading, tools);
  const isQuestion = request.endsWith('?') || ASKS.test(request);
  return isQuestion && !ABOUT_DEMO.test(request) ? answer(request, reading, tools) : introduce();
}

const OPENS = /^(?:(?:hello|hi|hey|thanks|thank you|ok|okay)[,.!]+\s+)+/i;
const ABOUT_DEMO = /^(?:what can you do|(?:what|who) are you)\b/i;

const ASKS = /^(?:what|who|where|when|which|how|why|do|does|did|is|are|was|were|can|should|tell me)\b/i;
const REMEMBER = /^(?:please\s+)?(?:remember|note|do not forget|don['’]t forget)(?:\s+that\b|\s*[:,])?\s+/i;
/** A sentence with a person or a state in it; “ok then” states nothing that is worth keeping. */
const STATES = /\b(?:i|i['’]m|my|mine|we|our|is|are|was|were|has|have|had|will)\b/i;

/** Who moved to a place lives there: as a state it is found by the question, and it replaces the old state. */
const MOVED =
  /\b(I|we)(?:['’]ve| have)?(?: just| recently)? moved to (.+?)( (?:last|this|yesterday|today|on|in|since|an?|\d+|two|three)\b[^.!]*)?([.!]*)$/i;
const CORRECTS = /^(?:actually|no|sorry|correction)\s*[,:]\s+/i;

function factIn(request: string): string | undefined {
  const said = request.replace(CORRECTS, '');
  const text = said.replace(REMEMBER, '').replace(MOVED, (_, who, place, when, end) => {
    return `${who} live in ${place}${when === undefined ? '' : ` (moved${when})`}${end}`;
  });
  if (text === said && (isRequest(text) || !STATES.test(text))) return undefined;
  return text === '' || text.endsWith('?') ? undefined : text.slice(0, 1).toUpperCase() + text.slice(1);
}

const PREFERS = /\b(?:like|love|prefer|favou?rite|hate|always|never|allergic|want)\b/i;
/** Words by which people say that something is no longer as it was. */
const CHANGES =
  /\b(?:actually|no|sorry|correction|now|moved|changed|switched|instead|anymore|any more|no longer|new)\b/i;

interface Similar {
  readonly memory_key: string;
  readonly text: string;
}

/** Stores the fact; where the user says that something changed, stores it in place of the nearest one. */
function remember(fact: string, reading: Reading, tools: ReadonlySet<string>): Move {
  const input = { content: fact, type: PREFERS.test(fact) ? 'preference' : 'finding' };
  const stored = reading.results.filter(({ name }) => name === 'store_memory');
  const [first, second] = stored;
  if (first === undefined) return call('store_memory', input, tools);
  const error = errorOf(second ?? first);
  if (error !== undefined) return say(`I could not keep that: ${error}`);
  const { similar = [] } = first.output as { readonly similar?: readonly Similar[] };
  const [nearest] = similar;
  if (nearest === undefined) return say(`I will remember: “${fact}”`);
  if (!CHANGES.test(reading.request)) {
    return say(`I will remember: “${fact}” I also know: “${nearest.text}”`);
  }
  if (second === undefined) return call('store_memory', { ...input, replaces: [nearest.memory_key] }, tools);
  return say(`I will remember: “${fact}” ${sayReplaced(nearest.text)}`);
}

const LIST = /^what (?:do|can) you (?:know|remember)(?: about (?:me|us))?\s*\??$|^who am i\s*\??$/i;
const TIMED = /\b(?:yesterday|(?:last|this) (?:week|month|year))\b/i;
const DAY_MS = 86_400_000;
const MOST_LISTED = 20;
/** Above it a statement holds most of what was asked (docs/scoring.md, `match`). */
const SURE = 0.5;

async function answer(question: string, reading: Reading, tools: ReadonlySet<string>): Promise<Move> {
  const found = foundIn(reading).map(({ summary }) => summary);
  const canSearch = tools.has('search_memory') && resultOf(reading, 'search_memory') === undefined;
  if (LIST.test(question)) {
    if (canSearch) return call('search_memory', { query: '*', limit: MOST_LISTED }, tools);
    const said = reading.said.map((text) => factIn(text) ?? text);
    const known = [...new Set([...reading.kept, ...found.flatMap(statementsIn), ...said])];
    const list = known.map((text) => `- ${text}`).join('\n');
    return say(known.length === 0 ? 'Nothing yet. Tell me something.' : `This is what I know:\n${list}`);
  }
  // Only the search knows when something was said.
  const [within] = TIMED.exec(question) ?? [];
  if (within !== undefined && canSearch) return call('search_memory', { query: question, within }, tools);
  const [first] = foundIn(reading);
  if (within !== undefined && first !== undefined && Date.parse(first.timestamp) < Date.now() - DAY_MS)
    return say(`You told me: “${first.summary}”`);
  const best = await bestAnswer(question, [...reading.said, ...reading.kept, ...found]);
  const isSure = best !== undefined && best.match >= SURE && within === undefined;
  if (isSure) return say(`You told me: “${best.text}”`);
  if (canSearch) return call('search_memory', { query: question }, tools);
  if (best !== undefined) return say(`I am not sure. The nearest that I know is: “${best.text}”`);
  return say('I do not know that yet. Tell me, and I will remember it.');
}

/** Ranks with Longhand's own recall, over the given texts and nothing else. */
async function bestAnswer(
  question: string,
  texts: readonly string[],
): Promise<{ readonly text: string; readonly match: number } | undefined> {
  await using scratch = await openScratch();
  const { manager: memory } = scratch;
  const { id } = await memory.createSession('demo');
  const known = [...new Set(texts)].map((text) => ({ type: 'finding' as const, content: { text } }));
  if (known.length === 0) return undefined;
  await memory.addMemories(id, known);
  const [best] = await memory.queryMemories(id, { text: question, limit: 1 });
  return best && { text: String(best.content.text), match: best.match ?? 0 };
}

interface Found {
  readonly memory_key: string;
  readonly summary: string;
  readonly timestamp: string;
  readonly match?: number;
}

function foundIn(reading: Reading): readonly Found[] {
  const { results = [] } = (resultOf(reading, 'search_memory')?.output ?? {}) as {
    readonly results?: readonly Found[];
  };
  return results;
}

/** Forgets the one memory that holds most of what the user named. */
function forget(unwanted: string, reading: Reading, tools: ReadonlySet<string>): Move {
  if (/^(?:everything|all)\b/i.test(unwanted))
    return say('I forget single things. “longhand forget --everything” erases all that is kept about you.');
  if (resultOf(reading, 'search_memory') === undefined)
    return call('search_memory', { query: unwanted.replace(/[.!]+$/, '') }, tools);
  const found = foundIn(reading).find(({ match = 0 }) => match >= SURE);
  if (found === undefined) return say(`I know nothing about “${unwanted}”.`);
  const forgotten = resultOf(reading, 'forget_memory');
  if (forgotten === undefined) return call('forget_memory', { memory_key: found.memory_key }, tools);
  const error = errorOf(forgotten);
  return say(
    error === undefined ? `I have forgotten: “${found.summary}”` : `I could not forget it: ${error}`,
  );
}

function use(tool: string, json: string, reading: Reading, tools: ReadonlySet<string>): Move {
  const result = resultOf(reading, tool);
  if (result !== undefined) {
    const { output } = result;
    return say(`${tool} answered: ${typeof output === 'string' ? output : JSON.stringify(output)}`);
  }
  try {
    return call(tool, JSON.parse(json) as Record<string, unknown>, tools);
  } catch {
    return say(`What ${tool} is given must be JSON.`);
  }
}

function call(tool: string, input: Readonly<Record<string, unknown>>, tools: ReadonlySet<string>): Move {
  return tools.has(tool) ? { tool, input } : say(`I cannot do that: I have no tool ${tool} here.`);
}

function resultOf({ results }: Reading, tool: string): ToolAnswer | undefined {
  return results.findLast(({ name }) => name === tool);
}

function errorOf({ output }: ToolAnswer): string | undefined {
  return typeof output === 'object' && output !== null && 'error' in output
    ? String(output.error)
    : undefined;
}

function introduce(): Move {
  return say(
    'I am Longhand’s demo model: three rules, no language model. Tell me a fact (“my dog is called Rex”), ask for it ' +
      '(“what is my dog called?”), or have it forgotten (“forget my dog”). Name a real model in longhand.config.yaml to ' +
      'talk freely.',
  );
}

function say(text: string): Move {
  return { text: `[demo] ${text}` };
}
