import { ConcurrencyError } from '../../core/errors.ts';
import { sha256Hex } from '../../core/sha256.ts';
import { fieldsOf } from '../failures.ts';
import type { Layer } from '../layer.ts';
import type { LayerContext } from '../layer-context.ts';

/** A change of a user's memories that waits for a person to decide. It names what it is about, and holds no text of it. */
export interface ProposalRecord {
  readonly id: string;
  readonly kind: 'merge' | 'replace' | 'core' | 'notes';
  /** What it is about, newest first. */
  readonly memories: readonly string[];
  /** Whose journal or notes it is about. */
  readonly agent_id?: string;
  readonly proposed_at: string;
  readonly state: 'open' | 'accepted' | 'dismissed';
  /** The agent that has decided; a person when left out. */
  readonly decided_by?: string;
}

interface ReviewList {
  readonly proposals: readonly ProposalRecord[];
  /** What was there when proposals were last looked for by the schedule. */
  readonly seen: unknown;
}

const TRIES = 20;

/**
 * The list of what waits for review, one document a user. It can be lost without harm: then the same is proposed again,
 * what was dismissed included.
 */
export class ReviewLists {
  readonly #context: LayerContext;

  constructor(context: LayerContext) {
    this.#context = context;
  }

  async read(userId: string): Promise<readonly ProposalRecord[]> {
    return parse(await this.#context.store.readDocument(undefined, documentOf(userId)));
  }

  /** Replaces the list by what `change` makes of it. It may be asked again when another process was faster. */
  async change(
    userId: string,
    change: (list: readonly ProposalRecord[]) => readonly ProposalRecord[],
  ): Promise<readonly ProposalRecord[]> {
    const list = await this.#rewrite(userId, (proposals, { seen }) => ({
      proposals: change(proposals),
      seen,
    }));
    return list.proposals;
  }

  /** @param look is given what it gave when it was last asked for this user, and asked by one process at a time */
  async follow(userId: string, look: (seen: unknown) => Promise<unknown>): Promise<void> {
    const { seen } = fieldsOf(await this.#context.store.readDocument(undefined, documentOf(userId)));
    const now = await look(seen);
    if (now !== seen) await this.#rewrite(userId, (proposals) => ({ proposals, seen: now }));
  }

  /** As `LogStore.claim`, for those who follow every user. */
  claim(): Promise<(() => void) | undefined> {
    return this.#context.store.claim('proposals');
  }

  async #rewrite(
    userId: string,
    change: (list: readonly ProposalRecord[], fields: ReturnType<typeof fieldsOf>) => ReviewList,
  ): Promise<ReviewList> {
    const { store } = this.#context;
    const name = documentOf(userId);
    for (let tries = 0; tries < TRIES; tries++) {
      const before = await store.readDocument(undefined, name);
      const list = change(parse(before), fieldsOf(before));
      const text = `${JSON.stringify({ version: 1, ...list }, null, 2)}\n`;
      if (text === before || (await store.writeDocument(undefined, name, text, { expected: before ?? null })))
        return list;
    }
    throw new ConcurrencyError('LOCK_TIMEOUT', 'Other processes keep changing the review list. Try again.');
  }

  async forget(userId: string): Promise<void> {
    await this.#context.store.writeDocument(undefined, documentOf(userId), undefined);
  }
}

export function proposalsLayer(lists: ReviewLists): Layer {
  return {
    name: 'proposals',
    async erase(erasure) {
      if (erasure.kind === 'user') await lists.forget(erasure.userId);
    },
    async copy({ kind, id }, copy) {
      if (kind === 'user') await copy.document(undefined, documentOf(id), id);
    },
  };
}

/** A file name that says nothing of the user. */
function documentOf(userId: string): string {
  return `indices/proposals-${sha256Hex(userId).slice(0, 32)}.json`;
}

function parse(text: string | undefined): readonly ProposalRecord[] {
  const { proposals } = fieldsOf(text);
  return Array.isArray(proposals) ? (proposals as readonly ProposalRecord[]) : [];
}
