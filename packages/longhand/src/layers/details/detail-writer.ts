import { IOError, SizeLimitError, ValidationError } from '../../core/errors.ts';
import type { ByteChunks } from '../../core/store.ts';
import { BYTES_PER_MEGABYTE, type LayerContext } from '../layer-context.ts';
import { addressOf } from '../memories/sessions.ts';
import type { AnySession, SessionRef } from '../session-ref.ts';
import { type Describer, type Description, describeWith } from './detail-description.ts';
import { type CheckedValue, makeMemoryKey } from './detail-input.ts';
import {
  activeRecord,
  type DetailState,
  detailRecord,
  goneRecord,
  isExpired,
  type KeptDetail,
  type NewDetail,
} from './detail-records.ts';
import { BLOB_PREFIX, expiring, forgetting, removeDetails } from './detail-removal.ts';
import { DetailScan, type ScannedContent, scanned } from './detail-scan.ts';
import type { UserDetails } from './user-details.ts';

const MS_PER_DAY = 86_400_000;

/** Stores values: the value first, its record second, decided under the log's lock. */
export class DetailWriter {
  readonly #context: LayerContext;
  readonly #describer: Describer;
  /** Values that are written and not recorded yet: nothing may sweep them. */
  readonly underWay = new Set<string>();

  constructor(context: LayerContext, describer: Describer) {
    this.#context = context;
    this.#describer = describer;
  }

  /**
   * @throws SizeLimitError DETAIL_QUOTA, ValidationError ID_TAKEN, NotFoundError SESSION_NOT_FOUND, IOError
   */
  async store(details: UserDetails, session: SessionRef, value: CheckedValue): Promise<KeptDetail> {
    const { sessionId } = session;
    const { store, clock, makeId, emit } = this.#context;
    const nowMs = clock.now();
    await this.#refuseKeyOfOtherSession(details, sessionId, value.ownKey, nowMs);
    const roomBytes = await this.#makeRoom(details, session, nowMs);
    const blob = makeId(BLOB_PREFIX, nowMs);
    this.underWay.add(blob);
    let kept: KeptDetail | undefined;
    try {
      const scan = new DetailScan();
      await this.#writeBlob(session, blob, this.#within(roomBytes, scanned(value.chunks, scan), scan));
      const content = scan.finish();
      const description = await this.#describe(value, content);
      const detail = this.#detailOf(details.userId, sessionId, value, { blob, content, description, nowMs });
      kept = await this.#record(details, session, detail, value, nowMs);
    } finally {
      // Refused, failed, or there already: the value that was written is not the one that counts.
      if (kept?.blob !== blob) await store.removeBlobs(addressOf(sessionId), [blob]);
      this.underWay.delete(blob);
    }
    if (kept.blob === blob) {
      await this.#refuseKeyOfOtherSession(details, sessionId, value.ownKey, nowMs, kept);
      emit({ kind: 'detail-stored', session_id: sessionId, memory_key: kept.memory_key });
    }
    return kept;
  }

