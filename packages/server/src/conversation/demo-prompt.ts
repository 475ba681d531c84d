import type { Model } from './providers.ts';

/** What the demo model makes of its prompt. Nothing comes from anywhere else. */
export interface Reading {
  /** What the user said last. */
  readonly request: string;
  readonly hasImages: boolean;
  /** What tools have answered since. */
  readonly results: readonly ToolAnswer[];
  /** Everything that states something, in the order of the prompt. */
  readonly statements: readonly Statement[];
}

export interface ToolAnswer {
  readonly name: string;
  readonly input: unknown;
  readonly output: unknown;
}

export interface Statement {
  readonly text: string;
  /** Whether it was kept from earlier, or said in this conversation. */
  readonly isStored: boolean;
  /** YYYY-MM-DD, where it is said. */
  readonly date: string;
  /** The key of the memory, where it is one. Keys begin with the moment they were made at, so later ones are greater. */
  readonly key: string;
  /** The `kind` of its fence: `notes`, `summary`, `details`, …; that of a memory has none. */
  readonly kind: string;
  /** Whether it is all that its memory says. */
  readonly isWhole: boolean;
}

type Prompt = Parameters<Model['doGenerate']>[0]['prompt'];

export function readPrompt(prompt: Prompt): Reading {
  const others = participantsIn(prompt);
  const isUsers = (text: string): boolean => !others.some((name) => text.startsWith(`${name}: `));
  const at = prompt.findLastIndex((message) => message.role === 'user' && isUsers(textOf(message)));
  const last = prompt[at];
  return {
    request: last === undefined ? '' : textOf(last).trim(),
    hasImages: last?.role === 'user' && last.content.some(({ type }) => type === 'file'),
    results: resultsIn(prompt.slice(at + 1)),
    statements: prompt.slice(0, Math.max(0, at)).flatMap((message) => statementsIn(message)),
  };
}

function participantsIn(prompt: Prompt): readonly string[] {
  const [first] = prompt;
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

/** What asks for something states nothing, with a question mark or without. */
const ASKS =
  /^(?:please\s+)?(?:forget|show|read|open|retrieve|use|call|run|tell me|what|who|where|when|which|how|why|do|does|did|is|are|was)\b/i;
/** With attributes or without. The lesson on fences in the system prompt names the tag too, and is none. */
const STORED = /<stored((?:\s+[\w-]+="[^"]*")*)>([\s\S]*?)<\/stored>/g;

/** What the agent may rely on stands in no fence: memories line by line, its private memory and its notes as blocks. */
const MEMORY = /^- \[(\d{4}-\d{2}-\d{2})(?:, (?!mem_)\w+)?, ([\w-]+)\] (.*(?:\n {6}.*)*)$/gm;
const OWN_BLOCK =
  /^# Your (Private Memory|Notes on This User)\n\n([\s\S]*?)(?=\n\n(?:# Your Notes on This User|You are participating|The user wants|<stored)|$(?![\s\S]))/gm;
const HEADING = /^(?:From your memory: |Recalled from memory |Today is ).*\n/;

function withFences(message: Prompt[number]): string {
  const text = textOf(message);
  if (message.role !== 'system')
    return text.replace(HEADING, '').replace(MEMORY, '<stored memory="$2" date="$1">$3</stored>');
  return text.replace(OWN_BLOCK, (_, name: string, body: string) => {
    const kind = name === 'Private Memory' ? 'private-memory' : 'notes';
    return `<stored kind="${kind}">\n${body}\n</stored>`;
  });
}

/** What stands in fences was kept from earlier; beside them only users state anything. */
function statementsIn(message: Prompt[number]): Statement[] {
  const whole = withFences(message);
  const stored = [...whole.matchAll(STORED)].flatMap(([, attributes = '', body = '']) => {
    const date = /date="([^"]*)"/.exec(attributes)?.[1] ?? '';
    const key = /\bmemory="([^"]*)"/.exec(attributes)?.[1] ?? '';
    const kind = /\bkind="([^"]*)"/.exec(attributes)?.[1] ?? '';
    const isWhole = isOneSentence(body);
    return sentencesOf(body).map((text) => ({ text, isStored: true, date, key, kind, isWhole }));
  });
  if (message.role !== 'user') return stored;
  const said = sentencesOf(whole.replace(STORED, '')).filter((sentence) => !ASKS.test(sentence));
  const nowhere = { isStored: false, date: '', key: '', kind: '', isWhole: false };
  return [...stored, ...said.map((text) => ({ text, ...nowhere }))];
}

/** Without marks of lists and dates of journals. Headings and questions state nothing. */
export function sentencesOf(text: string): string[] {
  return text
    .split(/\n|(?<=[.!?])\s+/)
    .map((line) =>
      line
        .replace(/^\s*[-*]\s+/, '')
        .replace(/^\[\d{4}-\d{2}-\d{2}\]\s*/, '')
        .trim(),
    )
    .filter((line) => line !== '' && !line.endsWith('?') && !line.startsWith('#') && !line.endsWith(':'));
}

/** Whether a text is one statement, and nothing beside it. */
export function isOneSentence(text: string): boolean {
  return sentencesOf(text)[0] === text.trim();
}
