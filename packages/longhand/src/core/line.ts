import { parseJson } from './parse-json.ts';
import { sha256Hex } from './sha256.ts';

/**
 * One line of a log.
 *
 * A line is one JSON object that its writer closes with two fields:
 *
 *     {"schema_version":1,"id":"mem_…", … ,"seq":42,"checksum":"sha256:<64 hex digits>"}\n
 *
 * The checksum covers every byte of the line before the comma in front of `"checksum"`. No canonical form
 * of JSON is needed to check it, nothing can hide from it, and because both fields stand at the end, a
 * writer learns the last sequence number and sees a torn tail from the last 128 bytes of the file alone.
 *
 * A line without a checksum was written by a person (or with checksums switched off): it counts when it is
 * whole JSON, and is called unverified. A person who edits a line takes its checksum away.
 */

const CHECKSUM_OPENING = ',"checksum":"sha256:';
const CHECKSUM_OPENING_BYTES = Buffer.from(CHECKSUM_OPENING);
const SEQ_OPENING = Buffer.from(',"seq":');
const HEX_DIGITS = 64;
/** `,"checksum":"sha256:` + 64 digits + `"}`. */
const CHECKSUM_FIELD_BYTES = CHECKSUM_OPENING.length + HEX_DIGITS + 2;
/** Enough for the closing fields with the largest sequence number, and the newline. */
export const TAIL_BYTES = 128;
const MAX_SEQ_DIGITS = 16;
const DIGEST_CHARACTERS = 'sha256:'.length + HEX_DIGITS;

const DIGIT_ZERO = 0x30;
const QUOTE = 0x22;
const CLOSING_BRACE = 0x7d;
/** How a memory's line begins: the id can then be read without parsing the line. */
const MEMORY_OPENING = Buffer.from('{"schema_version":1,"id":"');

/** A record's JSON text as a line with its newline. */
export function encodeLine(body: string, seq: number, withChecksum: boolean): string {
  return encodeLines([body], seq, withChecksum).toString();
}

/** The JSON texts of records as lines, numbered from `firstSeq` on. @internal */
export function encodeLines(bodies: readonly string[], firstSeq: number, withChecksum: boolean): Buffer {
  let room = 0;
  for (const body of bodies) room += Buffer.byteLength(body) + LINE_OVERHEAD_BYTES;
  const bytes = Buffer.allocUnsafe(room);
  let seq = firstSeq;
  let at = 0;
  for (const body of bodies) at = encodeLineAt(bytes, at, body, seq++, withChecksum);
  return bytes.subarray(0, at);
}

/**
 * The JSON text of a record as a line at a place where there is room for it and `LINE_OVERHEAD_BYTES` more. Where it
 * ends. The text becomes bytes once, at its place, and its checksum is made from there: putting longer texts together
 * first would copy every one of them twice more.
 * @internal
 */
export function encodeLineAt(
  bytes: Buffer,
  start: number,
  body: string,
  seq: number,
  withChecksum: boolean,
): number {
  // The closing fields take the place of the brace. They are written as UTF-8 like the rest: naming the encoding of what
  // is ASCII anyway makes a short write slower than it is.
  let at = start + bytes.write(body, start) - 1;
  at += bytes.write(`,"seq":${seq}`, at);
  if (!withChecksum) return at + bytes.write('}\n', at);
  const digest = sha256Hex(bytes.subarray(start, at));
  return at + bytes.write(`${CHECKSUM_OPENING}${digest}"}\n`, at);
}

/** Bytes that `encodeLine` adds to a body, at most. */
export const LINE_OVERHEAD_BYTES = CHECKSUM_FIELD_BYTES + SEQ_OPENING.length + MAX_SEQ_DIGITS + 1;

/** The record that a line holds, without the fields that close it. @throws SyntaxError */
export function recordIn(text: string): Record<string, unknown> {
  const { seq: _seq, checksum: _checksum, ...record } = parseJson(text) as Record<string, unknown>;
  return record;
}

type LineState = 'verified' | 'unverified' | 'damaged';

/** A line inside a buffer; text and fields are read when they are asked for. */
export class LogLine {
  readonly #bytes: Buffer;
  readonly #start: number;
  readonly #end: number;
  /** Where the line starts in its log, in bytes. */
  readonly offset: number;
  /** Counts from 1. */
  readonly lineNumber: number;

  /** @internal */
  constructor(bytes: Buffer, start: number, end: number, offset: number, lineNumber: number) {
    this.#bytes = bytes;
    this.#start = start;
    this.#end = end;
    this.offset = offset;
    this.lineNumber = lineNumber;
  }

  /** Without the line's end. */
  get length(): number {
    return this.#end - this.#start;
  }