  async #describe(
    { description, type, metadata, origins }: CheckedValue,
    content: ScannedContent,
  ): Promise<Description> {
    if (description !== undefined)
      return { text: description, method: origins.descriptionMethod ?? 'caller' };
    const hint = {
      type,
      ...(typeof metadata.command === 'string' ? { command: metadata.command } : {}),
      ...(typeof metadata.status === 'string' ? { status: metadata.status } : {}),
    };
    return describeWith(this.#describer, content, hint);
  }

  #detailOf(
    userId: string,
    sessionId: string,
    value: CheckedValue,
    written: { blob: string; content: ScannedContent; description: Description; nowMs: number },
  ): NewDetail {
    const { blob, content, description, nowMs } = written;
    const days = this.#context.config.details.expire_after_days;
    const expiresAt = days === 0 ? null : new Date(nowMs + days * MS_PER_DAY).toISOString();
    return {
      memory_key: value.ownKey ?? makeMemoryKey(value.type),
      session_id: sessionId,
      user_id: userId,
      blob,
      agent_id: value.agentId,
      memory_type: value.type,
      summary: description.text,
      summary_method: description.method,
      content_metadata: value.metadata,
      expires_at: value.origins.expiresAt === undefined ? expiresAt : value.origins.expiresAt,
      size_bytes: content.sizeBytes,
      lines: content.lines,
      is_utf8: content.isUtf8,
      provenance: value.provenance,
      digest: content.digest,
      ...(content.lineMarks === undefined ? {} : { line_marks: content.lineMarks }),
    };
  }

  /** Gives what now stands under the key: the new detail, or the same value from before. */
  async #record(
    details: UserDetails,
    session: SessionRef,
    detail: NewDetail,
    { ownKey, origins }: CheckedValue,
    nowMs: number,
  ): Promise<KeptDetail> {
    const { sessionId, incarnation } = session;
    const { blob } = detail;
    const timestamp = new Date(nowMs).toISOString();
    let key = detail.memory_key;
    let isReplacing = false;
    const state = await details.logOf(sessionId).change(
      ({ byKey, condemned, sizeBytes }) => {
        if (condemned.has(blob)) throw sweptAway(sessionId);
        while (ownKey === undefined && byKey.has(key)) key = makeMemoryKey(detail.memory_type);
        const present = byKey.get(key);
        const isPresent = present !== undefined && !isExpired(present, nowMs);
        if (isPresent && present.digest === detail.digest) return [];
        if (isPresent) throw keyTaken(key);
        isReplacing = present !== undefined;
        this.#refuseOverQuota(sizeBytes - (present?.size_bytes ?? 0), detail.size_bytes);
        const gone =
          present === undefined ? [] : [goneRecord('remove', sessionId, [present.blob], timestamp)];
        const keyed = { ...detail, memory_key: key };
        const createdAt = new Date(origins.createdAtMs ?? nowMs).toISOString();
        const inactive = origins.isActive ? [] : [activeRecord(keyed, false, timestamp)];
        return [...gone, detailRecord(keyed, createdAt), ...inactive];
      },
      { userId: details.userId, incarnation },
    );
    if (isReplacing) await this.#remove(details, session, expiring(nowMs));
    return found(state, key, sessionId);
  }

  /** Bytes that the session may still take; what has expired makes way first. */
  async #makeRoom(details: UserDetails, session: SessionRef, nowMs: number): Promise<number> {
    const log = details.logOf(session.sessionId);
    let { byKey, sizeBytes } = await log.current();
    if ([...byKey.values()].some((detail) => isExpired(detail, nowMs))) {
      await this.#remove(details, session, expiring(nowMs));
      ({ byKey, sizeBytes } = await log.current());
    }
    return this.#quotaBytes - sizeBytes;
  }

  get #quotaBytes(): number {
    return Math.floor(this.#context.config.details.quota_mb * BYTES_PER_MEGABYTE);
  }

  /** What fails while the chunks are made is no failure of the store, and comes out as it is. */
  async #writeBlob(session: SessionRef, blob: string, chunks: ByteChunks): Promise<void> {
    let failure: { readonly error: unknown } | undefined;
    async function* watched(): AsyncGenerator<Uint8Array, void> {
      try {
        yield* chunks;
      } catch (error) {
        failure = { error };
        throw error;
      }
    }
    try {
      await this.#context.store.writeBlob(addressOf(session), blob, watched());
    } catch (error) {
      throw failure === undefined ? error : failure.error;
    }
  }

  /** Ends the stream as soon as it is too long, not when it has filled the disk. */
  async *#within(roomBytes: number, chunks: ByteChunks, scan: DetailScan): AsyncGenerator<Uint8Array, void> {
    for await (const chunk of chunks) {
      if (scan.sizeBytes > roomBytes) this.#refuseOverQuota(this.#quotaBytes - roomBytes, scan.sizeBytes);
      yield chunk;
    }
  }

  #refuseOverQuota(usedBytes: number, wantedBytes: number): void {
    const quotaBytes = this.#quotaBytes;
    if (usedBytes + wantedBytes <= quotaBytes) return;
    throw new SizeLimitError(
      'DETAIL_QUOTA',
      `The details of the session take ${usedBytes} of ${quotaBytes} bytes, and there is no room for ${wantedBytes} ` +
        'more. Remove details, raise details.quota_mb, or go on in a new session.',
      { details: { used_bytes: usedBytes, quota_bytes: quotaBytes, wanted_bytes: wantedBytes } },
    );
  }

  /**
   * A key names one detail of the user, in whatever session. The lock is that of one session, so it is looked at
   * before and again after: of two writers in two sessions at once at least one sees the other, and gives way.
   */
  async #refuseKeyOfOtherSession(
    details: UserDetails,
    sessionId: string,
    key: string | undefined,
    nowMs: number,
    written?: KeptDetail,
  ): Promise<void> {
    if (key === undefined) return;
    for (const [id, { byKey }] of await details.states()) {
      const other = byKey.get(key);
      if (id === sessionId || other === undefined || !details.isShown(other, nowMs)) continue;
      if (written !== undefined) await this.#remove(details, sessionId, forgetting([key]));
      throw keyTaken(key);
    }
  }

  #remove(
    details: UserDetails,
    session: AnySession,
    removal: Parameters<typeof removeDetails>[3],
  ): Promise<unknown> {
    return removeDetails(this.#context, details, session, removal, this.underWay);
  }
}

function found({ byKey }: DetailState, key: string, sessionId: string): KeptDetail {
  const detail = byKey.get(key);
  if (detail === undefined) throw sweptAway(sessionId);
  return detail;
}

function keyTaken(key: string): ValidationError {
  return new ValidationError('ID_TAKEN', `The user already has another detail with the key ${key}.`, {
    details: { memory_key: key },
  });
}

/** All details of the session were forgotten at this moment, or the value took days to write. */
function sweptAway(sessionId: string): IOError {
  return new IOError(
    'IO_FAILED',
    `A value was removed from session ${sessionId} while it was being stored. Store it again.`,
    { details: { session_id: sessionId, swept: true } },
  );
}

export function isSweptAway(error: unknown): boolean {
  return error instanceof IOError && error.details.swept === true;
}
