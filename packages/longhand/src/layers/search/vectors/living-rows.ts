import { ifGone } from '../../../core/errors.ts';
import { readLog } from '../../../core/read-log.ts';
import type { Schema } from '../../../core/schema.ts';
import type { LogStore } from '../../../core/store.ts';
import type { RecallIndex } from '../../../recall/index/index.ts';
import {
  type IndexedTexts,
  idKeyOf,
  type NewRow,
  type TextsById,
  textKeyOf,
  type VectorBlock,
} from '../../../recall/vectors/index.ts';
import type { LayerContext } from '../../layer-context.ts';
import { foldSession } from '../../memories/session-fold.ts';
import { addressOf } from '../../memories/sessions.ts';
import type { UserIndex } from '../user-index.ts';
import type { Sift } from './vector-shelf.ts';

/**
 * Which vectors may stay: those of memories that live, and that still say what they were made from.
 *
 * A log only grows until it is rewritten, and then it has another generation. So a row of the log's own generation
 * needs nothing but its memory, and the index knows what those say that were corrected since; for the others the log is
 * read, and their texts are compared. The same is done for logs that were read as a whole: a person may have changed a
 * line in place (`ComparedLogs`).
 */

/** What a session holds now. */
interface LivingSession {
  readonly generation: string;
  /** By memory. `undefined` in place of the hash when the text cannot have changed. */
  readonly memories: ReadonlyMap<number, string | undefined>;
}

/**
 * Says what becomes of blocks, as things stand when it is called.
 * @param doubted sessions whose texts are compared in any case
 */
export async function siftLiving(
  { store, schema }: { readonly store: LogStore; readonly schema: Schema },
  index: UserIndex,
  blocks: readonly VectorBlock[],
  doubted: ReadonlyMap<string, unknown>,
): Promise<Sift> {
  const generations = new Map<string, Set<string>>();
  for (const { sessions } of blocks) {
    for (const { id, generation } of sessions) {
      generations.set(id, (generations.get(id) ?? new Set()).add(generation));
    }
  }
  const living = new Map<string, LivingSession>();
  const rewritten: string[] = [];
  await index.use((recall) => {
    for (const [sessionId, made] of generations) {
      const texts = index.textsOf(sessionId);
      if (texts === undefined) continue;
      const { generation, corrected } = texts;
      const isRewritten = [...made].some((each) => each !== generation);
      if (isRewritten || doubted.has(sessionId)) rewritten.push(sessionId);
      else living.set(sessionId, { generation, memories: liveIds(recall, sessionId, corrected) });
    }
  });
  for (const sessionId of rewritten) {
    const found = await readSession(store, schema, sessionId);
    if (found !== undefined) living.set(sessionId, found);
  }
  return (block) => {
    const rows: NewRow[] = [];
    let isSame = true;
    for (let row = 0; row < block.count; row++) {
      const made = block.sessionOf(row);
      const session = living.get(made.id);
      if (session === undefined || !holds(session, block, row)) {
        isSame = false;
        continue;
      }
      if (made.generation !== session.generation) isSame = false;
      rows.push(block.row(row, session.generation));
    }
    return isSame ? undefined : rows;
  };
}

function liveIds(
  recall: RecallIndex,
  sessionId: string,
  corrected: TextsById,
): ReadonlyMap<number, string | undefined> {
  const ids = new Map<number, string | undefined>();
  const session = recall.registry.find(sessionId);
  for (const part of recall.parts()) {
    for (const document of part.documentsOfSession(session)) {
      const key = idKeyOf(part.row(document).id);
      ids.set(key, corrected.get(key));
    }
  }
  return ids;
}

/**
 * Which of these sessions hold other texts than their vectors were made from. Vectors that do not count are not looked
 * at: those of another generation than the one that is given, and of memories that were corrected.
 */
