import type { MemoryEntry } from 'longhand';

/** The text of a memory that is nothing else. */
export function plainTextOf({ content }: Pick<MemoryEntry, 'content'>): string | undefined {
  const { text, ...rest } = content;
  return typeof text === 'string' && Object.keys(rest).length === 0 ? text : undefined;
}

/** What a memory says, in a line: its text, who said what in a conversation, or field by field. */
export function textOfMemory(memory: Pick<MemoryEntry, 'content'>): string {
  const text = plainTextOf(memory);
  if (text !== undefined) return text;
  const { role, speaker = role, message, ...rest } = memory.content;
  const isSaid = typeof speaker === 'string' && typeof message === 'string';
  const fields = Object.entries(isSaid ? rest : memory.content).map(
    ([name, value]) => `${name}: ${inWords(value)}`,
  );
  return [...(isSaid ? [`${speaker}: ${message}`] : []), ...fields].join(' · ');
}

function inWords(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
