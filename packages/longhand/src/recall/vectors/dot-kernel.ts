/**
 * The dot products of one vector with many, on which a search by meaning spends its time.
 *
 * A WebAssembly module multiplies with SIMD instructions, ten times as fast as JavaScript, which does the work where
 * WebAssembly is missing (Node with --jitless). The numbers are integers, so both give exactly the same products.
 * Vectors are copied into the module's memory piece by piece; a piece fits the processor's cache.
 */

import { EMBEDDER_LIMITS } from '../../core/embedder.ts';

const PAGE_BYTES = 65_536;
const PAGES = 4;
/** Numbers in one step of the loop. */
const STEP = 16;
/** The memory: the query vector, two bytes for each number; the products; the other vectors. */
const PRODUCTS_AT = 2 * EMBEDDER_LIMITS.dimensions;
const VALUES_AT = PAGE_BYTES;
const MAX_ROWS = (VALUES_AT - PRODUCTS_AT) / 4;
/** The last step may read behind the last vector, and multiplies that by 0. */
const VALUES_BYTES = (PAGES - 1) * PAGE_BYTES - STEP;

/** Multiplies the vectors from `values` on, `stride` bytes apart, and writes the products from `out` to `outEnd`. */
type Multiply = (values: number, out: number, outEnd: number, stride: number, queryEnd: number) => void;

interface Kernel {
  readonly multiply: Multiply;
  readonly memory: { readonly buffer: ArrayBuffer };
}

/** What is used of WebAssembly, which the platform's types do not name. */
interface WebAssemblyPort {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: Kernel };
}

/** `null` where WebAssembly is missing. */
let kernel: Kernel | null | undefined;

function openKernel(): Kernel | null {
  const { WebAssembly } = globalThis as unknown as { readonly WebAssembly?: WebAssemblyPort };
  if (WebAssembly === undefined) return null;
  try {
    return new WebAssembly.Instance(new WebAssembly.Module(moduleBytes())).exports;
  } catch {
    // A processor without SIMD, or a policy against generated code.
    return null;
  }
}

/** Writes the products of a vector with each of `values`, which lie one after the other, to `products`. */
export function multiplyAll(vector: Int8Array, values: Int8Array, products: Int32Array): void {
  kernel ??= openKernel();
  if (kernel === null) multiplyPlainly(vector, values, products);
  else multiplyInPieces(kernel, vector, values, products);
}

/** Without WebAssembly. */
export function multiplyPlainly(vector: Int8Array, values: Int8Array, products: Int32Array): void {
  for (let row = 0, from = 0; row < products.length; row++, from += vector.length) {
    let sum = 0;
    for (let at = 0; at < vector.length; at++) sum = (sum + vector[at]! * values[from + at]!) | 0;
    products[row] = sum;
  }
}

function multiplyInPieces(
  { multiply, memory: { buffer } }: Kernel,
  vector: Int8Array,
  values: Int8Array,
  products: Int32Array,
): void {
  const stride = vector.length;
  const padded = Math.ceil(stride / STEP) * STEP;
  const query = new Int16Array(buffer, 0, padded);
  query.fill(0, stride);
  query.set(vector);
  const piece = new Int8Array(buffer, VALUES_AT);
  const made = new Int32Array(buffer, PRODUCTS_AT, MAX_ROWS);
  const rowsAPiece = Math.min(MAX_ROWS, Math.floor(VALUES_BYTES / stride));
  for (let row = 0; row < products.length; row += rowsAPiece) {
    const rows = Math.min(rowsAPiece, products.length - row);
    piece.set(values.subarray(row * stride, (row + rows) * stride));
    multiply(VALUES_AT, PRODUCTS_AT, PRODUCTS_AT + 4 * rows, stride, 2 * padded);
    products.set(made.subarray(0, rows), row);
  }
}

