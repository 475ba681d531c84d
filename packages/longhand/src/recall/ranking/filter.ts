/** Which documents a query may give: lists from the dictionary (tags, references, agents, phrases), the rest from columns. */

import { MEMORY_TYPES, type MemoryType } from '../../core/records.ts';
import { agentTerm, KIND_TYPE_MASK, tagTerm } from '../analysis/index.ts';
import {
  type DocumentRef,
  documentsOf,
  type Part,
  type RecallIndex,
  resolveTagFilter,
  type TagQuery,
} from '../index/index.ts';
import { intersectLists } from './lists.ts';
import type { FoundPhrases } from './word-terms.ts';

export interface MemoryFilter {
  /** Any of these; all when left out. */
  readonly types?: readonly MemoryType[] | undefined;
  readonly tags?: TagQuery | undefined;
  /** Both ends included; a range that ends before it starts holds nothing. */
  readonly startMs?: number | undefined;
  readonly endMs?: number | undefined;
  readonly minImportance?: number | undefined;
  /** Only memories connected with these by references, in either direction; these themselves are left out. */
  readonly references?: readonly string[] | undefined;
  /** The session in which the ids of `references` are looked for first; all alike when left out. */
  readonly referencesFrom?: string | undefined;
  /** How many steps of references to follow; 1 when left out. */
  readonly maxDepth?: number | undefined;
  /** Only these sessions; all when left out. */
  readonly sessions?: Iterable<string> | undefined;
  /** Only what these said, by name, without case. */
  readonly authors?: readonly string[] | undefined;
  /** Only what these agents wrote. */
  readonly agents?: readonly string[] | undefined;
  /** By part, a 1 for each document that others have replaced: none of these. */
  readonly replaced?: ReadonlyMap<Part, Uint8Array> | undefined;
}

/** In place of a session's number, for an id that no session holds. */
const NOWHERE = -1;

/** The filter for one part. */
export class PartFilter {
  readonly part: Part;
  /** The only documents that may pass, rising; `undefined` when the dictionary says nothing. */
  readonly listed: Int32Array | undefined;
  /** The only sessions whose documents may pass; `undefined` for all. */
  readonly sessions: ReadonlySet<number> | undefined;
  #listedMarks: Uint8Array | undefined;
  #excluded: Uint8Array | undefined;
  #typeMask: number;
  #startMs: number;
  #endMs: number;
  #minImportance: number;
  #authors: Uint8Array | undefined;
  #readsColumns: boolean;

  constructor(
    part: Part,
    filter: MemoryFilter,
    lists: { readonly listed: Int32Array | undefined; readonly excluded: Int32Array | undefined },
    sessions: ReadonlySet<number> | undefined,
  ) {
    this.part = part;
    this.listed = lists.listed;
    const replaced = filter.replaced?.get(part);
    this.#excluded = lists.excluded ? marksOf(lists.excluded, part.count, replaced) : replaced;
    this.#typeMask = 0;
    for (const type of filter.types ?? MEMORY_TYPES) this.#typeMask |= 1 << MEMORY_TYPES.indexOf(type);
    this.#startMs = filter.startMs ?? Number.NEGATIVE_INFINITY;
    this.#endMs = filter.endMs ?? Number.POSITIVE_INFINITY;
    this.#minImportance = filter.minImportance ?? Number.NEGATIVE_INFINITY;
    this.sessions = sessions;
    if (filter.authors) {
      const wanted = new Set(filter.authors.map((name) => name.toLowerCase()));
      this.#authors = Uint8Array.from(part.authors, (name) => (wanted.has(name.toLowerCase()) ? 1 : 0));
    }
    this.#readsColumns =
      filter.types !== undefined ||
      filter.startMs !== undefined ||
      filter.endMs !== undefined ||
      filter.minImportance !== undefined ||
      this.#authors !== undefined;
  }

