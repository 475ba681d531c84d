import { ValidationError } from './errors.ts';
import { lazily } from './lazily.ts';
import { LIMITS } from './limits.ts';

/**
 * Ids sort by the time they were made: 10 characters of milliseconds, then 16 random ones, in an alphabet
 * without look-alikes. Within one process the random part counts up when the millisecond repeats, so ids
 * made one after the other also sort one after the other.
 */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const TIME_CHARACTERS = 10;
const RANDOM_CHARACTERS = 16;
const LAST_DIGIT = RANDOM_CHARACTERS - 1;
const POOL_BYTES = 4096;
const NAME_BYTES = 13;

export type IdMaker = (prefix: `${string}_`, nowMs: number) => string;

export function createIdMaker(randomBytes: (count: number) => Uint8Array = cryptoRandomBytes): IdMaker {
  let lastMs = -1;
  let digits: number[] = [];
  /** All but the last character: the same for most of the ids that are made in one millisecond. */
  let stem = '';
  let pool: Uint8Array = new Uint8Array(0);
  let poolAt = 0;

  const freshDigits = (): number[] => {
    // Asking the system for a few thousand bytes costs as much as for sixteen.
    if (poolAt + RANDOM_CHARACTERS > pool.length) {
      pool = randomBytes(POOL_BYTES);
      poolAt = 0;
    }
    const fresh: number[] = [];
    for (let i = 0; i < RANDOM_CHARACTERS; i++) fresh.push(pool[poolAt++]! & 31);
    // Head room to count up in without ever wrapping.
    fresh[0]! &= 15;
    return fresh;
  };

  return (prefix, nowMs) => {
    // A clock that steps back must not make ids that sort before earlier ones.
    const ms = Math.max(nowMs, lastMs);
    if (ms === lastMs && digits[LAST_DIGIT]! < 31) {
      digits[LAST_DIGIT]!++;
    } else {
      if (ms === lastMs) increment(digits);
      else digits = freshDigits();
      lastMs = ms;
      stem = encodeTime(ms);
      for (let i = 0; i < LAST_DIGIT; i++) stem += ALPHABET[digits[i]!];
    }
    return prefix + stem + ALPHABET[digits[LAST_DIGIT]!];
  };
}

function cryptoRandomBytes(count: number): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(count));
}

/** A name that no other file has. */
export function randomName(): string {
  return Buffer.from(cryptoRandomBytes(NAME_BYTES)).toString('hex');
}

function encodeTime(ms: number): string {
  let text = '';
  for (let rest = ms, i = 0; i < TIME_CHARACTERS; i++) {
    text = ALPHABET[rest % 32] + text;
    rest = Math.floor(rest / 32);
  }
  return text;
}

/** When an id was made, in milliseconds; `undefined` when it is none that an `IdMaker` made with this prefix. */
export function timeOfId(id: string, prefix: `${string}_`): number | undefined {
  if (!id.startsWith(prefix) || id.length !== prefix.length + TIME_CHARACTERS + RANDOM_CHARACTERS)
    return undefined;
  let ms = 0;
  for (const character of id.slice(prefix.length, prefix.length + TIME_CHARACTERS)) {
    const digit = ALPHABET.indexOf(character);
    if (digit < 0) return undefined;
    ms = ms * 32 + digit;
  }
  return ms;
}

function increment(digits: number[]): void {
  for (let i = digits.length - 1; i >= 0; i--) {
    if (digits[i]! < 31) {
      digits[i]!++;
      return;
    }
    digits[i] = 0;
  }
}

const MEMORY_ID = /^[A-Za-z0-9_]{1,32}$/;
const SESSION_ID = /^[A-Za-z0-9_-]{1,64}$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it refuses.
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;

export function isMemoryId(value: string): boolean {
  return MEMORY_ID.test(value);
}

/** @throws ValidationError INVALID_ID */
export function parseMemoryId(value: unknown, name = 'memory id'): string {
  if (typeof value === 'string' && MEMORY_ID.test(value)) return value;
  throw new ValidationError(
    'INVALID_ID',
    `The ${name} must be 1 to ${LIMITS.memoryIdCharacters} letters, digits or underscores.`,
  );
}

export function isSessionId(value: string): boolean {
  return SESSION_ID.test(value);
}

/** @throws ValidationError INVALID_ID */
export function parseSessionId(value: unknown): string {
  if (typeof value === 'string' && SESSION_ID.test(value)) return value;
  throw new ValidationError(
    'INVALID_ID',
    `A session id must be 1 to ${LIMITS.sessionIdCharacters} letters, digits, underscores or hyphens.`,
  );
}

/** Most names are such. However they are encoded, a file name holds them; and every query parses one. */
const SIMPLE_NAME = /^[\w-]{1,64}$/;

/** Names of users, agents and accounts: any readable text. @throws ValidationError INVALID_NAME */
export function parseName(value: unknown, kind: 'user id' | 'agent id' | 'account id'): string {
  const refuse = (reason: string): never => {
    throw new ValidationError('INVALID_NAME', `The ${kind} ${reason}.`);
  };
  if (typeof value !== 'string') return refuse('must be a string');
  if (SIMPLE_NAME.test(value)) return value;
  if (value.trim() === '') return refuse('must not be blank');
  if (!value.isWellFormed()) return refuse('holds half of a surrogate pair');
  if (CONTROL.test(value)) return refuse('must not hold control characters');
  if ([...value].length > LIMITS.nameCharacters) {
    return refuse(`is longer than ${LIMITS.nameCharacters} characters`);
  }
  if (new TextEncoder().encode(encodeFileName(value)).length > LIMITS.nameFileBytes)
    return refuse('is too long for a file name');
  return value;
}

const RESERVED_ON_WINDOWS = /^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)/i;
const PLAIN = /[A-Za-z0-9_.@+ -]/;
const letterOrDigit = lazily(() => /[\p{L}\p{N}]/u);

/**
 * A name as a file name, reversibly: letters and digits of any script and a few signs stay as they are, so that people
 * can find a folder; everything else, and whatever some file system would fold or refuse, is percent-encoded.
 */
export function encodeFileName(name: string): string {
  const isNormal = name === name.normalize('NFC');
  const reserved = RESERVED_ON_WINDOWS.test(name);
  const characters = [...name];
  let encoded = '';
  characters.forEach((character, i) => {
    const atEdge = i === 0 || i === characters.length - 1;
    const plain = PLAIN.test(character)
      ? !(atEdge && (character === '.' || character === ' ')) && !(reserved && i === 0)
      : isNormal && letterOrDigit().test(character);
    encoded += plain ? character : percentEncode(character);
  });
  return encoded;
}

export function decodeFileName(fileName: string): string {
  return decodeURIComponent(fileName);
}

function percentEncode(character: string): string {
  let encoded = '';
  for (const byte of new TextEncoder().encode(character)) {
    encoded += `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return encoded;
}
