import type { DocumentRef, RecallIndex } from '../index/index.ts';

/** Documents of all parts as plain numbers: document × number of parts + number of the part. */
export type PackedDocument = number;

/** Newest first; then by session id; then the later one in the session. Never 0 for two memories. */
export function compareIdentity(index: RecallIndex, left: DocumentRef, right: DocumentRef): number {
  const byTime = right.part.time[right.document]! - left.part.time[left.document]!;
  if (byTime !== 0) return byTime;
  const leftSession = left.part.session[left.document]!;
  const rightSession = right.part.session[right.document]!;
  if (leftSession !== rightSession) {
    return index.registry.ids[leftSession]! < index.registry.ids[rightSession]! ? -1 : 1;
  }
  return right.part.orderOf(right.document) - left.part.orderOf(left.document);
}
