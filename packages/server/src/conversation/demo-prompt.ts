import { teachMemoryRefs } from 'longhand';
import { factsIn, isRequest, namingWords, sentencesIn, subjectOf } from './demo-facts.ts';
import type { Model } from './model.ts';

/** What the demo model reads in its prompt. It knows nothing else. */
export interface Reading {
  /** What the user said last. */
  readonly request: string;
  readonly hasImages: boolean;
  /** What the tools have answered since. */
  readonly results: readonly ToolAnswer[];
  /** What the prompt shows as kept: memories, notes, the agent's own memories. */
  readonly kept: readonly string[];
  /** What users stated earlier in this conversation, without what they corrected or had forgotten since. */
  readonly said: readonly string[];
}

export interface ToolAnswer {
  readonly name: string;
  readonly input: unknown;
  readonly output: unknown;
}

type Prompt = Parameters<Model['doGenerate']>[0]['prompt'];

export function readPrompt(prompt: Prompt): Reading {
  const others = participantsIn(prompt);
  const isUsers = (text: string): boolean => !others.some((name) => text.startsWith(`${name}: `));
  const at = prompt.findLastIndex((message) => message.role === 'user' && isUsers(textOf(message)));
  const last = prompt[at];
  const earlier = prompt.slice(0, Math.max(0, at));
  return {
    request: last === undefined ? '' : textOf(last).trim(),
    hasImages: last?.role === 'user' && last.content.some(({ type }) => type === 'file'),
    results: resultsIn(prompt.slice(at + 1)),
    kept: earlier.flatMap(keptIn),
    said: earlier.reduce<readonly string[]>(hear, []),
  };
}

function participantsIn([first]: Prompt): readonly string[] {
  const line =
    first?.role === 'system' ? /^Other participants: (.+)\.$/m.exec(first.content)?.[1] : undefined;
  return line?.split(', ') ?? [];
}

function textOf(message: Prompt[number]): string {
  if (message.role === 'system') return message.content;
  return message.content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
}

function resultsIn(messages: Prompt): ToolAnswer[] {
  const inputs = new Map<string, unknown>();
  const results: ToolAnswer[] = [];
  for (const message of messages) {
    if (message.role !== 'assistant' && message.role !== 'tool') continue;
    for (const part of message.content) {
      if (part.type === 'tool-call') inputs.set(part.toolCallId, part.input);
      if (part.type !== 'tool-result') continue;
      const { toolName: name, toolCallId } = part;
      results.push({ name, input: inputs.get(toolCallId), output: outputOf(part.output) });
    }
  }
  return results;
}

function outputOf(output: { readonly type: string; readonly value?: unknown }): unknown {
  const { type, value } = output;
  if (type === 'error-text' || type === 'error-json') return { error: String(value) };
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    // A tool may answer in plain words.
    return value;
  }
}

const FENCED = /<stored(?:\s+[\w-]+="[^"]*")*>([\s\S]*?)<\/stored>/g;
/** A line of a list of memories: `- [2026-11-18, finding, mem_…] The text`. */
const DATED = /^- \[\d{4}-\d{2}-\d{2}[^\]]*\] /m;

/** What Longhand itself says in a prompt is neither kept nor said by the user. */
const OWN_WORDS = /^(?:Kept from earlier\.|From your memory|Recalled from memory|Today is \w+, \d{4}-)/;
const LESSON: ReadonlySet<string> = new Set(teachMemoryRefs().split('\n'));

/** What the prompt shows as kept: fenced texts, dated lists, and the lists of the system prompt (core, journal, notes). */
function keptIn(message: Prompt[number]): string[] {
  if (message.role === 'assistant' || message.role === 'tool') return [];
  const text = textOf(message);
  const listed = message.role === 'system' ? /^\s*[-*] / : DATED;
  const lists = text.split('\n').filter((line) => listed.test(line) && !LESSON.has(line));
  return [...text.matchAll(FENCED)]
    .flatMap(([, body = '']) => statementsIn(body))
    .concat(statementsIn(lists.join('\n')));
}

/** Adds what a message states; what it corrects or has forgotten leaves. */
function hear(said: readonly string[], message: Prompt[number]): readonly string[] {
  const text = textOf(message);
  if (message.role !== 'user' || DATED.test(text) || OWN_WORDS.test(text)) return said;
  const unwanted = unwantedIn(text);
  if (unwanted !== undefined) return said.filter((one) => !namesAll(one, unwanted));
  const facts = factsIn(text.replace(FENCED, ''));
  const changed = new Set(facts.filter(({ isChange }) => isChange).map((fact) => subjectOf(fact.text)));
  return [...said.filter((one) => !changed.has(subjectOf(one))), ...facts.map((fact) => fact.text)];
}

/** What a message asks to forget. */
export function unwantedIn(message: string): string | undefined {
  const [, unwanted] = /^(?:please\s+)?forget\s+(?:that\s+|about\s+)?([\s\S]+?)[.!\s]*$/i.exec(message) ?? [];
  return unwanted;
}

function namesAll(statement: string, unwanted: string): boolean {
  const words = new Set(namingWords(statement));
  return namingWords(unwanted).every((word) => words.has(word));
}

/** The sentences of a text that state something, without list marks and dates. */
export function statementsIn(text: string): string[] {
  return sentencesIn(text)
    .map((line) => line.replace(/^\s*(?:[-*]\s+)?(?:\[\d{4}-\d{2}-\d{2}[^\]]*\]\s*)?/, '').trim())
    .filter((line) => line !== '' && !/^#|[?:]$/.test(line) && !isRequest(line));
}
