import type { FoundDetail, MemoryEntry } from 'longhand';
import { plainTextOf, textOfMemory } from '../conversation/memory-in-words.ts';
import type { AnswerOf } from '../operations/operation.ts';
import type { searchOperations } from '../operations/search.ts';
import { ageInWords, counted, decimals, type Output, plain, shortened, wrap } from './output.ts';

/** How memories look in a terminal. */

const TYPE_COLOURS = {
  conversation: 'blue',
  decision: 'magenta',
  finding: 'green',
  preference: 'yellow',
} as const;

type FoundMemory = AnswerOf<typeof searchOperations.search>['memories'][number];
type Explanation = NonNullable<FoundMemory['explanation']>;
/** A memory of a list; with its score when it was searched for. */
type ListedMemory = Omit<FoundMemory, 'relevance'> & Partial<Pick<FoundMemory, 'relevance'>>;

/** Two lines for a list: what it says, and what it is. */
export function listMemory(output: Output, memory: ListedMemory, number: number, nowMs: number): void {
  const label = labelOf(number);
  const [first = '', ...more] = shortenedLines(textOfMemory(memory), output.columns - label.length);
  output.line(output.dim(label) + output.bold(first));
  for (const line of more) output.line(' '.repeat(label.length) + line);
  for (const line of describe(output, memory, nowMs, output.columns - label.length))
    output.line(' '.repeat(label.length) + line);
  const { relevance, explanation } = memory;
  if (relevance !== undefined && explanation !== undefined) {
    for (const line of explain(relevance, explanation))
      output.line(' '.repeat(label.length) + output.dim(line));
  }
}

/** The same for a detail that was found, with the lines that matched. */
export function listDetail(output: Output, detail: FoundDetail, number: number): void {
  const { memory_key, summary, session_id, match, lines } = detail;
  const label = labelOf(number);
  const where = lines === undefined ? '' : `  lines ${lines[0]} to ${lines[1]}`;
  const rest = `${memory_key}  ${matchInWords(match)}  ${session_id}${where}`;
  output.line(output.dim(label) + output.bold(shortened(plain(summary), output.columns - label.length)));
  output.line(`${' '.repeat(label.length)}${output.paint('cyan', 'detail')}  ${output.dim(rest)}`);
}

function labelOf(number: number): string {
  return `${String(number).padStart(2)}. `;
}

export function matchInWords(match: number): string {
  return `match ${Math.round(100 * match)} %`;
}

/** All there is to one memory. */
export function showMemory(output: Output, memory: MemoryEntry, nowMs: number): void {
  const { id, session_id, timestamp, importance, tags, references, provenance } = memory;
  output.line(`${output.bold(id)}  ${typeOf(output, memory)}`);
  const { author, trust, agent_id, source } = provenance;
  output.table([
    [output.dim('session'), session_id],
    [output.dim('written'), `${timestamp} (${ageInWords(timestamp, nowMs)})`],
    [output.dim('importance'), String(importance)],
    ...(tags.length === 0 ? [] : [[output.dim('tags'), tags.map(plain).join(', ')]]),
    ...(references.length === 0 ? [] : [[output.dim('references'), references.join(', ')]]),
    [output.dim('by'), plain([author, agent_id, source].filter(Boolean).join(', '))],
    [output.dim('trust'), trust],
  ]);
  output.line();
  output.paragraph(plain(plainTextOf(memory) ?? JSON.stringify(memory.content, null, 2)));
}

/** One line; tags that it has no room for stand below. */
function describe(output: Output, memory: ListedMemory, nowMs: number, columns: number): readonly string[] {
  const { id, type, timestamp, tags, relevance, match, duplicates, session_id } = memory;
  const tagged = plain(tags.map((tag) => `#${tag}`).join(' '));
  // Without a text nothing matches more or less.
  const worth = relevance === undefined ? '' : `  ${decimals(relevance, 2)}`;
  const alike = duplicates === undefined ? '' : `  ${counted(duplicates, 'duplicate', 'duplicates')}`;
  const score = match === undefined ? worth : `  ${matchInWords(match)}${alike}`;
  const rest = `${id}${score}  ${ageInWords(timestamp, nowMs)}  ${session_id}`;
  const first = `${typeOf(output, memory)}  ${output.dim(rest)}`;
  if (tags.length === 0) return [first];
  if (`${type}  ${rest}  ${tagged}`.length <= columns) return [`${first}  ${output.dim(tagged)}`];
  return [first, ...wrap(tagged, columns).map((line) => output.dim(line))];
}

function typeOf(output: Output, { type }: Pick<MemoryEntry, 'type'>): string {
  return output.paint(TYPE_COLOURS[type], type);
}

/** The formula, and of the match what it is made of: the parts that count for something. */
function explain(relevance: number, explanation: Explanation): readonly string[] {
  const { importance, decay, recency, match_quality, match_parts, taken_for } = explanation;
  const part = (name: string, value: number) => `${name} ${decimals(value, 3)}`;
  const parts = [
    part('importance', importance),
    part('decay', decay),
    part('recency', recency),
    part('match quality', match_quality),
  ];
  const formula = `${parts.join(' × ')} = ${decimals(relevance, 3)}`;
  const matched = Object.entries(match_parts ?? {}).flatMap(([name, value]) =>
    typeof value === 'number' && value !== 0 ? [part(name, value)] : [],
  );
  const taken = Object.entries(taken_for ?? {}).map(
    ([typed, words]) => `"${typed}" is in no memory and was taken for: ${words.join(', ')}`,
  );
  const words = [...wordsOf(explanation), ...taken];
  if (matched.length === 0) return [formula, ...words];
  return [formula, `strength from: ${matched.join(', ')}`, ...words];
}

/** The words that were found, and which of them in the date alone: there the reader sees nothing of them. */
function wordsOf({ matched_words = [], matched_by_date = [] }: Explanation): readonly string[] {
  if (matched_words.length === 0) return [];
  const words = matched_words.map((word) => (matched_by_date.includes(word) ? `${word} (its date)` : word));
  return [`words: ${words.join(', ')}`];
}

const LINES = 2;

function shortenedLines(text: string, columns: number): string[] {
  const words = shortened(text, columns * LINES - 4);
  if (words.length <= columns) return [words];
  const cut = words.lastIndexOf(' ', columns);
  const at = cut <= 0 ? columns : cut;
  return [words.slice(0, at), words.slice(at).trimStart()];
}
