import { openScratch } from '../open-store.ts';
import { type Fact, factsIn, subjectOf } from './demo-facts.ts';
import { type Reading, statementsIn, type ToolAnswer, unwantedIn } from './demo-prompt.ts';

/** What the demo model does next: it says something, or it calls tools. */
export type Move = { readonly text: string } | { readonly calls: readonly ToolCall[] };

interface ToolCall {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/**
 * The demo's three rules: it remembers what is stated, it answers from what its prompt and its tools show, and it says
 * that it is a demo. Beside them it obeys two plain commands, `forget …` and `use TOOL {…}`.
 */
export async function decide(reading: Reading, tools: ReadonlySet<string>): Promise<Move> {
  const request = reading.request.replace(OPENS, '');
  if (reading.hasImages) return say('I was shown a picture, and I cannot see: that takes a real model.');
  const [, tool, json] = /^(?:please\s+)?use\s+([\w-]+)(?:\s+(\{[\s\S]*\}))?$/i.exec(request) ?? [];
  if (tool !== undefined) return use(tool, json ?? '{}', reading, tools);
  const unwanted = unwantedIn(request);
  if (unwanted !== undefined) return forget(unwanted, reading, tools);
  const isQuestion = request.endsWith('?') || ASKS.test(request);
  const facts = isQuestion ? [] : factsIn(request);
  if (facts.length > 0) return remember(facts, reading, tools);
  return isQuestion && !ABOUT_DEMO.test(request) ? answer(request, reading, tools) : introduce();
}

const OPENS = /^(?:(?:hello|hi|hey|thanks|thank you|ok|okay)[,.!]+\s+)+/i;
const ABOUT_DEMO = /^(?:what can you do|(?:what|who) are you)\b/i;

const ASKS = /^(?:what|who|where|when|which|how|why|do|does|did|is|are|was|were|can|should|tell me)\b/i;
const PREFERS = /\b(?:like|love|prefer|favou?rite|hate|always|never|allergic|want)\b/i;

interface Similar {
  readonly memory_key: string;
  readonly text: string;
}

/** Stores each fact; where the user says that something changed, in place of the memory that says it of the same. */
function remember(facts: readonly Fact[], reading: Reading, tools: ReadonlySet<string>): Move {
  const steps = facts.map((fact) => stepOf(fact, reading));
  const calls = steps.flatMap(({ next }) => next ?? []);
  if (calls.length === 0) return say(steps.map(({ told }) => told).join(' '));
  return tools.has('store_memory') ? { calls } : call('store_memory', {}, tools);
}

function stepOf({ text, isChange }: Fact, { results }: Reading): { next?: ToolCall; told?: string } {
  const input = { content: text, type: PREFERS.test(text) ? 'preference' : 'finding' };
  const [first, second] = results.filter(
    (result) =>
      result.name === 'store_memory' && (result.input as { readonly content?: string }).content === text,
  );
  if (first === undefined) return { next: { tool: 'store_memory', input } };
  const error = errorOf(second ?? first);
  if (error !== undefined) return { told: `I could not keep that: ${error}` };
  const { similar = [] } = first.output as { readonly similar?: readonly Similar[] };
  const told = `I will remember: “${text}”`;
  const old = isChange ? similar.find((one) => subjectOf(one.text) === subjectOf(text)) : undefined;
  if (old === undefined) return { told: similar[0] ? `${told} I also know: “${similar[0].text}”` : told };
  if (second !== undefined) return { told: `${told} It replaces “${old.text}”` };
  return { next: { tool: 'store_memory', input: { ...input, replaces: [old.memory_key] } } };
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
    const memories = [...reading.kept, ...found.flatMap(statementsIn)];
    const subjects = new Set(memories.map(subjectOf));
    const known = new Set([...memories, ...reading.said.filter((text) => !subjects.has(subjectOf(text)))]);
    const list = [...known].map((text) => `- ${text}`).join('\n');
    return say(known.size === 0 ? 'Nothing yet. Tell me something.' : `This is what I know:\n${list}`);
  }
  // Only the search knows when something was said.
  const [within] = TIMED.exec(question) ?? [];
  if (within !== undefined && canSearch) return call('search_memory', { query: question, within }, tools);
  const [first] = foundIn(reading);
  if (within !== undefined && first !== undefined && Date.parse(first.timestamp) < Date.now() - DAY_MS)
    return say(`You told me: “${first.summary}”`);
  const kept = await bestAnswer(question, [...reading.kept, ...found]);
  const said = await bestAnswer(question, reading.said);
  // A memory knows what has changed since; a message does not.
  const best = said !== undefined && said.match > (kept?.match ?? 0) ? said : kept;
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

/** Forgets the one memory that holds most of what the user named, or all that holds a name. */
function forget(unwanted: string, reading: Reading, tools: ReadonlySet<string>): Move {
  const [isAll, text] =
    /^(?:everything|all)(?:\s+(?:that\s+)?(?:you know\s+)?about\s+(?!(?:me|us)$)(.+))?\b.*$/i.exec(
      unwanted,
    ) ?? [];
  if (isAll !== undefined && text === undefined)
    return say('I forget single things. “longhand forget --everything” erases all that is kept about you.');
  const searched = resultOf(reading, 'search_memory');
  if (text === undefined && searched === undefined) return call('search_memory', { query: unwanted }, tools);
  const found = foundIn(reading).find(({ match = 0 }) => match >= SURE);
  const forgotten = resultOf(reading, 'forget_memory');
  if (forgotten === undefined && (text ?? found) !== undefined)
    return call('forget_memory', text === undefined ? { memory_key: found?.memory_key } : { text }, tools);
  if (forgotten === undefined) return say('I know nothing about that.');
  const error = errorOf(forgotten);
  if (error !== undefined) return say(`I could not forget it: ${error}`);
  const { pieces = 1 } = forgotten.output as { readonly pieces?: number };
  // The answer is archived: it must not bring the text back.
  return say(`I have forgotten it: ${pieces === 1 ? 'one piece' : `${pieces} pieces, messages included`}.`);
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
  return tools.has(tool)
    ? { calls: [{ tool, input }] }
    : say(`I cannot do that: I have no tool ${tool} here.`);
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
