import { type JsonObject, SCHEMA_VERSION } from '../core/records.ts';
import { sha256Hex } from '../core/sha256.ts';
import { FollowedLog } from '../layers/followed-log.ts';
import type { Workshop } from '../layers/workshop.ts';
import type { PieceCounts } from './erasure-plan.ts';
import type { CheckedRequest } from './forget-request.ts';

/**
 * Proof that something was forgotten, without a word of it. Whose it was and what was chosen is there as a hash:
 * whoever knows the name can check that it was meant, and after a backup has been restored, the ledger tells what
 * must be forgotten again.
 */
export interface Receipt {
  readonly receipt_id: string;
  readonly timestamp: string;
  readonly scope: CheckedRequest['scope'];
  /** `sha256:` of the user's, session's or agent's name. */
  readonly subject: string;
  readonly selection: CheckedRequest['what']['by'];
  /** `sha256:` of what was selected; `null` for everything. */
  readonly selected: string | null;
  readonly pieces: PieceCounts;
}

interface LedgerState {
  readonly receipts: Receipt[];
}

/** The receipts of an account, oldest first. */
export class Ledger {
  readonly #workshop: Workshop;
  readonly #log: FollowedLog<LedgerState>;

  constructor(workshop: Workshop, accountId: string) {
    this.#workshop = workshop;
    this.#log = new FollowedLog<LedgerState>(
      workshop,
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

  async write(request: CheckedRequest, pieces: PieceCounts): Promise<Receipt> {
    const { clock, makeId } = this.#workshop;
    const nowMs = clock.now();
    const receipt: Receipt = {
      receipt_id: makeId('forget_', nowMs),
      timestamp: new Date(nowMs).toISOString(),
      scope: request.scope,
      subject: hashOf(subjectOf(request)),
      selection: request.what.by,
      selected: selectedHash(request),
      pieces,
    };
    const record = { schema_version: SCHEMA_VERSION, record: 'receipt', ...receipt };
    await this.#log.change(() => [record as unknown as JsonObject]);
    return receipt;
  }
}

/** Whether a receipt was given for somebody, or something, whose name is known. */
export function isSubject(receipt: Receipt, name: string): boolean {
  return receipt.subject === hashOf(name);
}

function subjectOf(request: CheckedRequest): string {
  switch (request.scope) {
    case 'user':
      return request.userId;
    case 'session':
      return request.sessionId;
    case 'agent':
      return request.agentId;
  }
}

function selectedHash({ what }: CheckedRequest): string | null {
  switch (what.by) {
    case 'everything':
      return null;
    case 'ids':
      return hashOf([...what.ids].sort().join('\n'));
    case 'topic':
      return hashOf(what.tag);
    case 'time':
      return hashOf(`${what.startMs}-${what.endMs}`);
  }
}

function hashOf(text: string): string {
  return `sha256:${sha256Hex(text)}`;
}
