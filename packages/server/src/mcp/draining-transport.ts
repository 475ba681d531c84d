import type { Readable, Writable } from 'node:stream';
import {
  type JSONRPCMessage,
  ProtocolErrorCode,
  parseJSONRPCMessage,
  serializeMessage,
  type Transport,
} from '@modelcontextprotocol/server';
import { type Line, LineSplitter } from './line-splitter.ts';

/** How long requests may take to end after the client has closed its end. */
const DRAIN_MS = 10_000;
/** Answered only when the client leaves, so the end of the input does not wait for it. */
const LISTEN = 'subscriptions/listen';

const decoder = new TextDecoder('utf-8', { fatal: true });

/**
 * Standard input and output, a message a line. The SDK's own transport drops what is under way when the input ends,
 * skips what is not JSON, and disconnects at a line that is too long. Here every request that was read is answered
 * before the end, so that a script may pipe its requests in and knows that its last save was made. A line that is not a
 * message is answered with what is wrong with it, so that its sender does not wait in vain; the lines after it are read
 * as usual.
 */
export class DrainingTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #input: Readable;
  readonly #output: Writable;
  readonly #maxLineBytes: number;
  readonly #lines: LineSplitter;
  readonly #underWay = new Set<unknown>();
  #hasEnded = false;
  #isClosed = false;

  constructor(input: Readable, output: Writable, maxLineBytes: number) {
    this.#input = input;
    this.#output = output;
    this.#maxLineBytes = maxLineBytes;
    this.#lines = new LineSplitter(maxLineBytes);
  }

  async start(): Promise<void> {
    this.#output.on('error', this.#onBroken);
    this.#input.on('data', this.#onData);
    this.#input.once('end', this.#onEnd);
    this.#input.once('error', this.#onBroken);
  }

  async send(message: JSONRPCMessage): Promise<void> {
    await this.#write(message);
    if ('id' in message && !('method' in message)) this.#underWay.delete(message.id);
    this.#closeWhenDone();
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#input.off('data', this.#onData).off('end', this.#onEnd).pause();
    this.onclose?.();
  }

  readonly #onData = (chunk: Uint8Array): void => {
    for (const line of this.#lines.push(chunk)) this.#take(line);
  };

  readonly #onEnd = (): void => {
    for (const line of this.#lines.end()) this.#take(line);
    this.#hasEnded = true;
    setTimeout(() => void this.close(), DRAIN_MS).unref();
    this.#closeWhenDone();
  };

  /** The client has gone without a word. */
  readonly #onBroken = (error: Error): void => {
    if (!this.#isClosed) this.onerror?.(error);
    void this.close();
  };

  #closeWhenDone(): void {
    if (this.#hasEnded && this.#underWay.size === 0) void this.close();
  }

  #take(line: Line): void {
    if (line === undefined) {
      this.#refuse(ProtocolErrorCode.InvalidRequest, `the line is longer than ${this.#maxLineBytes} bytes`);
      return;
    }
    let value: unknown;
    try {
      const text = decoder.decode(line);
      if (text.trim() === '') return;
      value = JSON.parse(text);
    } catch {
      this.#refuse(ProtocolErrorCode.ParseError, 'the line is not JSON in UTF-8');
      return;
    }
    let message: JSONRPCMessage;
    try {
      message = parseJSONRPCMessage(value);
    } catch {
      this.#refuse(ProtocolErrorCode.InvalidRequest, faultOf(value), idOf(value));
      return;
    }
    this.#note(message);
    this.onmessage?.(message);
  }

  #note(message: JSONRPCMessage): void {
    if (!('method' in message)) return;
    if ('id' in message && message.method !== LISTEN) this.#underWay.add(message.id);
    // What is cancelled is not answered.
    if (message.method === 'notifications/cancelled') this.#underWay.delete(message.params?.requestId);
  }

  /** Answers a line that is not a message. The line is not repeated: it may hold anything. */
  #refuse(code: ProtocolErrorCode, fault: string, id: string | number | null = null): void {
    const name = code === ProtocolErrorCode.ParseError ? 'Parse error' : 'Invalid request';
    const message = `${name}: ${fault}. Send one JSON-RPC message a line.`;
    this.#underWay.add(message);
    // The protocol gives the id null to what has none, and the SDK's type knows no such thing.
    const answer = { jsonrpc: '2.0', id, error: { code, message } } as unknown as JSONRPCMessage;
    this.#write(answer)
      .catch((error: Error) => this.onerror?.(error))
      .finally(() => {
        this.#underWay.delete(message);
        this.#closeWhenDone();
      });
  }

  #write(message: JSONRPCMessage): Promise<void> {
    if (this.#isClosed) return Promise.reject(new Error('The connection is closed.'));
    return new Promise((resolve, reject) => {
      this.#output.write(serializeMessage(message), (error) => (error ? reject(error) : resolve()));
    });
  }
}

function faultOf(value: unknown): string {
  if (Array.isArray(value)) return 'the line is a list of messages';
  return 'the line is JSON, but no message: jsonrpc must be "2.0", method a text, params an object';
}

/** The id of a request that is wrong elsewhere, so that the client knows which request is answered. */
function idOf(value: unknown): string | number | null {
  if (typeof value !== 'object' || value === null || !('id' in value)) return null;
  return typeof value.id === 'string' || Number.isInteger(value.id) ? (value.id as string | number) : null;
}
