/**
 * The text that tells an agent who it is, what it remembers, and who else is there. Pure: the same memories give the
 * same bytes, and the context assembler puts the pieces into their places.
 *
 * The memory block is Markdown, and what it quotes was written by a model that may have been told what to write. A text
 * must not pass for a part of the block: a line of its own that reads `## Core Memories (permanent)`, or `-
 * [2026-01-10] …`, would. So a text stays inside its list item. Whatever ends a line in it (also the signs that only
 * some readers take for an end) becomes one plain line break, and the lines after the first are set in by six columns:
 * two for the item, and four more, at which Markdown knows no headings, lists, quotes, rules or fences, only text.
 */

/** The memories of one agent that belong into its prompt, oldest first. */
interface PromptMemories {
  readonly core: readonly { readonly content: string }[];
  readonly journal: readonly { readonly content: string; readonly created_at: string }[];
}

const LINE_ENDS = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/;
const CONTINUATION = ' '.repeat(6);

/** `null` when there is nothing to remember. */
export function renderMemoryContext({ core, journal }: PromptMemories): string | null {
  const sections: string[] = [];
  if (core.length > 0) {
    const items = core.map(({ content }) => renderItem(content));
    sections.push(`## Core Memories (permanent)\n${items.join('\n')}`);
  }
  if (journal.length > 0) {
    const items = journal.map(({ content, created_at }) => renderItem(`[${utcDay(created_at)}] ${content}`));
    sections.push(`## Recent Journal Entries\n${items.join('\n')}`);
  }
  return sections.length === 0 ? null : `# Your Private Memory\n\n${sections.join('\n\n')}`;
}

/** The lines that the agents of an account share; `null` without any. */
export function renderWhiteboard(lines: PromptMemories['core']): string | null {
  const items = lines.map(({ content }) => renderItem(content));
  return items.length === 0 ? null : `# Whiteboard (shared by all agents)\n\n${items.join('\n')}`;
}

/** A list item that its text cannot break out of. */
export function renderItem(text: string): string {
  const [first, ...others] = text.split(LINE_ENDS);
  const continued = others.map((line) => (line.trim() === '' ? '' : `${CONTINUATION}${line}`));
  return [`- ${first}`, ...continued].join('\n');
}

/** `YYYY-MM-DD` of an ISO 8601 time, in UTC. */
function utcDay(timestamp: string): string {
  return new Date(timestamp).toISOString().slice(0, 10);
}

/** The agent's own system prompt; a blank one names it. */
export function systemPromptFor(agent: {
  readonly name: string;
  readonly system_prompt: string | null;
}): string {
  const { name, system_prompt } = agent;
  return system_prompt === null || system_prompt.trim() === ''
    ? `You are ${onOneLine(name)}.`
    : system_prompt;
}

/**
 * What an agent is told when it is not alone with a user; nothing without other participants.
 * @param participants the names of the others, in the order in which they are to be named
 */
export function groupLines(participants: readonly string[]): readonly string[] {
  const names = [...new Set(participants.map(onOneLine))].filter((name) => name !== '');
  if (names.length === 0) return [];
  return ['You are participating in a group conversation.', `Other participants: ${names.join(', ')}.`];
}

function onOneLine(name: string): string {
  return name.replace(/[\s\u0085]+/g, ' ').trim();
}
