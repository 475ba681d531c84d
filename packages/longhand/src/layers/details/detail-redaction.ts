import type { JsonObject } from '../../core/records.ts';
import type { ByteChunks } from '../../core/store.ts';
import type { LayerContext } from '../layer-context.ts';
import { addressOf } from '../memories/sessions.ts';
import { REDACTED, TextRedaction } from '../redacted.ts';
import type { SessionRef } from '../session-ref.ts';
import { EXTRACTIVE, type Extract } from './detail-description.ts';
import type { DetailLookup } from './detail-lookup.ts';
import { goneRecord, type KeptDetail } from './detail-records.ts';
import { BLOB_PREFIX } from './detail-removal.ts';
import { DetailScan, type ScannedContent, scanned } from './detail-scan.ts';

/**
 * Taking a text out of a stored value, and leaving the rest of it.
 *
 * A value never changes under its name, so a new one is written beside it. Then, in one rewriting of the log, the
 * record names the new value and the old one is condemned; then the old one goes. A crash before the rewriting leaves
 * a new value that no record names, one after it an old value that the next removal takes away.
 */
interface DetailRedaction {
  readonly text: string;
  /** That keeps the value. */
  readonly session: SessionRef;
  readonly extract: Extract;
}

/**
 * How many times the text was there: in the value, its description and what is noted of it. `undefined` when another
 * value has taken the place of this one meanwhile.
 */
export async function redactDetail(
  context: LayerContext,
  lookup: DetailLookup,
  detail: KeptDetail,
  content: ByteChunks,
  { text, session, extract }: DetailRedaction,
  underWay: Set<string>,
): Promise<number | undefined> {
  const { store, clock, makeId } = context;
  const { blob: oldBlob } = detail;
  const { sessionId, incarnation } = session;
  const details = lookup.ofUser(detail.user_id);
  const log = details.logOf(sessionId);
  const nowMs = clock.now();
  const blob = makeId(BLOB_PREFIX, nowMs);
  const redaction = new TextRedaction(text);
  let isRecorded = false;
  underWay.add(blob);
  try {
    const scan = new DetailScan();
    const redacted = replacing(content, Buffer.from(text), Buffer.from(REDACTED), () => redaction.count++);
    try {
      await store.writeBlob(addressOf(session), blob, scanned(redacted, scan));
    } catch (error) {
      if (await lookup.isReplaced(detail)) return undefined;
      throw error;
    }
    const found = scan.finish();
    const content_metadata = redaction.inObject(detail.content_metadata);
    const status = typeof content_metadata.status === 'string' ? content_metadata.status : undefined;
    const given = redaction.inText(detail.summary);
    // What is made from the value is made again: a description may hold half of the text, where it was cut.
    const summary = detail.summary_method === EXTRACTIVE ? extract(found, status) : given;
    const { count } = redaction;
    if (count === 0) return 0;
    const changes = { ...aboutContent(found), blob, summary, content_metadata } as unknown as JsonObject;
    const closing: JsonObject[] = [];
    const timestamp = new Date(nowMs).toISOString();
    await log.rewrite(
      ({ fields }, { byKey, condemned }) => {
        const isMeant = fields.blob === oldBlob && (fields.record === 'detail' || fields.record === 'active');
        isRecorded = byKey.get(detail.memory_key)?.blob === oldBlob && !condemned.has(blob);
        if (!isMeant || !isRecorded) return 'keep';
        // Read after the last record: the old value is condemned when its record names the new one, and only then.
        closing[0] = goneRecord('remove', sessionId, [oldBlob], timestamp);
        const { line_marks: _marks, ...rest } = fields;
        return fields.record === 'active' ? { ...fields, blob } : { ...rest, ...changes };
      },
      closing,
      { unreadable: { names: new Set([detail.memory_key]), takesTorn: true }, incarnation },
    );
    if (isRecorded) await store.removeBlobs(addressOf(sessionId), [oldBlob]);
    // Notifies the followers of the user's details.
    await store.append({ kind: 'details', id: sessionId, userId: details.userId, incarnation }, []);
    return isRecorded ? count : undefined;
  } finally {
    if (!isRecorded) await store.removeBlobs(addressOf(sessionId), [blob]);
    underWay.delete(blob);
  }
}

function aboutContent(content: ScannedContent): Partial<KeptDetail> {
  return {
    size_bytes: content.sizeBytes,
    lines: content.lines,
    is_utf8: content.isUtf8,
    digest: content.digest,
    ...(content.lineMarks === undefined ? {} : { line_marks: content.lineMarks }),
  };
}

/** The bytes with one text in the place of another, wherever a chunk ends. */
async function* replacing(
  chunks: ByteChunks,
  text: Buffer,
  replacement: Buffer,
  onFound: () => void,
): AsyncGenerator<Uint8Array, void> {
  let rest = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const bytes = Buffer.concat([rest, chunk]);
    let from = 0;
    for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, from)) {
      if (at > from) yield bytes.subarray(from, at);
      yield replacement;
      onFound();
      from = at + text.length;
    }
    // The text may begin in this chunk and end in the next one.
    const end = Math.max(from, bytes.length - text.length + 1);
    if (end > from) yield bytes.subarray(from, end);
    rest = bytes.subarray(end);
  }
  if (rest.length > 0) yield rest;
}
