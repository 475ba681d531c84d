import { formatMemoryRef } from '../core/memory-ref.ts';
import type { TokenCounter } from '../core/token-counter.ts';
import { renderItem } from '../layers/journal/index.ts';
import { cutHead, sizeOf } from './excerpt.ts';
import { defuse, fence } from './fence.ts';
import type { RecalledMemory } from './sources.ts';
import { maySpeakAsSystem } from './units.ts';

/** A memory as it stands in the prompt. */
interface MemoryLine {
  readonly text: string;
  /** With the line break behind it. */
  readonly tokens: number;
  readonly isCut: boolean;
}

/**
 * One memory: a list item with its date, type and key, or a fence around what came from outside.
 * @param largestTokens above it, its beginning with a placeholder for the rest: `retrieve_memory` takes the id of a memory
 */
export function memoryLine(
  memory: RecalledMemory,
  body: string,
  largestTokens: number,
  counter: TokenCounter,
): MemoryLine {
  const whole = render(memory, body);
  const tokens = counter.count(`${whole}\n`);
  if (tokens <= largestTokens) return { text: whole, tokens, isCut: false };
  const rest = formatMemoryRef(memory.id, `the whole memory, ${sizeOf(body)}`);
  const frame = tokens - counter.count(body) + counter.count(rest) + 4;
  const head = cutHead(body, largestTokens - frame, counter);
  const text = render(memory, `${head}${head === '' ? '' : ' '}${rest}`);
  const cutTokens = counter.count(`${text}\n`);
  // What stands for a short memory may be longer than the memory.
  return cutTokens < tokens
    ? { text, tokens: cutTokens, isCut: true }
    : { text: whole, tokens, isCut: false };
}

function render(memory: RecalledMemory, body: string): string {
  const { id, timestamp, provenance } = memory;
  const type = memory.type === 'conversation' ? undefined : memory.type;
  const date = memory.day ?? timestamp.slice(0, 10);
  const { author, trust, source } = provenance;
  if (!maySpeakAsSystem(trust)) return fence({ memory: id, type, date, by: author, source, trust }, body);
  return renderItem(`[${date}, ${type === undefined ? '' : `${type}, `}${id}] ${defuse(body)}`);
}

/** Oldest first: where two disagree, the later one stands below. */
export function byCreation(a: RecalledMemory, b: RecalledMemory): number {
  return a.timestamp < b.timestamp ? -1 : a.timestamp > b.timestamp ? 1 : a.id < b.id ? -1 : 1;
}