const I32 = 0x7f;
const V128 = 0x7b;
/** The parameters of `Multiply` and the locals behind them. */
const [VALUES, OUT, OUT_END, STRIDE, QUERY_END] = [0, 1, 2, 3, 4] as const;
const [AT, QUERY, SUM, OTHER_SUM] = [5, 6, 7, 8] as const;

const get = (local: number): number[] => [0x20, local];
const set = (local: number): number[] => [0x21, local];
const tee = (local: number): number[] => [0x22, local];
const constant = (value: number): number[] => [0x41, value];
const lane = (number: number): number[] => [...get(SUM), 0xfd, 0x1b, number];
const section = (id: number, content: readonly number[]): number[] => [id, ...sized(content)];
const name = (text: string): number[] => sized([...new TextEncoder().encode(text)]);
const ADD = [0x6a];
/** Repeats the loop while one number is below the other. */
const REPEAT_WHILE_BELOW = [0x49, 0x0d, 0x00];
const LOOP = [0x03, 0x40];
const END = [0x0b];
const ADD_LANES = [0xfd, 0xae, 0x01];

/** Multiplies eight bytes by eight 16-bit numbers, and adds pairs of products to four sums. */
function addEight(sum: number, offset: number): number[] {
  const loadEightBytes = [...get(AT), 0xfd, 0x01, 0x00, offset];
  const loadEightNumbers = [...get(QUERY), 0xfd, 0x00, 0x04, 2 * offset];
  const multiplyPairs = [0xfd, 0xba, 0x01];
  return [...get(sum), ...loadEightBytes, ...loadEightNumbers, ...multiplyPairs, ...ADD_LANES, ...set(sum)];
}

/** The module in the binary format of WebAssembly 2.0: one function and its memory. */
export function moduleBytes(): Uint8Array {
  const noSums = [0xfd, 0x0c, ...new Array<number>(16).fill(0)];
  const code = [
    ...LOOP,
    ...[...get(VALUES), ...set(AT), ...constant(0), ...set(QUERY)],
    ...[...noSums, ...tee(OTHER_SUM), ...set(SUM)],
    ...LOOP,
    ...[...addEight(SUM, 0), ...addEight(OTHER_SUM, 8)],
    ...[...get(AT), ...constant(STEP), ...ADD, ...set(AT)],
    ...[...get(QUERY), ...constant(2 * STEP), ...ADD, ...tee(QUERY)],
    ...[...get(QUERY_END), ...REPEAT_WHILE_BELOW],
    ...END,
    ...[...get(SUM), ...get(OTHER_SUM), ...ADD_LANES, ...set(SUM)],
    ...[...get(OUT), ...lane(0), ...lane(1), ...ADD, ...lane(2), ...ADD, ...lane(3), ...ADD],
    ...[0x36, 0x02, 0x00],
    ...[...get(VALUES), ...get(STRIDE), ...ADD, ...set(VALUES)],
    ...[...get(OUT), ...constant(4), ...ADD, ...tee(OUT)],
    ...[...get(OUT_END), ...REPEAT_WHILE_BELOW],
    ...END,
    ...END,
  ];
  const locals = [0x02, 0x02, I32, 0x02, V128];
  const parameters = [I32, I32, I32, I32, I32];
  return new Uint8Array([
    ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
    ...section(1, [0x01, 0x60, ...sized(parameters), 0x00]),
    ...section(3, [0x01, 0x00]),
    ...section(5, [0x01, 0x00, PAGES]),
    ...section(7, [0x02, ...name('memory'), 0x02, 0x00, ...name('multiply'), 0x00, 0x00]),
    ...section(10, [0x01, ...sized([...locals, ...code])]),
  ]);
}

/** With its length before it, as a LEB128 of at most 14 bits. */
function sized(bytes: readonly number[]): number[] {
  const { length } = bytes;
  return length < 0x80 ? [length, ...bytes] : [(length & 0x7f) | 0x80, length >> 7, ...bytes];
}
