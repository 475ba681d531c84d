import type { JsonObject, MemoryEntry } from 'longhand';

/** The text of a memory that is nothing else. */
export function plainTextOf({ content }: Pick<MemoryEntry, 'content'>): string | undefined {
  const { text, ...rest } = content;
  return typeof text === 'string' && Object.keys(rest).length === 0 ? text : undefined;
}

/** Who says something, and what. The first that is there counts: a name says more than a role. */
const SPEAKERS = ['speaker', 'name', 'author', 'role'];
const SAID = ['message', 'text', 'content'];
/** What a memory is there for, whatever else it has: its name would say again what the type says. */
const MAIN = ['text', 'decision', 'finding', 'preference', 'fact', 'message', 'content', 'summary', 'title'];

/** What a memory says, in a line: who said what in a conversation, or the text of it; and then the rest, field by field. */
export function textOfMemory({ content }: Pick<MemoryEntry, 'content'>): string {
  const speaker = firstText(content, SPEAKERS);
  const said = speaker === undefined ? undefined : firstText(content, SAID);
  const isSaid = speaker !== undefined && said !== undefined;
  const main = isSaid ? said : firstText(content, MAIN);
  const shown = [main, ...(isSaid ? [speaker, 'role'] : [])];
  const rest = Object.entries(content).filter(([name]) => !shown.includes(name));
  const line = main === undefined ? [] : [inWords(content[main])];
  if (isSaid) line[0] = `${inWords(content[speaker])}: ${line[0]}`;
  return [...line, ...rest.map(([name, value]) => `${name}: ${inWords(value)}`)].join(' · ');
}

/** The name of the first field that is there, and is a text. */
function firstText(content: JsonObject, names: readonly string[]): string | undefined {
  return names.find((name) => {
    const value = Object.hasOwn(content, name) ? content[name] : undefined;
    return typeof value === 'string' && value.trim() !== '';
  });
}

function inWords(value: unknown): string {
  if (typeof value === 'string') return value;
  const isList =
    Array.isArray(value) && value.every((one) => typeof one === 'string' || typeof one === 'number');
  return isList ? value.join(', ') : JSON.stringify(value);
}
