import type { Embedder } from '../../../core/embedder.ts';
import { EMBEDDER_LIMITS, isRefusal } from '../../../core/embedder.ts';
import { LonghandError } from '../../../core/errors.ts';
import type { RecallIndex } from '../../../recall/index/index.ts';
import { embeddedSimilarity, type MeasureMeaning } from '../../../recall/ranking/index.ts';
import {
  contentHashOf,
  embeddingText,
  idHashesOf,
  idKeyOf,
  type NewRow,
  NO_ROW,
  type QuantisedVector,
  type TextsOf,
  textKey,
} from '../../../recall/vectors/index.ts';
import type { LayerContext } from '../../layer-context.ts';
import type { Memories, PlacedMemory } from '../../memories/memories.ts';
import type { UserIndex } from '../user-index.ts';
import type { EmbedderGate } from './embedder-gate.ts';
import { ComparedLogs, siftLiving } from './living-rows.ts';
import { VectorShelf } from './vector-shelf.ts';

/**
 * The vectors of one user's memories, in this process.
 *
 * They are derived like the search index, and follow it: memories of the index that have no vector are given to the
 * embedder in the background, a few hundred at a time, by the one process that has the claim. Neither an add nor a
 * query ever waits for that. What is published was compared with the logs while no other process could write, so that
 * what is forgotten meanwhile does not come back; and forgetting takes the vectors out before it settles.
 */

/** Vectors that are made before they are written down. */
const ROWS_A_BLOCK = 1_024;
/** Others may be about to add more. */
const SOON_MS = 200;
/** When another process has the claim: it may end before it is through. */
const CLAIMED_PAUSE_MS = 2_000;

/** Making vectors of logs that others change at the same time: what is missing then, the next update makes. */
const MAX_REPEATS = 8;

/** A memory without a vector. */
interface Missing extends PlacedMemory {
  readonly generation: string;
  /** Of its log, by the index. */
  readonly reading: number | undefined;
  /** What it says, by the index, when it was corrected. */
  readonly corrected: string | undefined;
}

interface MadeRow extends NewRow, Pick<Missing, 'id' | 'reading'> {}

interface VectorNeeds {
  readonly context: LayerContext;
  readonly userId: string;
  readonly index: UserIndex;
  readonly memories: Memories;
  /** Without one the vectors are only looked after. */
  readonly gate: EmbedderGate | undefined;
}

/** What became of an update. */
export interface VectorUpdate {
  /** Vectors that were made. */
  readonly embedded: number;
  /** Memories that the embedder refuses, or that hold no text. */
  readonly refused: number;
  /** Another process is making them. */
  readonly isClaimed: boolean;
}

export class UserVectors {
  readonly #needs: VectorNeeds;
  readonly #shelf: VectorShelf;
  readonly #compared: ComparedLogs;
  /** Whether vectors were looked for in logs that had not been compared, and none were given. */
  #hasPassedOver = false;
  /** Memories that the embedder does not take, until the process ends. */
  readonly #refused = new Set<string>();
  readonly #closing = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #updating: Promise<VectorUpdate> | undefined;
  /** The one that begins when that has ended. */
  #nextUpdate: Promise<VectorUpdate> | undefined;

  constructor(needs: VectorNeeds) {
    const { context, userId, gate, index } = needs;
    this.#needs = needs;
    this.#shelf = new VectorShelf(context, userId, gate?.embedder.identity);
    this.#compared = new ComparedLogs(context, index);
  }

  /** Whether they are those of this very index, and not of one that was closed. */
  follows(index: UserIndex): boolean {
    return this.#needs.index === index;
  }

  /** Takes in what other processes have made. False when there is nothing to compare a question with. */
  async prepare(): Promise<boolean> {
    await this.#shelf.refresh();
    if (this.#shelf.table.count === 0) return false;
    await this.#compare();
    return true;
  }

  /** False when there are vectors that were made from other texts: they do not count, and should go. */
  async #compare(): Promise<boolean> {
    const isWhole = await this.#compared.compare(this.#shelf.table.blocks);
    if (isWhole && this.#hasPassedOver) {
      this.#hasPassedOver = false;
      this.#shelf.lookAgain();
    }
    return isWhole;
  }

  /**
   * For a search that began before some logs were reread: whether it passed their vectors over, and they count now.
   */
  async catchUp(): Promise<boolean> {
    return this.#hasPassedOver && this.#compare();
  }

  readonly #textsOf: TextsOf = (sessionId) => {
    if (this.#compared.has(sessionId)) return this.#needs.index.textsOf(sessionId);
    this.#hasPassedOver = true;
    return undefined;
  };

