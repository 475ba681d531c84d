import { PassThrough, type Readable, type Writable } from 'node:stream';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';

/** How long requests may take to end after the client has closed its end. */
const DRAIN_MS = 10_000;

/**
 * Standard input and output. The SDK's own transport drops what is under way when the input ends; here every request
 * that was read is answered first, so that a script may pipe its requests in and a last save is not left in doubt.
 */
export class DrainingTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #inner: StdioServerTransport;
  readonly #passed = new PassThrough();
  readonly #underWay = new Set<string | number>();
  #hasEnded = false;

  constructor(input: Readable, output: Writable) {
    this.#inner = new StdioServerTransport(this.#passed, output);
    this.#inner.onclose = () => this.onclose?.();
    this.#inner.onerror = (error) => this.onerror?.(error);
    this.#inner.onmessage = (message) => {
      if ('method' in message && 'id' in message) this.#underWay.add(message.id);
      this.onmessage?.(message);
    };
    input.pipe(this.#passed, { end: false });
    input.once('end', () => this.#drain());
    input.once('error', () => this.#passed.end());
  }

  start(): Promise<void> {
    return this.#inner.start();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    await this.#inner.send(message);
    if ('id' in message && !('method' in message) && message.id !== undefined)
      this.#underWay.delete(message.id);
    this.#endWhenDone();
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  #drain(): void {
    setTimeout(() => this.#passed.end(), DRAIN_MS).unref();
    // The last bytes are still on their way through the pipe.
    setImmediate(() => {
      this.#hasEnded = true;
      this.#endWhenDone();
    });
  }

  #endWhenDone(): void {
    if (this.#hasEnded && this.#underWay.size === 0) this.#passed.end();
  }
}
