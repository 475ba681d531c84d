import type { MeasureMeaning } from '../../../recall/ranking/index.ts';
import { meaningText, type QuantisedVector } from '../../../recall/vectors/index.ts';
import type { LayerContext } from '../../layer-context.ts';
import type { Memories } from '../../memories/memories.ts';
import type { UserIndex } from '../user-index.ts';
import { EmbedderGate } from './embedder-gate.ts';
import { UserVectors } from './user-vectors.ts';

/** Whether the meaning of a question had a say in the answer, when there is an embedder. */
export interface Semantic {
  readonly used: boolean;
  /**
   * Why not: the embedder was too `late`, has `failed`, no memory has a vector yet (`pending`), or the query asks for
   * letters or for no text at all (`words`).
   */
  readonly reason?: 'late' | 'failed' | 'pending' | 'words';
}

export interface AskedMeaning {
  readonly semantic: Semantic;
  readonly measure?: MeasureMeaning;
  /** Whether a search with it has passed over what it would find now: logs were reread since it was asked. */
  readonly catchUp?: () => Promise<boolean>;
}

/** Finding by meaning, for all users of a store. Loaded where there is an embedder, or vectors to remove. */
export class MeaningSearch {
  readonly #context: LayerContext;
  readonly #memories: Memories;
  readonly #gate: EmbedderGate | undefined;
  readonly #users = new Map<string, UserVectors>();

  constructor(context: LayerContext, memories: Memories) {
    this.#context = context;
    this.#memories = memories;
    const { embedding } = context;
    this.#gate = embedding && new EmbedderGate(embedding.embedder, embedding.waitMs, context);
  }

  /** The vectors of a user. @param index of the same user, closed after them */
  of(userId: string, index: UserIndex): UserVectors {
    let vectors = this.#users.get(userId);
    if (vectors === undefined || !vectors.follows(index)) {
      void vectors?.close();
      const needs = { context: this.#context, memories: this.#memories, gate: this.#gate, userId, index };
      vectors = new UserVectors(needs);
      this.#users.set(userId, vectors);
    }
    return vectors;
  }

  /** What a query asks by its meaning. Waits for the embedder no longer than it should. */
  async ask(vectors: UserVectors, text: string | undefined): Promise<AskedMeaning> {
    const wanted = meaningText(text);
    if (wanted === undefined) return { semantic: { used: false, reason: 'words' } };
    if (!(await vectors.prepare())) return { semantic: { used: false, reason: 'pending' } };
    const asked = await this.#gate!.ask(wanted);
    if (asked.vector === undefined) return { semantic: { used: false, reason: asked.reason } };
    return this.like(vectors, asked.vector);
  }

  /** The same for a vector that is known. */
  like(vectors: UserVectors, vector: QuantisedVector): AskedMeaning {
    return {
      semantic: { used: true },
      measure: vectors.meaning(vector),
      catchUp: () => vectors.catchUp(),
    };
  }

  async closeUser(userId: string): Promise<void> {
    const vectors = this.#users.get(userId);
    this.#users.delete(userId);
    await vectors?.close();
  }

  close(): void {
    this.#gate?.close();
  }
}
