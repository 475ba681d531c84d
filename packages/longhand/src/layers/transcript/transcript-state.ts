import type { LogLine } from '../../core/line.ts';
import type { ArchivedMessage } from '../../core/messages.ts';
import type { JsonObject, JsonValue } from '../../core/records.ts';
import type { LinePlace } from '../../core/store.ts';
import type { Fold, StoredRecord } from '../followed-log.ts';
import type { SummaryRecord } from './transcript-records.ts';

/** Texts kept in memory for each transcript, newest first; older ones are read again when they are asked for. */
const HELD_CHARACTERS = 1_000_000;

/** A message, or the id of one that is gone; blank when the line was not Longhand's and made no sense. */
export type Entry = ArchivedMessage | string;

/** One record of a batch, and where it stands. */
export interface Part {
  readonly batchId: string;
  readonly archivedAt: string;
  readonly startTimestamp: string;
  readonly endTimestamp: string;
  readonly duplicates: number;
  readonly leftOut: number;
  readonly isPruned: boolean;
  /** Kept for its time: its messages count as gone, though the log still holds them until they are pruned. */
  isExpired: boolean;
  readonly firstIndex: number;
  /** Messages, with those that are gone. */
  readonly count: number;
  /** Positions of those that cannot be read. */
  readonly goneAt: number[];
  /** Messages of the parts before it that can be read: a count from here on then costs nothing. */
  presentBefore: number;
  readonly archivedMs: number;
  readonly place: LinePlace;
  readonly characters: number;
  /** Let go of when newer ones need the room. */
  entries: readonly Entry[] | undefined;
}

/** A message that cannot be read, and whose words may still stand in the log. */
export interface HiddenMessage {
  readonly id: string;
  /** From when it is at the earliest and at the latest. */
  readonly startMs: number;
  readonly endMs: number;
  /** What is known of it, when the log still has all of it. */
  readonly message?: Omit<ArchivedMessage, 'content'>;
}

interface SummaryFailure {
  readonly nextIndex: number;
  readonly attempts: number;
  readonly atMs: number;
}

/** What the records of a transcript add up to: where each message stands, and the newest texts. */
export class TranscriptState {
  readonly parts: Part[] = [];
  readonly #indexes = new Map<string, number>();
  readonly #goneIds = new Set<string>();
  readonly #partsOfBatch = new Map<string, Part[]>();
  /** In records that do not count: of batches that were cut short, or a second time. */
  readonly #strays = new Map<string, Omit<ArchivedMessage, 'content'>[]>();
  /** Forgotten by request, not only because of their age. */
  readonly #forgottenIds = new Set<string>();
  #unfinished: Part[] = [];
  #unfinishedNumber = 0;
  #heldCharacters = 0;
  #oldestHeld = 0;
  /** The index of the next message. */
  nextIndex = 0;
  /** Messages that can be read. */
  present = 0;
  /** When the first of them was archived. */
  oldestMs = Number.POSITIVE_INFINITY;
  summary: SummaryRecord | undefined;
  /** A summary up to here is to be made again. */
  droppedCount: number | undefined;
  failure: SummaryFailure | undefined;
  erasureId: string | undefined;
  /** Messages that a line named which could not be read, and which is gone: they were said here. */
  readonly lostIds = new Set<string>();

  /** Whether a message of this id was ever archived. */
  has(id: string): boolean {
    return this.#indexes.has(id);
  }

  /** Whether it was, and is gone or has passed its retention. */
  isGone(id: string): boolean {
    const index = this.#indexes.get(id);
    if (index === undefined) return false;
    return this.#goneIds.has(id) || this.parts[this.#partAt(index)]!.isExpired;
  }

  /**
   * What was archived before a time counts as gone from now on: what readers see does not depend on when it is pruned.
   * Erasure still finds it.
   */
  expire(beforeMs: number): void {
    if (this.oldestMs >= beforeMs) return;
    this.present = 0;
    this.oldestMs = Number.POSITIVE_INFINITY;
    for (const part of this.parts) {
      part.isExpired ||= part.archivedMs < beforeMs;
      this.#count(part);
    }
  }

