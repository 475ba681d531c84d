import { createHash, hash } from 'node:crypto';

/** The SHA-256 of bytes, or of a text's UTF-8, as 64 hex digits. */
export function sha256Hex(data: string | Uint8Array): string {
  return hash('sha256', data, 'hex');
}

/** The SHA-256 of bytes that come piece by piece. */
export class RunningDigest {
  readonly #hash = createHash('sha256');

  add(bytes: Uint8Array): void {
    this.#hash.update(bytes);
  }

  /** 64 hex digits. To be asked for once, at the end. */
  hex(): string {
    return this.#hash.digest('hex');
  }
}
