import { createHash } from 'node:crypto';
import type { Services } from '../services.ts';
import { RequestError } from './problem.ts';

/** An answer that can be given again. */
export interface KeptAnswer {
  readonly status: number;
  readonly body: string;
}

interface Entry {
  readonly bodyHash: string;
  /** While the first request is under way. */
  answer: KeptAnswer | undefined;
  /** What had been forgotten when the answer was given. */
  forgettings: string;
}

/** How a repetition is met when something was forgotten since. */
interface AfterForgetting {
  /** Another text after each forgetting that may concern the caller. */
  readonly forgettings: () => Promise<string>;
  /** Whether the work may be done again without making anything twice (`Operation.named`). */
  readonly isRepeatable: boolean;
  /** Where other servers learn of the request, when there may be some. */
  readonly calls?: Services['calls'];
}

/** Characters of all kept answers together. */
const MAX_CHARACTERS = 16_777_216;
/** A request that has not ended by then was cut off with its server. */
const RUNNING_MS = 600_000;
const KEPT_FOR = '24 hours';
const KEY = /^[\x21-\x7e]{1,255}$/;

/**
 * `Idempotency-Key`: a retried request gets the answer of the first one, and does nothing. A key belongs to its caller
 * and its route. The answers are kept as long as the process lives; operations that make something also derive the
 * names of what they make from the key (`Operation.named`), so that a retry makes nothing twice even after a crash.
 * For the other operations, servers on one database note each key there, without the answer. When something of the
 * caller is forgotten, by any process, earlier answers may hold it and are not given again: the work is then repeated
 * where that makes nothing twice, and refused where it might.
 */
export class Idempotency {
  readonly #capacity: number;
  readonly #entries = new Map<string, Entry>();
  /** Of requests that were answered with a stream: what they asked. */
  readonly #streamed = new Map<string, string>();
  #characters = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /**
   * Runs the work once for each key. Answers that are no success are not kept: nothing was done.
   * @param scope caller and route
   * @throws RequestError IDEMPOTENCY_MISMATCH, IDEMPOTENCY_IN_FLIGHT, ANSWER_FORGOTTEN, INVALID_REQUEST
   */
  async once(
    scope: string,
    key: string,
    request: unknown,
    work: () => Promise<KeptAnswer>,
    { forgettings, isRepeatable, calls }: AfterForgetting,
  ): Promise<KeptAnswer & { readonly isRepeated: boolean }> {
    const name = idempotencyToken(scope, key);
    const bodyHash = sha256(JSON.stringify(request ?? null));
    let known = this.#entries.get(name);
    if (known?.answer !== undefined && known.forgettings !== (await forgettings())) {
      this.#blank(known);
      // Another repetition may have begun meanwhile.
      if (this.#entries.get(name) !== known) known = this.#entries.get(name);
      else if (isRepeatable && known.bodyHash === bodyHash) known = undefined;
    }
    if (known !== undefined) return { ...this.#repeat(known, bodyHash), isRepeated: true };
    const entry: Entry = { bodyHash, answer: undefined, forgettings: '' };
    this.#entries.set(name, entry);
    try {
      const isAlone = isRepeatable || calls === undefined;
      const answer = await (isAlone ? work() : onceOfAll(calls, name, bodyHash, work));
      // As of now: a forgetting that is itself repeated has nothing to hide.
      entry.forgettings = await forgettings();
      if (answer.status < 300) this.#keep(name, entry, answer);
      else this.#entries.delete(name);
      return { ...answer, isRepeated: false };
    } catch (error) {
      this.#entries.delete(name);
      throw error;
    }
  }

  /**
   * A stream is not kept: a retry rebuilds it from what the first request made (`Operation.named`). Another request
   * under its key is still refused. @throws RequestError IDEMPOTENCY_MISMATCH, INVALID_REQUEST
   */
  noteStream(scope: string, key: string, request: unknown): void {
    const name = idempotencyToken(scope, key);
    const bodyHash = sha256(JSON.stringify(request ?? null));
    const known = this.#streamed.get(name);
    if (known !== undefined && known !== bodyHash) throw mismatch();
    this.#streamed.delete(name);
    this.#streamed.set(name, bodyHash);
    if (this.#streamed.size > this.#capacity) this.#streamed.delete(this.#streamed.keys().next().value!);
  }

  #repeat({ bodyHash, answer }: Entry, hash: string): KeptAnswer {
    if (hash !== bodyHash) throw mismatch();
    if (answer === undefined) throw inFlight();
    if (answer.body !== '') return answer;
    throw new RequestError(
      'ANSWER_FORGOTTEN',
      'This request was answered, and what may have been in the answer is forgotten. Nothing was done again.',
    );
  }

  #blank(entry: Entry): void {
    this.#characters -= entry.answer!.body.length;
    entry.answer = { ...entry.answer!, body: '' };
  }

  #keep(name: string, entry: Entry, answer: KeptAnswer): void {
    entry.answer = answer;
    this.#characters += answer.body.length;
    for (const [other, { answer: kept }] of this.#entries) {
      if (this.#entries.size <= this.#capacity && this.#characters <= MAX_CHARACTERS) break;
      // What is under way is still needed.
      if (kept === undefined || other === name) continue;
      this.#characters -= kept.body.length;
      this.#entries.delete(other);
    }
  }
}

/** The same for the same caller, route and key; says nothing of them. @throws RequestError INVALID_REQUEST */
export function idempotencyToken(scope: string, key: string): string {
  if (KEY.test(key)) return sha256(JSON.stringify([scope, key]));
  throw new RequestError('INVALID_REQUEST', 'An Idempotency-Key is 1 to 255 visible characters.');
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Runs work that must not be done twice, when no other server has done it or is doing it under this key. */
async function onceOfAll(
  calls: NonNullable<Services['calls']>,
  name: string,
  bodyHash: string,
  work: () => Promise<KeptAnswer>,
): Promise<KeptAnswer> {
  const state = await calls.value('begin_request', [name, bodyHash, RUNNING_MS, KEPT_FOR]);
  if (state === 'other') throw mismatch();
  if (state === 'running') throw inFlight();
  if (state === 'done')
    throw new RequestError(
      'ANSWER_FORGOTTEN',
      'This request was carried out by another server, or before this one was started, and its answer is not kept. Nothing was done again.',
    );
  let isDone = false;
  try {
    const answer = await work();
    isDone = answer.status < 300;
    return answer;
  } finally {
    // The work is done whether it is noted or not.
    await calls.rows('end_request', [name, isDone]).catch(() => undefined);
  }
}

function inFlight(): RequestError {
  return new RequestError('IDEMPOTENCY_IN_FLIGHT', 'The first request with this key is under way.', {
    headers: { 'retry-after': '1' },
  });
}

function mismatch(): RequestError {
  return new RequestError('IDEMPOTENCY_MISMATCH', 'This Idempotency-Key was used for another request.');
}
