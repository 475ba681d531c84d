import { ValidationError } from '../core/errors.ts';
import { memoryText } from '../core/memory-text.ts';
import type { FoundMemory } from '../core/query.ts';
import type { JsonObject, MemoryEntry, MemoryType, NewMemory } from '../core/records.ts';
import { isMemoryType, normaliseType } from '../layers/details/index.ts';

/**
 * How tools show memories to a model. A word for a type that is none of a memory's own (`fact`, `goal`) is kept as a tag
 * under `kind`, so that every query can ask for it; models see it as `kind`.
 */
const KIND = 'kind.';
const SUMMARY_CHARACTERS = 300;
export const MAX_LIMIT = 50;
/** Types of what is never kept as a memory, however short. */
export const ALWAYS_DETAILS: readonly string[] = ['command_output', 'file_content'];

/** Of a journal or core memory, as they are made. */
export function isAgentMemoryId(key: string): boolean {
  return key.startsWith('amem_');
}

export function kindTag(kind: string): string {
  return `${KIND}${kind}`;
}

export function isKindTag(tag: string): boolean {
  return tag.startsWith(KIND);
}

interface TypeAndKind {
  readonly type: MemoryType;
  readonly kind?: string;
}

/** What a model's word for a type means: a type of memories, or a finding of some kind. */
export function typeAndKind(word: string): TypeAndKind {
  const type = word === 'user_preference' ? 'preference' : word;
  return isMemoryType(type) ? { type } : { type: 'finding', kind: word };
}

/** The same of what a memory is to become. @throws ValidationError INVALID_OPTION */
export function typeToKeep(word: string): TypeAndKind {
  if (word !== 'journal' && word !== 'core') return typeAndKind(word);
  throw new ValidationError(
    'INVALID_OPTION',
    `The type ${word} is for an agent’s own memory. Nothing was stored: use save_to_${word}.`,
  );
}

type AnyType = Omit<NewMemory, 'type'> & { readonly type?: string };

/** What `remember` takes: a text, or a memory whose type may be any word that `store_memory` takes. */
export type RememberedMemory = string | AnyType;

export interface RememberOptions extends Partial<AnyType> {
  /** Where to keep it; in the user's session of the day when left out. */
  readonly sessionId?: string | undefined;
}

/** A memory to keep, with the type that a word means. @throws ValidationError INVALID_OPTION */
export function memoryOfAnyType(
  memory: RememberedMemory,
  { sessionId: _place, ...fields }: RememberOptions = {},
): NewMemory {
  const whole = { ...(typeof memory === 'string' ? { content: memory } : memory), ...fields };
  if (whole.type === undefined) return whole as NewMemory;
  const { type, kind } = typeToKeep(normaliseType(whole.type));
  return { ...whole, type, ...(kind === undefined ? {} : { tags: [...(whole.tags ?? []), kindTag(kind)] }) };
}

/** What it is, where it comes from, and how far it can be trusted. */
export function describeMemory(memory: MemoryEntry): JsonObject {
  const { type, session_id, timestamp, provenance, content, tags, confirmed_at } = memory;
  const { description } = content;
  const kind = tags.find(isKindTag)?.slice(KIND.length);
  const topics = tags.filter((tag) => !isKindTag(tag));
  return {
    memory_type: type,
    ...(kind === undefined ? {} : { kind }),
    session_id,
    timestamp,
    ...(confirmed_at === undefined ? {} : { confirmed_at }),
    trust: provenance.trust,
    ...(topics.length === 0 ? {} : { tags: topics }),
    ...(typeof description === 'string' ? { description } : {}),
  };
}

type Summary = JsonObject & { readonly relevance: number; readonly match?: number };

export function summarise(memory: FoundMemory): Summary {
  const { description: _described, ...content } = memory.content;
  const taken_for = memory.explanation?.taken_for;
  return {
    memory_key: memory.id,
    ...describeMemory(memory),
    summary: shortened(memoryText(content)),
    // A model must not take for an answer what is only spelt like the question.
    ...(taken_for === undefined ? {} : { taken_for }),
    relevance: memory.relevance,
    ...(memory.match === undefined ? {} : { match: memory.match }),
    ...(memory.duplicates === undefined ? {} : { duplicates: memory.duplicates }),
  };
}

export function shortened(text: string, characters = SUMMARY_CHARACTERS): string {
  return text.length > characters ? `${text.slice(0, characters).trimEnd()}…` : text;
}

/** The text of a memory that has one, and otherwise its content as JSON. */
export function textOf({ content }: MemoryEntry): string {
  const { text, description: _described, ...rest } = content;
  return typeof text === 'string' && Object.keys(rest).length === 0 ? text : JSON.stringify(content);
}

/** The parameter has two names, so that no schema asks for one of them. */
export const KEY_MISSING = {
  error: 'memory_key is missing: a key from another tool, or from [MemoryRef: key - …].',
  code: 'INVALID_INPUT',
  errors: [{ field: 'memory_key', message: 'is missing' }],
};