  get text(): string {
    return this.#bytes.toString('utf8', this.#start, this.#end);
  }

  /** @internal */
  get bytes(): Buffer {
    return this.#bytes.subarray(this.#start, this.#end);
  }

  beginsWith(opening: Uint8Array): boolean {
    return this.length >= opening.length && standsAt(this.#bytes, this.#start, opening);
  }

  /** The memory's id, when the line looks like a memory that Longhand wrote. Not verified. */
  get memoryId(): string | undefined {
    if (!this.beginsWith(MEMORY_OPENING)) return undefined;
    const from = this.#start + MEMORY_OPENING.length;
    const to = this.#bytes.indexOf(QUOTE, from);
    return to < 0 || to >= this.#end ? undefined : this.#bytes.toString('latin1', from, to);
  }

  /** The sequence number that closes the line; `undefined` in a line that a person wrote. */
  get seq(): number | undefined {
    const end = this.closesWithChecksum ? this.#end - CHECKSUM_FIELD_BYTES : this.#end - 1;
    if (end <= this.#start) return undefined;
    // Digit by digit from the end: every line that is read passes here.
    let seq = 0;
    let scale = 1;
    let at = end - 1;
    for (; at >= this.#start && end - at <= MAX_SEQ_DIGITS; at--) {
      const digit = this.#bytes[at]! - DIGIT_ZERO;
      if (digit < 0 || digit > 9) break;
      seq += digit * scale;
      scale *= 10;
    }
    const from = at + 1 - SEQ_OPENING.length;
    if (at === end - 1 || from < this.#start) return undefined;
    return standsAt(this.#bytes, from, SEQ_OPENING) ? seq : undefined;
  }

  /** Checks the line against its checksum, or, when it has none, that it is one whole JSON object. */
  check(): LineState {
    if (this.hasChecksumField) {
      const coveredEnd = this.#end - CHECKSUM_FIELD_BYTES;
      const digitsAt = coveredEnd + CHECKSUM_OPENING.length;
      const digits = this.#bytes.toString('latin1', digitsAt, digitsAt + HEX_DIGITS);
      return sha256Hex(this.#bytes.subarray(this.#start, coveredEnd)) === digits ? 'verified' : 'damaged';
    }
    return this.#isPlainObject() ? 'unverified' : 'damaged';
  }

  /** Whether the line closes the way Longhand closes lines, with a number and a checksum over all before it. */
  get hasChecksumField(): boolean {
    return this.closesWithChecksum && this.seq !== undefined;
  }

  /** The same, whatever stands before the checksum: a torn line does not. */
  get closesWithChecksum(): boolean {
    const at = this.#end - CHECKSUM_FIELD_BYTES;
    return (
      at > this.#start &&
      this.#bytes[this.#end - 1] === CLOSING_BRACE &&
      this.#bytes[this.#end - 2] === QUOTE &&
      standsAt(this.#bytes, at, CHECKSUM_OPENING_BYTES)
    );
  }

  /**
   * A checksum in another place or under another name means that the line was verified once and is not what was written:
   * damaged, not unverified, or a bit flipped in the field's name would pass for a person's edit. Unless another program
   * wrote the line.
   */
  #isPlainObject(): boolean {
    const text = this.text.trim();
    // The parser says no with an error, which is dear: a file of garbage has one for every line.
    if (!text.startsWith('{') || !text.endsWith('}')) return false;
    try {
      const value = parseJson(this.text) as Record<string, unknown>;
      if (Object.hasOwn(value, 'checksum')) return isForeign(value);
      const last = Object.values(value).at(-1);
      return !(typeof last === 'string' && last.length === DIGEST_CHARACTERS);
    } catch {
      return false;
    }
  }
}

const FOREIGN_FIELDS = 'id session_id timestamp type content importance decay_factor tags references'.split(
  ' ',
);

/**
 * Whether another program wrote the line, in the format that Longhand's was made from: its checksum covers a canonical form
 * of the entry. Programs differ in that form, so a line with the fields of that format counts, whatever its checksum says:
 * ours have others.
 */
function isForeign({ checksum, ...entry }: Record<string, unknown>): boolean {
  const names = Object.keys(entry);
  const isOfFormat = names.includes('id') && names.every((name) => FOREIGN_FIELDS.includes(name));
  return isOfFormat || checksum === `sha256:${sha256Hex(JSON.stringify(entry, names.sort()))}`;
}

/** Byte by byte: to make a text of them, for every line that is read, takes ten times as long. */
function standsAt(bytes: Uint8Array, at: number, wanted: Uint8Array): boolean {
  for (let i = 0; i < wanted.length; i++) if (bytes[at + i] !== wanted[i]) return false;
  return true;
}
