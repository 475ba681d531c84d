import { type JsonObject, SCHEMA_VERSION } from '../core/records.ts';
import { sha256Hex } from '../core/sha256.ts';
import { FollowedLog } from '../layers/followed-log.ts';
import type { LayerContext } from '../layers/layer-context.ts';
import { type ErasurePlan, isEmpty } from './erasure-plan.ts';
import type { CheckedRequest } from './forget-request.ts';
import type { PieceCounts } from './piece-counts.ts';

/**
 * Proof that something was forgotten, without a word of it: names are there as hashes. A person who knows a name can
 * check that it was meant, and what comes back with a restored backup is found by them and forgotten again (replay.ts).
 */
export interface Receipt {
  /** `null` when there was nothing to forget: then the receipt is kept nowhere. */
  readonly receipt_id: string | null;
  readonly timestamp: string;
  readonly scope: CheckedRequest['scope'];
  /** `sha256:` of the user's, session's or agent's name. */
  readonly subject: string;
  readonly selection: CheckedRequest['what']['by'];
  /** `sha256:` of each id, or of the tag in lower case; none for everything and for a time. */
  readonly selected: readonly string[];
  /**
   * What went along with it and is not named by it: `sha256:` of the session, a line break and the id; for what an agent
   * had noted for itself, of `agent`, a blank, the agent, a line break and the id.
   */
  readonly taken_along: readonly string[];
  /** Both ends are included. */
  readonly time_range?: { readonly start: string; readonly end: string };
  readonly pieces: PieceCounts;
  /**
   * When there are any: the ids that nothing was found of, as they were given. Only in the answer: the ledger knows no names.
   */
  readonly not_found?: readonly string[];
  /** When there are any: tables of a database that still hold deleted bytes. Only in the answer, like `not_found`. */
  readonly still_held?: readonly string[];
}

interface LedgerState {
  readonly receipts: Receipt[];
}

/** The receipts of an account, oldest first. */
export class Ledger {
  readonly #context: LayerContext;
  readonly #log: FollowedLog<LedgerState>;

  constructor(context: LayerContext, accountId: string) {
    this.#context = context;
    this.#log = new FollowedLog<LedgerState>(
      context,
      { kind: 'ledger', id: accountId },
      {
        start: () => ({ receipts: [] }),
        apply: ({ receipts }, { fields }) => {
          const { schema_version: _version, record, ...receipt } = fields as unknown as JsonObject;
          if (record === 'receipt') receipts.push(receipt as unknown as Receipt);
        },
      },
    );
  }

  async list(): Promise<readonly Receipt[]> {
    return [...(await this.#log.current()).receipts];
  }

  async write(request: CheckedRequest, plan: ErasurePlan, pieces: PieceCounts): Promise<Receipt> {
    const { sessions, journals } = plan;
    const { clock, makeId } = this.#context;
    const nowMs = clock.now();
    const receipt: Receipt = {
      receipt_id: isEmpty(plan) ? null : makeId('forget_', nowMs),
      timestamp: new Date(nowMs).toISOString(),
      scope: request.scope,
      subject: hashOf(subjectOf(request)),
      selection: request.what.by,
      selected: selectedHashes(request),
      taken_along: [
        ...sessions.flatMap(({ sessionId, takenAlong }) =>
          takenAlong.map((id) => hashOf(pieceName(sessionId, id))),
        ),
        ...journals.flatMap(({ agentId, ids, isTakenAlong }) =>
          isTakenAlong || request.scope !== 'agent' ? ids.map((id) => hashOf(privateName(agentId, id))) : [],
        ),
      ],
      ...timeRangeOf(request),
      pieces,
    };
    if (receipt.receipt_id === null) return receipt;
    const record = { schema_version: SCHEMA_VERSION, record: 'receipt', ...receipt };
    await this.#log.change(() => [record as unknown as JsonObject]);
    return receipt;
  }
}

export function subjectOf(request: CheckedRequest): string {
  if (request.scope === 'user') return request.userId;
  return request.scope === 'session' ? request.sessionId : request.agentId;
}

function selectedHashes({ what }: CheckedRequest): readonly string[] {
  switch (what.by) {
    case 'ids':
      return [...what.ids].map(hashOf).sort();
    case 'topic':
      return [hashOf(what.tag.toLowerCase())];
    default:
      return [];
  }
}

/** The moments that were chosen, when a time was. */
export function timeRangeOf({ what }: CheckedRequest): Pick<Receipt, 'time_range'> {
  if (what.by !== 'time') return {};
  return {
    time_range: { start: new Date(what.startMs).toISOString(), end: new Date(what.endMs).toISOString() },
  };
}

/** A piece of a session: ids of messages are told apart by their sessions. */
export function pieceName(sessionId: string, id: string): string {
  return `${sessionId}\n${id}`;
}

/** A journal or core memory. No id of a session has a blank in it. */
export function privateName(agentId: string, id: string): string {
  return pieceName(`agent ${agentId}`, id);
}

export function hashOf(text: string): string {
  return `sha256:${sha256Hex(text)}`;
}
