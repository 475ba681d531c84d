import { LOCAL_ACCOUNT } from '../core/scopes.ts';
import { erase } from './erase.ts';
import { countPieces, type PieceCounts, planErasure } from './erasure-plan.ts';
import { exportUser } from './export-user.ts';
import { type ForgetRequest, parseForgetRequest } from './forget-request.ts';
import type { PrivacyLayers } from './privacy-layers.ts';
import { Ledger, type Receipt } from './receipts.ts';
import { type RedactionRequest, redact } from './redaction.ts';
import { type ErasureCheck, verifyErased } from './verify-erased.ts';

/** For whoever answers for the data: what is there about somebody, and making it gone. */
export class Privacy {
  readonly #layers: PrivacyLayers;
  readonly #ledger: Ledger;

  constructor(layers: PrivacyLayers, accountId: string = LOCAL_ACCOUNT) {
    this.#layers = layers;
    this.#ledger = new Ledger(layers.workshop, accountId);
  }

  /** What `forget` would take away, in numbers. Changes nothing. @throws ValidationError */
  async preview(request: ForgetRequest): Promise<PieceCounts> {
    return countPieces(this.#layers, await planErasure(this.#layers, parseForgetRequest(request)));
  }

  /**
   * Forgets, everywhere: in logs, index, summaries, the history of notes, details, windows and transcripts. When
   * the promise is kept, no file of the store holds what the receipt counts. Asking again is harmless.
   * @throws ValidationError SCOPE_MISSING, INVALID_OPTION
   */
  async forget(request: ForgetRequest): Promise<Receipt> {
    const checked = parseForgetRequest(request);
    const plan = await planErasure(this.#layers, checked);
    const pieces = await countPieces(this.#layers, plan);
    await erase(this.#layers, plan);
    const receipt = await this.#ledger.write(checked, pieces);
    const total = Object.values(pieces).reduce((sum: number, count: number) => sum + count, 0);
    this.#layers.workshop.emit({ kind: 'forgotten', receipt_id: receipt.receipt_id, pieces: total });
    return receipt;
  }

  /** Takes a text out of one memory, message or document of notes. How many times it was there. */
  redact(request: RedactionRequest): Promise<number> {
    return redact(this.#layers, request);
  }

  /** What was forgotten when, without its content, oldest first. */
  receipts(): Promise<readonly Receipt[]> {
    return this.#ledger.list();
  }

  /** Looks for words in every byte of the store. @throws ValidationError INVALID_OPTION */
  verifyErased(words: readonly string[]): Promise<ErasureCheck> {
    return verifyErased(this.#layers.workshop.store, words);
  }

  /** Everything about a user, as lines of JSON. */
  exportUser(userId: string): AsyncGenerator<string, void> {
    return exportUser(this.#layers, userId);
  }
}