  #count(part: Part): void {
    const present = presentIn(part);
    part.presentBefore = this.present;
    this.present += present;
    if (present > 0 && part.archivedMs < this.oldestMs) this.oldestMs = part.archivedMs;
  }

  indexOf(id: string): number | undefined {
    return this.#indexes.get(id);
  }

  partsOf(batchId: string): readonly Part[] {
    return this.#partsOfBatch.get(batchId) ?? [];
  }

  /** The parts that hold messages from this index on. */
  partsFrom(index: number): readonly Part[] {
    return this.parts.slice(this.#partAt(index));
  }

  /** The ids of all messages that were ever archived, and of those that do not count. */
  ids(): ReadonlySet<string> {
    return new Set([...this.#indexes.keys(), ...this.#allStrays().map(({ id }) => id)]);
  }

  /** Whether the log may still say what a message said: one to be read, one that does not count, or in a summary. */
  mayHold(id: string): boolean {
    if (this.isStray(id)) return true;
    return this.has(id) && (!this.#goneIds.has(id) || this.#isInSummary(id));
  }

  /** Whether the log holds a message of this id that does not count. */
  isStray(id: string): boolean {
    return this.#strays.has(id) || this.#unfinished.some(({ entries }) => entries!.some(hasId(id)));
  }

  /** Whether it holds any. */
  get hasStrays(): boolean {
    return this.#strays.size + this.#unfinished.length > 0;
  }

  /** Messages that do not count, and those that have passed their retention and are still in the summary. */
  hidden(): readonly HiddenMessage[] {
    const strays = this.#allStrays().map((message) => {
      const ms = Date.parse(message.timestamp);
      return { id: message.id, startMs: ms, endMs: ms, message };
    });
    const inSummary = [...this.#goneIds].filter((id) => this.#isInSummary(id));
    return [...strays, ...inSummary.map((id) => this.#hiddenIn(id))];
  }

  /** Of these messages, the ones that are their ids alone. */
  gone(ids: ReadonlySet<string>): readonly HiddenMessage[] {
    return [...ids].filter((id) => this.isGone(id)).map((id) => this.#hiddenIn(id));
  }

  #hiddenIn(id: string): HiddenMessage {
    const { startTimestamp, endTimestamp } = this.parts[this.#partAt(this.#indexes.get(id)!)]!;
    return { id, startMs: Date.parse(startTimestamp), endMs: Date.parse(endTimestamp) };
  }

  #allStrays(): readonly Omit<ArchivedMessage, 'content'>[] {
    const unfinished = this.#unfinished.flatMap(({ entries }) => entries!.flatMap(withoutContent));
    return [...[...this.#strays.values()].flat(), ...unfinished];
  }

  /** What has passed its retention may still be in the summary, unless it was forgotten by request. */
  #isInSummary(id: string): boolean {
    const index = this.#indexes.get(id)!;
    const isCovered = index < (this.summary?.summarized_count ?? 0);
    return isCovered && !this.#forgottenIds.has(id) && this.parts[this.#partAt(index)]!.isPruned;
  }

  #partAt(index: number): number {
    let low = 0;
    let high = this.parts.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const { firstIndex, count } = this.parts[middle]!;
      if (firstIndex + count <= index) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** How many messages from this index on can be read. */
  presentFrom(index: number): number {
    const part = this.parts[this.#partAt(index)];
    return part === undefined ? 0 : this.present - part.presentBefore - presentIn(part, 0, index);
  }

  /** Where to begin for at least so many of the newest messages before an index; 0 when there are fewer. */
  startOfLatest(count: number, before: number): number {
    let missing = count;
    for (let i = this.parts.length - 1; i >= 0 && missing > 0; i--) {
      const part = this.parts[i]!;
      if (part.firstIndex >= before) continue;
      missing -= presentIn(part, 0, before);
      if (missing <= 0) return part.firstIndex;
    }
    return missing > 0 ? 0 : before;
  }

  /** The message at a place, unless it is gone or was archived before under another index. */
  messageAt(entry: Entry, index: number): ArchivedMessage | undefined {
    return typeof entry !== 'string' && this.#indexes.get(entry.id) === index ? entry : undefined;
  }

  takeBatch(fields: JsonObject, line: LogLine): void {
    const number = typeof fields.part === 'number' ? fields.part : 1;
    const parts = typeof fields.parts === 'number' ? fields.parts : 1;
    const isMore = this.#unfinished[0]?.batchId === fields.batch_id && number > this.#unfinishedNumber;
    if (!isMore) this.#abandonUnfinished();
    this.#unfinished.push(this.#parse(fields, line));
    for (const id of forgottenIn(fields)) this.#forgottenIds.add(id);
    this.#unfinishedNumber = number;
    // The last one says that all were written, even when one of them can no longer be read.
    if (number >= parts) this.#commit();
  }

  #parse(fields: JsonObject, line: LogLine): Part {
    const entries = Array.isArray(fields.messages) ? fields.messages.map(parseEntry) : [];
    const given = fields.first_index;
    const after = this.#unfinished.at(-1);
    const next = Math.max(this.nextIndex, after === undefined ? 0 : after.firstIndex + after.count);
    const textOf = (name: string): string => (typeof fields[name] === 'string' ? fields[name] : '');
    return {
      batchId: textOf('batch_id'),
      archivedAt: textOf('timestamp'),
      startTimestamp: textOf('start_timestamp'),
      endTimestamp: textOf('end_timestamp'),
      duplicates: typeof fields.duplicates === 'number' ? fields.duplicates : 0,
      leftOut: typeof fields.left_out === 'number' ? fields.left_out : 0,
      isPruned: fields.pruned_at !== undefined,
      isExpired: false,
      archivedMs: Date.parse(textOf('timestamp')),
      firstIndex:
        typeof given === 'number' && Number.isInteger(given) ? Math.max(given, this.nextIndex) : next,
      count: entries.length,
      goneAt: [],
      presentBefore: 0,
      place: { offset: line.offset, length: line.length, lineNumber: line.lineNumber },
      characters: entries.reduce(
        (sum, entry) => sum + (typeof entry === 'string' ? 0 : entry.content.length),
        0,
      ),
      entries,
    };
  }

  #abandonUnfinished(): void {
    for (const { entries } of this.#unfinished) for (const entry of entries!) this.#noteStray(entry);
    this.#unfinished = [];
  }

  #commit(): void {
    const parts = this.#unfinished;
    this.#unfinished = [];
    for (const part of parts) {
      part.entries!.forEach((entry, position) => {
        if (!this.#note(entry, part.firstIndex + position)) part.goneAt.push(position);
      });
      this.parts.push(part);
      const same = this.#partsOfBatch.get(part.batchId);
      if (same === undefined) this.#partsOfBatch.set(part.batchId, [part]);
      else same.push(part);
      this.nextIndex = part.firstIndex + part.count;
      this.#count(part);
      this.#heldCharacters += part.characters;
    }
    while (this.#heldCharacters > HELD_CHARACTERS && this.#oldestHeld < this.parts.length - 1) {
      const oldest = this.parts[this.#oldestHeld++]!;
      oldest.entries = undefined;
      this.#heldCharacters -= oldest.characters;
    }
  }

  #noteStray(entry: Entry): void {
    for (const message of withoutContent(entry))
      this.#strays.set(message.id, [...(this.#strays.get(message.id) ?? []), message]);
  }

  /** Whether it can be read from now on. */
  #note(entry: Entry, index: number): boolean {
    const id = idOf(entry);
    if (id === '') return false;
    if (this.#indexes.has(id)) {
      this.#noteStray(entry);
      return false;
    }
    this.#indexes.set(id, index);
    if (typeof entry !== 'string') return true;
    this.#goneIds.add(id);
    return false;
  }
}

/** Messages of a part between two indexes, with those that are gone. */
export function countIn({ firstIndex, count }: Part, from: number, to: number): number {
  return Math.max(0, Math.min(count, to - firstIndex) - Math.max(0, from - firstIndex));
}

/** Messages of a part that can be read, between two indexes. */
export function presentIn(part: Part, from = 0, to = Number.POSITIVE_INFINITY): number {
  if (part.isExpired) return 0;
  const isWithin = (position: number): boolean =>
    part.firstIndex + position >= from && part.firstIndex + position < to;
  return countIn(part, from, to) - part.goneAt.filter(isWithin).length;
}

function hasId(id: string): (entry: Entry) => boolean {
  return (entry) => typeof entry !== 'string' && entry.id === id;
}

function withoutContent(entry: Entry): readonly Omit<ArchivedMessage, 'content'>[] {
  if (typeof entry === 'string') return [];
  const { content: _content, ...rest } = entry;
  return [rest];
}

/** The ids of a batch that were forgotten by request. */
export function forgottenIn({ forgotten }: JsonObject): readonly string[] {
  return Array.isArray(forgotten) ? forgotten.filter((id) => typeof id === 'string') : [];
}

function idOf(entry: Entry): string {
  return typeof entry === 'string' ? entry : entry.id;
}

export function parseEntry(value: unknown): Entry {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return '';
  const { id, role, content, timestamp } = value as Record<string, unknown>;
  const isMessage =
    typeof id === 'string' &&
    (role === 'user' || role === 'assistant') &&
    typeof content === 'string' &&
    typeof timestamp === 'string';
  return isMessage ? (value as ArchivedMessage) : '';
}

export const transcriptFold: Fold<TranscriptState> = {
  start: () => new TranscriptState(),
  apply: (state, stored) => {
    switch (stored.fields.record) {
      case 'batch':
        state.takeBatch(stored.fields, stored.line);
        break;
      case 'summary':
        takeSummary(state, stored);
        break;
      case 'summary-failed':
        state.failure = {
          nextIndex: numberOf(stored.fields.next_index),
          attempts: numberOf(stored.fields.attempts),
          atMs: Date.parse(stored.fields.timestamp),
        };
        break;
      case 'summary-dropped':
        state.droppedCount =
          stored.fields.final === true ? undefined : numberOf(stored.fields.summarized_count);
        break;
      case 'erasure':
        state.erasureId = String(stored.fields.erasure_id);
        takeLostIds(state, stored);
        break;
      case 'prune':
        takeLostIds(state, stored);
        break;
    }
  },
};

function takeSummary(state: TranscriptState, { fields }: StoredRecord): void {
  const summary = fields as unknown as SummaryRecord & JsonObject;
  if (typeof summary.text !== 'string' || !Number.isInteger(summary.summarized_count)) return;
  state.summary = summary;
  state.failure = undefined;
  if (state.droppedCount !== undefined && summary.summarized_count >= state.droppedCount)
    state.droppedCount = undefined;
}

function takeLostIds(state: TranscriptState, { fields }: StoredRecord): void {
  if (!Array.isArray(fields.lost_ids)) return;
  for (const id of fields.lost_ids) if (typeof id === 'string') state.lostIds.add(id);
}

function numberOf(value: JsonValue | undefined): number {
  return typeof value === 'number' ? value : 0;
}