  /** What a search needs to compare memories with a question. */
  meaning(vector: QuantisedVector): MeasureMeaning {
    const textsOf = this.#textsOf;
    return (recall) => embeddedSimilarity(recall, this.#shelf.table, textsOf, vector);
  }

  /** The vector of a memory, if it has one by now. */
  vectorOf(recall: RecallIndex, sessionId: string, id: string): QuantisedVector | undefined {
    const found = recall.find(sessionId, id);
    if (found === undefined) return undefined;
    const { table } = this.#shelf;
    const rows = table.rowsOf(recall, found.part, this.#textsOf);
    const number = rows[found.document]!;
    if (number === NO_ROW) return undefined;
    const { block, row } = table.place(number);
    return block.row(row);
  }

  /** Makes what is missing, in the background and in a moment. */
  updateSoon(delayMs = SOON_MS): void {
    if (this.#needs.gate === undefined || this.#timer !== undefined || this.#closing.signal.aborted) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.#updateInBackground();
    }, delayMs);
    this.#timer.unref();
  }

  async #updateInBackground(): Promise<void> {
    const { gate, context, userId } = this.#needs;
    try {
      const { isClaimed } = await this.update();
      if (isClaimed) this.updateSoon(CLAIMED_PAUSE_MS);
    } catch (error) {
      if (this.#closing.signal.aborted) return;
      const code = LonghandError.isInstance(error) ? error.code : String((error as Error).name);
      // The embedder's failure has been reported.
      if (code !== 'EMBEDDER_FAILED' && gate!.restMs === 0) {
        context.emit({ kind: 'io-failed', log: `vectors of ${userId}`, operation: 'embed', reason: code });
      }
      this.updateSoon(Math.max(gate!.restMs, CLAIMED_PAUSE_MS));
    }
  }

  /**
   * Makes all that is missing now. One that is under way may have looked before the last memory was added, so a caller
   * that asks meanwhile waits for it and for another one.
   * @throws what the embedder or the disk does
   */
  update(onProgress: (embedded: number) => void = () => undefined): Promise<VectorUpdate> {
    // Also in the moment between the end of one and the beginning of the next.
    if (this.#nextUpdate !== undefined) return this.#nextUpdate;
    if (this.#updating === undefined) return this.#startUpdate(onProgress);
    this.#nextUpdate = this.#updating.then(ignore, ignore).then(() => {
      this.#nextUpdate = undefined;
      return this.#startUpdate(onProgress);
    });
    return this.#nextUpdate;
  }

  #startUpdate(onProgress: (embedded: number) => void): Promise<VectorUpdate> {
    this.#updating = this.#update(onProgress).finally(() => {
      this.#updating = undefined;
    });
    return this.#updating;
  }

  async #update(onProgress: (embedded: number) => void): Promise<VectorUpdate> {
    const { index, context, userId } = this.#needs;
    // Who has nothing to be remembered needs no files.
    if ((await index.use((recall) => recall.count)) === 0 && !(await this.#shelf.mayHoldAny())) {
      return { embedded: 0, refused: 0, isClaimed: false };
    }
    const release = await context.store.claim('vectors', userId);
    if (release === undefined) return { embedded: 0, refused: this.#refused.size, isClaimed: true };
    let embedded = 0;
    let repeats = 0;
    try {
      await this.#shelf.refresh();
      if (await this.#hasRewritten()) await this.#sift();
      for (;;) {
        this.#closing.signal.throwIfAborted();
        if (!(await this.#compare())) {
          await this.#sift();
          continue;
        }
        const missing = await index.use((recall) => this.#missing(recall));
        const rows = await this.#embedAll(missing);
        const added = await this.#shelf.add(rows.length > 0, () => this.#stillTrue(rows));
        embedded += added;
        if (added > 0) onProgress(embedded);
        // A log was reread meanwhile: what it holds is looked at again, though not for as long as others write.
        const isPassedOver = this.#hasPassedOver || added < rows.length;
        if (isPassedOver && ++repeats < MAX_REPEATS) continue;
        if (missing.length < ROWS_A_BLOCK) break;
      }
    } finally {
      release();
      if (embedded > 0) context.emit({ kind: 'memories-embedded', user_id: userId, count: embedded });
    }
    return { embedded, refused: this.#refused.size, isClaimed: false };
  }

  /** Takes the vectors of what is gone out of every file, whichever embedder made them. */
  async purge(): Promise<void> {
    if (await this.#shelf.mayHoldAny()) await this.#sift();
  }

  /** The same, if files hold vectors of a log that is gone, was rewritten or says something else, or cannot be read. */
  async purgeIfOwed(): Promise<void> {
    const { index } = this.#needs;
    const made = await this.#shelf.sessions();
    const isOwed =
      made === undefined ||
      (await index.use(() =>
        made.some(({ id, generation }) => index.textsOf(id)?.generation !== generation),
      )) ||
      !(await this.#compared.compare(await this.#shelf.blocks()));
    if (isOwed) await this.#sift();
  }

  async #sift(): Promise<void> {
    const { context, index } = this.#needs;
    let doubted: ReadonlyMap<string, number> = new Map();
    await this.#shelf.sift(async (blocks) => {
      doubted = await index.use(() => this.#compared.missing());
      return siftLiving(context, index, blocks, doubted);
    });
    this.#compared.note(doubted);
  }

  /** Whether vectors are of logs that have been rewritten, or are gone. */
  #hasRewritten(): Promise<boolean> {
    const { index } = this.#needs;
    const { blocks } = this.#shelf.table;
    return index.use(() =>
      blocks.some(({ sessions }) =>
        sessions.some(({ id, generation }) => index.textsOf(id)?.generation !== generation),
      ),
    );
  }

  /** Newest first: what was said last is asked for most. */
  #missing(recall: RecallIndex): Missing[] {
    const { index } = this.#needs;
    const { table } = this.#shelf;
    const missing: Missing[] = [];
    for (const part of recall.parts().toReversed()) {
      const rows = table.rowsOf(recall, part, this.#textsOf);
      for (let document = part.count - 1; document >= 0 && missing.length < ROWS_A_BLOCK; document--) {
        if (rows[document] !== NO_ROW || part.dead?.[document] === 1) continue;
        const { sessionId, id, place } = recall.describe({ part, document });
        const texts = this.#textsOf(sessionId);
        if (texts === undefined) continue;
        const { generation } = texts;
        const reading = index.logs.readings.get(sessionId);
        const corrected = texts.corrected.get(idKeyOf(id));
        if (this.#refused.has(refusedKey({ sessionId, id, generation, reading, corrected }))) continue;
        const position = index.positionOf(sessionId, place.log);
        missing.push({ sessionId, id, place, position, generation, reading, corrected });
      }
    }
    return missing;
  }

  async #embedAll(missing: readonly Missing[]): Promise<readonly MadeRow[]> {
    const { batchSize = EMBEDDER_LIMITS.batchSize } = this.#embedder;
    const rows: MadeRow[] = [];
    for (let at = 0; at < missing.length; at += batchSize) {
      const batch: (readonly [Missing, string])[] = [];
      const wanted = missing.slice(at, at + batchSize);
      // Nothing of those that have gone meanwhile, or cannot be read.
      const entries = await this.#needs.memories.readPlaced(wanted);
      for (const [i, each] of wanted.entries()) {
        const entry = entries[i];
        const text = entry === undefined ? '' : embeddingText(entry);
        if (text === '') this.#refused.add(refusedKey(each));
        else batch.push([each, text]);
      }
      for (const [each, text, vector] of await this.#embedBatch(batch)) {
        const { sessionId, id, generation, reading } = each;
        const made = { sessionId, id, generation, reading };
        rows.push({ ...made, ...idHashesOf(id), content: contentHashOf(text), ...vector });
      }
    }
    return rows;
  }

  /** One text that is refused keeps no other from its vector. */
  async #embedBatch(
    batch: readonly (readonly [Missing, string])[],
  ): Promise<(readonly [Missing, string, QuantisedVector])[]> {
    if (batch.length === 0) return [];
    try {
      const texts = batch.map(([, text]) => text);
      const vectors = await this.#needs.gate!.embed(texts, 'document', this.#closing.signal);
      return batch.map(([each, text], at) => [each, text, vectors[at]!]);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      const [first] = batch;
      if (batch.length === 1) {
        this.#refused.add(refusedKey(first![0]));
        return [];
      }
      const alone: (readonly [Missing, string, QuantisedVector])[] = [];
      for (const each of batch) alone.push(...(await this.#embedBatch([each])));
      return alone;
    }
  }

  get #embedder(): Embedder {
    return this.#needs.gate!.embedder;
  }

  /** Those whose memory is still there and says what it did, in a log that was not changed since its text was read. */
  #stillTrue(rows: readonly MadeRow[]): Promise<readonly MadeRow[]> {
    const { index } = this.#needs;
    return index.use((recall) =>
      rows.filter(({ sessionId, id, generation, reading, content }) => {
        const texts = index.textsOf(sessionId);
        if (generation !== texts?.generation || reading !== index.logs.readings.get(sessionId)) return false;
        const text = textKey(content);
        return (
          (texts.corrected.get(idKeyOf(id)) ?? text) === text && recall.find(sessionId, id) !== undefined
        );
      }),
    );
  }

  /** Ends what is under way. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    this.#closing.abort();
    await (this.#nextUpdate ?? this.#updating)?.then(ignore, ignore);
  }
}

function ignore(): void {
  // The caller that asked for it gets the error.
}

function refusedKey({
  sessionId,
  id,
  generation,
  reading,
  corrected,
}: Omit<Missing, 'place' | 'position'>): string {
  return JSON.stringify([sessionId, id, generation, reading, corrected]);
}
