/**
 * SHA-256, without waiting for Node's own.
 *
 * Loading `node:crypto` takes 8 to 12 ms of a process that has just started: more than all else that finding a
 * few memories needs. So the first few bytes are hashed here, in plain code, which takes a cold process
 * microseconds for each line; whoever hashes more gets the native hash, loaded then, which is faster from there on.
 */

/** Loading the native hash costs a cold process about as much as hashing so many bytes here. */
const PLAIN_BYTES = 24 * 1024;
const ROUNDS = 64;
const BLOCK_BYTES = 64;
const LENGTH_BYTES = 8;

type Native = (algorithm: 'sha256', data: string | Uint8Array, encoding: 'hex') => string;

let native: Native | undefined;
let plainBytesLeft = PLAIN_BYTES;

/** The SHA-256 of bytes, or of a text's UTF-8, as 64 hex digits. */
export function sha256Hex(data: string | Uint8Array): string {
  if (native === undefined) {
    const bytes = typeof data === 'string' ? Buffer.from(data) : data;
    plainBytesLeft -= bytes.length;
    if (plainBytesLeft >= 0) return plainSha256Hex(bytes);
    native = process.getBuiltinModule('node:crypto').hash;
  }
  return native('sha256', data, 'hex');
}

/** The first 32 bits behind the point of the square roots of the first 8 primes. */
const START = [
  0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
];
/** The same of the cube roots of the first 64. */
const ROUND_CONSTANTS = [
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98,
  0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
  0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8,
  0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
  0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819,
  0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
  0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
  0xc67178f2,
];

let rounds: Int32Array | undefined;

/** The same in plain code alone. For `sha256Hex`, and for the test that holds it against Node's. */
export function plainSha256Hex(bytes: Uint8Array): string {
  rounds ??= Int32Array.from(ROUND_CONSTANTS);
  const state = Int32Array.from(START);
  const schedule = new Int32Array(ROUNDS);
  const whole = bytes.length - (bytes.length % BLOCK_BYTES);
  for (let at = 0; at < whole; at += BLOCK_BYTES) addBlock(state, schedule, rounds, bytes, at);
  const rest = bytes.length - whole;
  const last = new Uint8Array(rest + 1 + LENGTH_BYTES <= BLOCK_BYTES ? BLOCK_BYTES : 2 * BLOCK_BYTES);
  last.set(bytes.subarray(whole));
  last[rest] = 0x80;
  const view = new DataView(last.buffer);
  view.setUint32(last.length - 8, Math.floor(bytes.length / 2 ** 29));
  view.setUint32(last.length - 4, bytes.length << 3);
  for (let at = 0; at < last.length; at += BLOCK_BYTES) addBlock(state, schedule, rounds, last, at);
  let hex = '';
  for (const word of state) hex += (word >>> 0).toString(16).padStart(8, '0');
  return hex;
}

/** One block into the state. The letters are the standard's. */
function addBlock(
  state: Int32Array,
  schedule: Int32Array,
  rounds: Int32Array,
  bytes: Uint8Array,
  at: number,
): void {
  for (let i = 0; i < 16; i++) {
    const from = at + 4 * i;
    schedule[i] =
      (bytes[from]! << 24) | (bytes[from + 1]! << 16) | (bytes[from + 2]! << 8) | bytes[from + 3]!;
  }
  for (let i = 16; i < ROUNDS; i++) {
    const early = schedule[i - 15]!;
    const late = schedule[i - 2]!;
    const s0 = ((early >>> 7) | (early << 25)) ^ ((early >>> 18) | (early << 14)) ^ (early >>> 3);
    const s1 = ((late >>> 17) | (late << 15)) ^ ((late >>> 19) | (late << 13)) ^ (late >>> 10);
    schedule[i] = schedule[i - 16]! + s0 + schedule[i - 7]! + s1;
  }
  let a = state[0]!;
  let b = state[1]!;
  let c = state[2]!;
  let d = state[3]!;
  let e = state[4]!;
  let f = state[5]!;
  let g = state[6]!;
  let h = state[7]!;
  for (let i = 0; i < ROUNDS; i++) {
    const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const one = (h + s1 + ((e & f) ^ (~e & g)) + rounds[i]! + schedule[i]!) | 0;
    const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const two = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + one) | 0;
    d = c;
    c = b;
    b = a;
    a = (one + two) | 0;
  }
  state[0]! += a;
  state[1]! += b;
  state[2]! += c;
  state[3]! += d;
  state[4]! += e;
  state[5]! += f;
  state[6]! += g;
  state[7]! += h;
}
