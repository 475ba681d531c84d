import type { Reading, ToolAnswer } from './demo-prompt.ts';

/** What the demo model does next: it says something, or it calls a tool. */
export type Move =
  | { readonly text: string }
  | { readonly tool: string; readonly input: Readonly<Record<string, unknown>> };

/** Does something about a request; `about` is what the request is about. */
export type Act = (about: string, reading: Reading, tools: ReadonlySet<string>) => Move;

export const DEMO_MARK = '[demo]';
const SHOWN_CHARACTERS = 600;

export function say(text: string): Move {
  return { text: `${DEMO_MARK} ${text}` };
}

export function resultOf(reading: Reading, tool: string): ToolAnswer | undefined {
  return reading.results.findLast(({ name }) => name === tool);
}

export function errorOf(result: ToolAnswer): string | undefined {
  const output = result.output;
  return typeof output === 'object' && output !== null && 'error' in output
    ? String(output.error)
    : undefined;
}

/** Calls a tool once, and then says what came of it. */
export function withTool(
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

export function shorten(text: string): string {
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS).trimEnd()}…` : text;
}

export function upperFirst(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
