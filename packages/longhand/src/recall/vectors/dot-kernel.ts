/**
 * The products of one vector with many, which is what a search by meaning spends its time on.
 *
 * JavaScript multiplies one pair of numbers at a time; processors multiply eight bytes by eight and more. WebAssembly
 * reaches that, ten times as fast here. The numbers are whole, so the products are the same to the last bit with and
 * without it, and no vector is left out for the sake of speed. Where it cannot be had (Node with --jitless, say),
 * JavaScript does the work.
 *
 * Vectors are copied into the machine's own memory a piece at a time: a piece stays in the processor's cache, so
 * the copy costs little, and blocks of vectors stay ordinary arrays that nobody has to let go of.
 */

import { EMBEDDER_LIMITS } from '../../core/embedder.ts';
import { dotAt } from './quantise.ts';

const PAGE_BYTES = 65_536;
const PAGES = 4;
/** Numbers that are multiplied in one step of the loop. */
const STEP = 16;
/** The vector that is asked for stands at 0, two bytes for each number; the products behind it; then the others. */
const PRODUCTS_AT = 2 * EMBEDDER_LIMITS.dimensions;
const VALUES_AT = PAGE_BYTES;
const MAX_ROWS = (VALUES_AT - PRODUCTS_AT) / 4;
/** The last step may read behind the last vector: what it finds there is multiplied by 0. */
const VALUES_BYTES = (PAGES - 1) * PAGE_BYTES - STEP;

/** Multiplies the vectors from `values` on, `stride` bytes apart, and writes products from `out` to `outEnd`. */
type Multiply = (values: number, out: number, outEnd: number, stride: number, queryEnd: number) => void;

interface Kernel {
  readonly multiply: Multiply;
  readonly memory: ArrayBuffer;
}

/** As far as it is used here. The types of the platform do not name it. */
interface WebAssemblyPort {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (
    module: object,
  ) => {
    readonly exports: { readonly multiply: Multiply; readonly memory: { readonly buffer: ArrayBuffer } };
  };
}

/** `null` where there is none. */
let kernel: Kernel | null | undefined;

function openKernel(): Kernel | null {
  const { WebAssembly } = globalThis as { readonly WebAssembly?: WebAssemblyPort };
  if (WebAssembly === undefined) return null;
  try {
    const { exports } = new WebAssembly.Instance(new WebAssembly.Module(moduleBytes()));
    return { multiply: exports.multiply, memory: exports.memory.buffer };
  } catch {
    // A processor without such instructions, or a policy against code that is made at run time.
    return null;
  }
}

/**
 * The product of a vector with each of many.
 * @param values the others, one behind the other, each as long as `vector`
 * @param products as many as there are others
 */
export function multiplyAll(vector: Int8Array, values: Int8Array, products: Int32Array): void {
  kernel ??= openKernel();
  if (kernel === null) multiplyPlainly(vector, values, products);
  else multiplyInPieces(kernel, vector, values, products);
}

/** The same without WebAssembly. */
export function multiplyPlainly(vector: Int8Array, values: Int8Array, products: Int32Array): void {
  for (let row = 0; row < products.length; row++) products[row] = dotAt(vector, values, row * vector.length);
}

function multiplyInPieces(
  { multiply, memory }: Kernel,
  vector: Int8Array,
  values: Int8Array,
  products: Int32Array,
): void {
  const stride = vector.length;
  const padded = Math.ceil(stride / STEP) * STEP;
  const query = new Int16Array(memory, 0, padded);
  query.fill(0, stride);
  query.set(vector);
  const piece = new Int8Array(memory, VALUES_AT);
  const made = new Int32Array(memory, PRODUCTS_AT, MAX_ROWS);
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
/** The parameters of `Multiply`, in their order, and the locals behind them. */
const VALUES = 0;
const OUT = 1;
const OUT_END = 2;
const STRIDE = 3;
const QUERY_END = 4;
const AT = 5;
const QUERY = 6;
const SUM = 7;
const OTHER_SUM = 8;

const get = (local: number): number[] => [0x20, local];
const set = (local: number): number[] => [0x21, local];
const tee = (local: number): number[] => [0x22, local];
const constant = (value: number): number[] => [0x41, value];
const ADD = [0x6a];
/** Repeats the loop while one number is below the other. */
const REPEAT_WHILE_BELOW = [0x49, 0x0d, 0x00];
const LOOP = [0x03, 0x40];
const END = [0x0b];
const ADD_LANES = [0xfd, 0xae, 0x01];

/** Adds the products of eight bytes and eight numbers of two bytes, in pairs, to four sums. */
function addEight(sum: number, offset: number): number[] {
  const loadEightBytes = [...get(AT), 0xfd, 0x01, 0x00, offset];
  const loadEightNumbers = [...get(QUERY), 0xfd, 0x00, 0x04, 2 * offset];
  const multiplyPairs = [0xfd, 0xba, 0x01];
  return [...get(sum), ...loadEightBytes, ...loadEightNumbers, ...multiplyPairs, ...ADD_LANES, ...set(sum)];
}

function lane(number: number): number[] {
  return [...get(SUM), 0xfd, 0x1b, number];
}

/** The module in the binary format of WebAssembly 2.0: one function, its memory, and their names. */
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

function section(id: number, content: readonly number[]): number[] {
  return [id, ...sized(content)];
}

function name(text: string): number[] {
  return sized([...new TextEncoder().encode(text)]);
}

/** With the number of bytes before it, seven bits a byte; never more than 14. */
function sized(bytes: readonly number[]): number[] {
  const { length } = bytes;
  return length < 0x80 ? [length, ...bytes] : [(length & 0x7f) | 0x80, length >> 7, ...bytes];
}
