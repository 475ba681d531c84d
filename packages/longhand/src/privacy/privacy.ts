import type { LonghandError } from '../core/errors.ts';
import { parseSessionId } from '../core/ids.ts';
import { usersNaming } from '../layers/memories/sessions.ts';
import type { SessionOwner, SessionRef } from '../layers/session-ref.ts';
import { type ErasurePlan, erase, isEmpty, planErasure, wholeSession } from './erasure-plan.ts';
import { exportUser } from './export-user.ts';
import type { ExternalCopies, ExternalScope } from './external-copies.ts';
import { type CheckedRequest, type ForgetRequest, parseForgetRequest } from './forget-request.ts';
import { heldPieces } from './held-pieces.ts';
import { countPieces, type ForgetPreview, type PieceCounts } from './piece-counts.ts';
import type { PrivacyLayers } from './privacy-layers.ts';
import { Ledger, type Receipt, subjectOf, timeRangeOf } from './receipts.ts';
import { checkRedaction, type RedactionRequest, redact } from './redaction.ts';
import { requestsOf } from './replay.ts';
import type { UnreadSession } from './session-plan.ts';
import { type ErasureCheck, verifyErased } from './verify-erased.ts';

/** For the person who answers for the data: what is stored about a user, and forgetting it. */
export class Privacy<Words extends object = object> {
  readonly #layers: PrivacyLayers;
  readonly #describe: PrivacyOptions<Words>['describe'];
  readonly #ledger: Ledger;
  readonly #externalCopies: ExternalCopies | undefined;

  constructor(layers: PrivacyLayers, options: PrivacyOptions<Words>) {
    this.#layers = layers;
    this.#describe = options.describe;
    this.#ledger = new Ledger(layers.context, options.accountId);
    this.#externalCopies = options.externalCopies;
  }