  /** Whether a live document passes. */
  passes(document: number): boolean {
    if (this.listed !== undefined) {
      this.#listedMarks ??= marksOf(this.listed, this.part.count);
      if (this.#listedMarks[document] === 0) return false;
    }
    return this.#passesRest(document);
  }

  /** The same for a document that is listed. */
  #passesRest(document: number): boolean {
    if (this.#excluded !== undefined && this.#excluded[document] === 1) return false;
    const { part } = this;
    if (this.sessions !== undefined && !this.sessions.has(part.session[document]!)) return false;
    if (!this.#readsColumns) return true;
    if (((this.#typeMask >> (part.kind[document]! & KIND_TYPE_MASK)) & 1) === 0) return false;
    const time = part.time[document]!;
    if (time < this.#startMs || time > this.#endMs) return false;
    if (part.importance[document]! < this.#minImportance) return false;
    return this.#authors === undefined || this.#authors[part.author[document]!] === 1;
  }

  /** All live documents that pass, the later ones first: the newest mostly are, and rule out nearly all others. */
  *documents(): Generator<number> {
    const { part } = this;
    if (this.listed) {
      for (const document of this.listed.toReversed()) if (this.#passesRest(document)) yield document;
    } else if (this.sessions) {
      for (const session of this.sessions) {
        for (const document of part.documentsOfSession(session).toReversed())
          if (this.passes(document)) yield document;
      }
    } else {
      const { dead } = part;
      for (let document = part.count - 1; document >= 0; document--) {
        if (dead?.[document] !== 1 && this.passes(document)) yield document;
      }
    }
  }
}

function marksOf(documents: Int32Array, count: number, base?: Uint8Array): Uint8Array {
  const marks = base?.slice() ?? new Uint8Array(count);
  for (const document of documents) marks[document] = 1;
  return marks;
}

/** Prepares a filter for each part of an index. @param phrases that are required */
export function prepareFilters(
  index: RecallIndex,
  filter: MemoryFilter,
  phrases: FoundPhrases = [],
): PartFilter[] {
  const tags = filter.tags && resolveTagFilter(filter.tags);
  const related = filter.references && relatedDocuments(index, filter, filter.references);
  const sessions = filter.sessions && sessionNumbers(index, filter.sessions);
  return index.parts().map((part, partNumber) => {
    const union = (terms: readonly string[]): Int32Array =>
      unionLists(terms.map((term) => documentsOf(part.postings(term))));
    const lists: Int32Array[] = [];
    if (tags && tags.includeKeys.length > 0) {
      const keys = tags.includeKeys.map(tagTerm);
      if (tags.mode === 'any') lists.push(union(keys));
      else for (const key of keys) lists.push(documentsOf(part.postings(key)));
    }
    if (related) lists.push(Int32Array.from(related.get(part) ?? []).sort());
    if (filter.agents) lists.push(union(filter.agents.map(agentTerm)));
    for (const { documents } of phrases) lists.push(documents[partNumber]!);
    const excluded = tags && tags.excludeKeys.length > 0 ? union(tags.excludeKeys.map(tagTerm)) : undefined;
    const listed = lists.length > 0 ? lists.reduce(intersectLists) : undefined;
    return new PartFilter(part, filter, { listed, excluded }, sessions);
  });
}

/** Those that hold anything. */
export function sessionNumbers(index: RecallIndex, ids: Iterable<string>): Set<number> {
  return new Set(Array.from(ids, (id) => index.registry.find(id)).filter((number) => number !== -1));
}

/** A memory, or an id that memories refer to and that no memory has. */
interface ReferenceNode {
  readonly session: number;
  readonly id: string;
  readonly found?: DocumentRef;
}

/** What references connect with some memories, by part: breadth first, in both directions, through cycles. */
function relatedDocuments(
  index: RecallIndex,
  { referencesFrom, maxDepth = 1 }: MemoryFilter,
  ids: readonly string[],
): Map<Part, number[]> {
  const nodeOf = (found: DocumentRef): ReferenceNode => {
    const { part, document } = found;
    return { session: part.session[document]!, id: part.row(document).id, found };
  };
  const referred = (session: number, id: string): ReferenceNode[] => {
    const found = index.referred(session, id);
    return found.length > 0 ? found.map(nodeOf) : [{ session: NOWHERE, id }];
  };
  const nextTo = ({ session, id, found }: ReferenceNode): ReferenceNode[] => {
    const references = found?.part.row(found.document).references ?? [];
    const targets = references.flatMap((target) => referred(session, target));
    return [...targets, ...index.referrers(session, id).map(nodeOf)];
  };
  const seen = new Set<string>();
  const isNew = ({ session, id }: ReferenceNode): boolean => {
    const key = `${session}/${id}`;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  };
  const from = referencesFrom === undefined ? NOWHERE : index.registry.find(referencesFrom);
  let level = ids.flatMap((id) => referred(from, id)).filter(isNew);
  const related = new Map<Part, number[]>();
  for (let depth = 0; depth < maxDepth && level.length > 0; depth++) {
    level = level.flatMap(nextTo).filter(isNew);
    for (const { found } of level) {
      if (found === undefined) continue;
      const documents = related.get(found.part) ?? [];
      documents.push(found.document);
      related.set(found.part, documents);
    }
  }
  return related;
}

function unionLists(lists: readonly Int32Array[]): Int32Array {
  if (lists.length === 1) return lists[0]!;
  const all = new Set<number>();
  for (const list of lists) for (const document of list) all.add(document);
  return Int32Array.from(all).sort();
}
