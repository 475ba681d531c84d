import { LIMITS } from '../../core/limits.ts';
import { toDescriptionLine, toStatus } from '../../core/memory-ref.ts';
import { parseJson } from '../../core/parse-json.ts';

/**
 * What a placeholder says about the value behind it, without a model: how it went, how large it is, and its first
 * and last lines; of JSON its kind and its keys. Status and sizes always fit; the rest shares what room is left.
 *
 *     Success; 18.4 kB, 420 lines; first: added 312 packages in 4s; last: found 0 vulnerabilities
 *     3.1 kB; JSON object with 3 keys: items (array of 40), next, total
 */
interface DescribedContent {
  readonly sizeBytes: number;
  readonly lines: number;
  readonly isUtf8: boolean;
  readonly head: string;
  readonly tail: string;
  readonly whole: string | undefined;
}

/** Fewer characters than this say nothing of a line. */
const SHORTEST_EXCERPT = 12;
const KEYS_SHOWN = 12;
const KEY_CHARACTERS = 24;

/** @param status how the command or the tool ended, when that is known */
export function describeContent(content: DescribedContent, status?: string): string {
  const facts: string[] = [];
  if (status !== undefined && status.trim() !== '') facts.push(toStatus(status));
  facts.push(showSize(content));
  const outline = outlineJson(content.whole);
  if (outline !== undefined) return toDescriptionLine([...facts, outline].join('; '));
  if (content.isUtf8 && !content.head.includes('\0')) facts.push(...showLines(content, facts.join('; ')));
  return toDescriptionLine(facts.join('; '));
}

function showSize({ sizeBytes, lines, isUtf8, head }: DescribedContent): string {
  if (sizeBytes === 0) return 'empty';
  if (!isUtf8 || head.includes('\0')) return `${showBytes(sizeBytes)}, not plain text`;
  return `${showBytes(sizeBytes)}, ${lines.toLocaleString('en-US')} ${lines === 1 ? 'line' : 'lines'}`;
}

/** In powers of ten, as file managers show it: `512 bytes`, `18.4 kB`, `50 MB`. */
export function showBytes(bytes: number): string {
  if (bytes < 1_000) return `${bytes} ${bytes === 1 ? 'byte' : 'bytes'}`;
  const units = ['kB', 'MB', 'GB', 'TB'];
  let value = bytes / 1_000;
  let unit = 0;
  while (value >= 999.95 && unit < units.length - 1) {
    value /= 1_000;
    unit++;
  }
  return `${Number(value.toFixed(1))} ${units[unit]}`;
}

function showLines({ head, tail, lines }: DescribedContent, before: string): string[] {
  const first = firstLine(head);
  const last = lines > 1 ? firstLine(tail, 'backwards') : '';
  const hasLast = last !== '' && last !== first;
  const room = LIMITS.descriptionCharacters - before.length - '; first: '.length;
  if (first === '' || room < SHORTEST_EXCERPT) return [];
  if (!hasLast) return [`first: ${toDescriptionLine(first, room)}`];
  const shared = room - '; last: '.length;
  const half = Math.floor(shared / 2);
  if (half < SHORTEST_EXCERPT) return [`first: ${toDescriptionLine(first, room)}`];
  const shortFirst = toDescriptionLine(first, Math.max(half, shared - lengthOf(last)));
  const shortLast = toDescriptionLine(last, Math.max(half, shared - lengthOf(shortFirst)));
  return [`first: ${shortFirst}`, `last: ${shortLast}`];
}

function lengthOf(text: string): number {
  return [...text].length;
}

/** The first line that says something, or the last one. */
function firstLine(text: string, direction: 'forwards' | 'backwards' = 'forwards'): string {
  const lines = text.split(/[\r\n]+/).map((line) => toDescriptionLine(line));
  const isTelling = (line: string): boolean => line !== '';
  return (direction === 'forwards' ? lines.find(isTelling) : lines.findLast(isTelling)) ?? '';
}

/** `undefined` when the text is no JSON object or list. */
function outlineJson(text: string | undefined): string | undefined {
  const opening = text?.trimStart()[0];
  if (text === undefined || (opening !== '{' && opening !== '[')) return undefined;
  let value: unknown;
  try {
    value = parseJson(text);
  } catch {
    return undefined;
  }
  if (Array.isArray(value)) {
    const [first] = value as readonly unknown[];
    const inside = isObject(first) ? `, the first with ${showKeys(first)}` : '';
    return `JSON array of ${value.length}${inside}`;
  }
  return `JSON object with ${showKeys(value as Record<string, unknown>)}`;
}

function showKeys(value: Record<string, unknown>): string {
  const keys = Object.keys(value);
  if (keys.length === 0) return 'no keys';
  const shown = keys.slice(0, KEYS_SHOWN).map((key) => {
    const name = toDescriptionLine(key, KEY_CHARACTERS);
    const member = value[key];
    if (Array.isArray(member)) return `${name} (array of ${member.length})`;
    return isObject(member) ? `${name} (object of ${Object.keys(member).length})` : name;
  });
  const rest = keys.length > KEYS_SHOWN ? ', …' : '';
  return `${keys.length} ${keys.length === 1 ? 'key' : 'keys'}: ${shown.join(', ')}${rest}`;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