async function findOtherTexts(
  { store, schema }: { readonly store: LogStore; readonly schema: Schema },
  indexed: ReadonlyMap<string, IndexedTexts | undefined>,
  blocks: readonly VectorBlock[],
): Promise<ReadonlySet<string>> {
  const rowsOfSession = new Map<string, { readonly block: VectorBlock; readonly row: number }[]>();
  for (const block of blocks) {
    for (let row = 0; row < block.count; row++) {
      const { id, generation } = block.sessionOf(row);
      const texts = indexed.get(id);
      if (texts?.generation !== generation || texts.corrected.has(block.idKeyOf(row))) continue;
      const rows = rowsOfSession.get(id);
      if (rows === undefined) rowsOfSession.set(id, [{ block, row }]);
      else rows.push({ block, row });
    }
  }
  const others = new Set<string>();
  for (const [id, rows] of rowsOfSession) {
    const session = await readSession(store, schema, id);
    const isSameLog = session !== undefined && session.generation === indexed.get(id)!.generation;
    // Rows of what was deleted stay until the log is rewritten.
    const isOther = ({ block, row }: (typeof rows)[number]): boolean =>
      session!.memories.has(block.idKeyOf(row)) && !holds(session!, block, row);
    if (!isSameLog || rows.some(isOther)) others.add(id);
  }
  return others;
}

/** `undefined` when it is gone. */
async function readSession(
  store: LogStore,
  schema: Schema,
  sessionId: string,
): Promise<LivingSession | undefined> {
  const slice = await readLog(store, addressOf(sessionId)).catch(ifGone);
  if (slice === undefined) return undefined;
  const { entries } = foldSession(sessionId, slice, schema);
  const memories = new Map(entries.map(({ entry }) => [idKeyOf(entry.id), textKeyOf(entry)]));
  return { generation: slice.position.generation, memories };
}

function holds({ memories }: LivingSession, block: VectorBlock, row: number): boolean {
  const key = block.idKeyOf(row);
  if (!memories.has(key)) return false;
  const text = memories.get(key);
  return text === undefined || text === block.textKeyOf(row);
}

/**
 * Which logs hold the texts that their vectors were made from.
 *
 * A log that only grew since it was indexed does, but for memories that were corrected, which the index knows. One that this process had to read as a whole may have been changed by
 * a person, in place, so that it is still the same file: its memories have the same ids, and other texts. Until its
 * texts were compared with the vectors, by their hashes, these do not count. A log is compared once for each reading.
 */
export class ComparedLogs {
  readonly #context: LayerContext;
  readonly #index: UserIndex;
  /** Session → the reading of its log that was compared. */
  readonly #compared = new Map<string, number>();
  /** All readings up to this one were. */
  #comparedUpTo = 0;

  constructor(context: LayerContext, index: UserIndex) {
    this.#context = context;
    this.#index = index;
  }

  has(sessionId: string): boolean {
    return this.#compared.get(sessionId) === this.#index.logs.readings.get(sessionId);
  }

  /** Session → reading, of all logs that are still to be compared. The index must be current. */
  missing(): ReadonlyMap<string, number> {
    const { lastReading, readings } = this.#index.logs;
    if (lastReading === this.#comparedUpTo) return NONE;
    const missing = new Map([...readings].filter(([id]) => !this.has(id)));
    if (missing.size === 0) this.#comparedUpTo = lastReading;
    return missing;
  }

  /** These were compared, and only vectors of their own texts are left. */
  note(compared: ReadonlyMap<string, number>): void {
    for (const [id, reading] of compared) this.#compared.set(id, reading);
  }

  /** Compares those that are missing. False when there are vectors of other texts; their logs stay uncompared. */
  async compare(blocks: readonly VectorBlock[]): Promise<boolean> {
    const index = this.#index;
    const { missing, indexed } = await index.use(() => {
      const found = this.missing();
      return { missing: found, indexed: new Map(Array.from(found.keys(), (id) => [id, index.textsOf(id)])) };
    });
    if (missing.size === 0) return true;
    const others = await findOtherTexts(this.#context, indexed, blocks);
    for (const [id, reading] of missing) if (!others.has(id)) this.#compared.set(id, reading);
    return others.size === 0;
  }
}

const NONE: ReadonlyMap<string, number> = new Map();