  /** What `forget` would take away: in numbers, of which time, and in words. @throws ValidationError */
  async preview(request: ForgetRequest): Promise<ForgetPreview & Words> {
    const checked = await this.#gathered(request, this.#check(request), await this.#scopeOf(request));
    const plan = await planErasure(this.#layers, checked);
    const counts = await countPieces(this.#layers, plan);
    return { ...counts, ...timeRangeOf(checked), ...((await this.#describe?.(plan, counts)) as Words) };
  }

  /**
   * Forgets, everywhere: in logs, index, summaries, the history of notes, details, windows and transcripts. When
   * the promise is kept, no file of the store holds what the receipt counts. Asking again is harmless. When a session
   * cannot be read, and something in it may be meant, all others are done and then the error says which one it is:
   * there is no receipt for what was not done.
   * @param owner whose the session must be that is named, or the very session: one that has changed hands since stays
   * @throws ValidationError SCOPE_MISSING, INVALID_OPTION
   * @throws NotFoundError SESSION_NOT_FOUND when the session is not the owner's
   * @throws CorruptionError CORRUPT_SESSION, ValidationError SCHEMA_TOO_NEW when a session that is meant in part cannot
   * be read
   */
  async forget(request: ForgetRequest, owner?: SessionOwner | SessionRef): Promise<Receipt> {
    const parsed = this.#check(request);
    const incarnation = await this.#meant(request.session, owner);
    const scope = await this.#scopeOf(request);
    return this.#holding(scope, async () => {
      const checked = await this.#gathered(request, parsed, scope);
      return this.#forget(checked, await planErasure(this.#layers, checked, incarnation), scope);
    });
  }

  #check(request: ForgetRequest): CheckedRequest {
    return parseForgetRequest(request, this.#layers.context.config.time_zone);
  }

  /** With the pieces that hold a text, also of what was still waiting to be archived. */
  async #gathered(request: ForgetRequest, checked: CheckedRequest, scope: ExternalScope) {
    await this.#externalCopies?.gather(scope, { isWhole: checked.what.by === 'everything' });
    if (request.text === undefined) return checked;
    return { ...checked, what: { by: 'ids' as const, ...(await heldPieces(this.#layers, request)) } };
  }

  /** Forgets or redacts while no component writes what is to go. */
  async #holding<Result>(scope: ExternalScope, work: () => Promise<Result>): Promise<Result> {
    const hold = await this.#externalCopies?.hold(scope);
    let isChanged = true;
    try {
      const result = await work();
      isChanged = result !== 0 && result !== undefined;
      return result;
    } finally {
      hold?.release({ isChanged });
    }
  }

  async #forget(request: CheckedRequest, plan: ErasurePlan, scope: ExternalScope): Promise<Receipt> {
    const pieces = await countPieces(this.#layers, plan);
    await erase(this.#layers, plan);
    if (request.scope === 'session' && isEmpty(plan)) await this.finishRemoval(request.sessionId);
    const stillHeld = await this.#settle(scope);
    if (plan.unread.length > 0) throw leftUnread(plan.unread);
    const written = await this.#ledger.write(request, plan, pieces);
    const { receipt_id } = written;
    const missing =
      request.what.by === 'ids' ? [...request.what.ids].filter((id) => !plan.found.has(id)) : [];
    const receipt = {
      ...written,
      ...(missing.length > 0 && { not_found: missing }),
      ...(stillHeld.length > 0 && { still_held: stillHeld }),
    };
    if (receipt_id === null) return receipt;
    const { note_lines: _inNotes, damaged_lines: _damaged, unread_sessions: _unread, ...counted } = pieces;
    const total = Object.values(counted).reduce((sum, count) => sum + count, 0);
    this.#layers.context.emit({ kind: 'forgotten', receipt_id, pieces: total });
    return receipt;
  }

  /**
   * Forgets again what was forgotten once and has come back, because a backup was restored. To be called before
   * anything else is written. What was written after a receipt is not meant by it.
   * @param receipts those that are known from elsewhere: a backup holds none that are newer than itself; the store's
   * own when left out
   * @returns a new receipt for each time that something was found
   */
  async replay(receipts?: readonly Receipt[]): Promise<readonly Receipt[]> {
    const written: Receipt[] = [];
    for (const receipt of receipts ?? (await this.receipts())) {
      for (const request of await requestsOf(this.#layers, receipt)) {
        const scope = await this.#scopeOf({ [request.scope]: subjectOf(request) });
        const receipt = await this.#holding(scope, async () => {
          const plan = await planErasure(this.#layers, request);
          return isEmpty(plan) ? undefined : this.#forget(request, plan, scope);
        });
        if (receipt !== undefined) written.push(receipt);
      }
    }
    return written;
  }

  /**
   * Takes a text out of one memory, message, detail or document of notes, and of what was taken from the same message.
   * How many times it was there.
   * @param owner whose the session must be that is named: one that has changed hands since is left alone
   * @throws NotFoundError when there is no such piece
   */
  async redact(request: RedactionRequest, owner?: SessionOwner): Promise<number> {
    checkRedaction(request);
    const { session } = request as ForgetRequest;
    const incarnation = await this.#meant(session, owner);
    const scope = await this.#scopeOf(request as ForgetRequest);
    return this.#holding(scope, async () => {
      // A memory is redacted with the message that it was taken from.
      if (session !== undefined) await this.#externalCopies?.gather(scope, { isWhole: false });
      const count = await redact(this.#layers, request, incarnation);
      if (count > 0) await this.#settle(scope);
      return count;
    });
  }

  /** Takes away copies outside of the store, and bytes that it has only marked as deleted. @returns where some are left */
  async #settle(scope: ExternalScope): Promise<readonly string[]> {
    await this.#externalCopies?.erased(scope);
    return (await this.#layers.context.store.remains?.remove()) ?? [];
  }

  /** What was forgotten when, without its content, oldest first. */
  receipts(): Promise<readonly Receipt[]> {
    return this.#ledger.list();
  }

  /** Looks for words in every byte of the store. @throws ValidationError INVALID_OPTION */
  async verifyErased(words: readonly string[]): Promise<ErasureCheck> {
    const { store, loadTable } = this.#layers.context;
    return verifyErased(store, words, await loadTable());
  }

  /** Removes what a process that was killed while it removed a session has left of it. */
  finishRemoval(sessionId: string, userId?: string): Promise<void> {
    return this.#layers.removal.finish(parseSessionId(sessionId), userId);
  }

  /** Everything about a user, as lines of JSON. */
  async *exportUser(userId: string): AsyncGenerator<string, void> {
    await this.#externalCopies?.gather({ user: userId }, { isWhole: false });
    yield* exportUser(this.#layers, userId);
  }

  /**
   * A session that cannot be read, as it is now, if the user's list of sessions names it and no other user's does. It can be
   * forgotten as a whole, and nothing else can be done with it.
   * @throws ValidationError INVALID_ID
   */
  async lostSessionOf(userId: string, sessionId: string): Promise<SessionRef | undefined> {
    const { owner, incarnation } = await wholeSession(this.#layers, parseSessionId(sessionId));
    if (owner !== undefined || incarnation === undefined) return undefined;
    const users = await usersNaming(this.#layers.context.store, sessionId);
    return users.length === 1 && users[0] === userId ? { sessionId, incarnation } : undefined;
  }

  /** The incarnation in which a session that is named is the owner's; `undefined` when either is left out. */
  async #meant(
    sessionId: string | undefined,
    owner: SessionOwner | SessionRef | undefined,
  ): Promise<string | undefined> {
    if (sessionId === undefined || owner === undefined) return undefined;
    if ('incarnation' in owner) return owner.incarnation;
    return (await this.#layers.sessions.open(sessionId, owner)).incarnation;
  }

  /** With the owner of a session, which cannot be determined any more once it is gone. */
  async #scopeOf({ user, session, agent }: ForgetRequest): Promise<ExternalScope> {
    if (session === undefined) {
      // Beside a user, an agent only narrows what is meant.
      return user === undefined ? (agent === undefined ? {} : { agent }) : { user };
    }
    const owner = this.#externalCopies && (await this.#layers.sessions.sessionIfReadable(session))?.user_id;
    return { session, ...(owner === undefined ? {} : { user: owner }) };
  }
}

/** Of the same kind and code as the first reason. */
function leftUnread(unread: readonly UnreadSession[]): LonghandError {
  const [{ reason }] = unread as readonly [UnreadSession];
  const ids = unread.map(({ sessionId }) => sessionId);
  const which = ids.length === 1 ? `session ${ids[0]}` : `the sessions ${ids.join(', ')}`;
  const Kind = reason.constructor as typeof LonghandError;
  return new Kind(
    reason.code,
    `Not all is forgotten: ${which} cannot be read, so nothing was taken out there. What was meant elsewhere is gone. No ` +
      `receipt was written. Mend what cannot be read and ask again, or forget it as a whole. ${reason.message}`,
    { cause: reason, details: { ...reason.details, session_ids: ids } },
  );
}

interface PrivacyOptions<Words extends object = object> {
  /** Puts into words what would go. */
  readonly describe?: (plan: ErasurePlan, counts: PieceCounts) => Promise<Words>;
  /** Whose ledger it is; `local` when left out. */
  readonly accountId: string;
  readonly externalCopies?: ExternalCopies | undefined;
}
