import { ConcurrencyError } from '../../core/errors.ts';
import { parseJson } from '../../core/parse-json.ts';
import { sha256Hex } from '../../core/sha256.ts';
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
    const { store } = this.#context;
    const name = documentOf(userId);
    for (let tries = 0; tries < TRIES; tries++) {
      const before = await store.readDocument(undefined, name);
      const proposals = change(parse(before));
      const text = `${JSON.stringify({ version: 1, proposals }, null, 2)}\n`;
      if (text === before || (await store.writeDocument(undefined, name, text, { expected: before ?? null })))
        return proposals;
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
  if (text === undefined) return [];
  const parsed = parseJson(text);
  const list = (parsed as { readonly proposals?: unknown } | undefined)?.proposals;
  return Array.isArray(list) ? (list as readonly ProposalRecord[]) : [];
}
