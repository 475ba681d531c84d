/**
 * The bytes of an ONNX model that looks its tokens up in a table, for tests: the vector of a token is a row of the
 * table, whatever stands around it. Written as the protocol buffers of `onnx.proto` say, field by field.
 */
const VARINT = 0;
const BYTES = 2;
const FLOAT = 1;
const INT64 = 7;

function varint(value: number): number[] {
  const bytes: number[] = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return [...bytes, rest];
    bytes.push((rest % 128) | 128);
  }
}

const number = (field: number, value: number): number[] => [...varint(field * 8 + VARINT), ...varint(value)];
const bytes = (field: number, content: ArrayLike<number>): number[] => [
  ...varint(field * 8 + BYTES),
  ...varint(content.length),
  ...Array.from(content),
];
const text = (field: number, value: string): number[] => bytes(field, new TextEncoder().encode(value));

/** A named tensor among the inputs or outputs; texts in `shape` are lengths that may vary. */
function tensor(name: string, type: number, shape: readonly (string | number)[]): number[] {
  const dims = shape.flatMap((dim) => bytes(1, typeof dim === 'number' ? number(1, dim) : text(2, dim)));
  const tensorType = [...number(1, type), ...bytes(2, dims)];
  return [...text(1, name), ...bytes(2, bytes(1, tensorType))];
}

/**
 * @param table a vector for each token
 * @param inputs what it asks for; only `input_ids` matters
 */
export function tinyOnnxModel(
  table: readonly (readonly number[])[],
  inputs: readonly string[] = ['input_ids', 'attention_mask', 'token_type_ids'],
): Uint8Array {
  const dimensions = table[0]!.length;
  const initializer = [
    ...number(1, table.length),
    ...number(1, dimensions),
    ...number(2, FLOAT),
    ...text(8, 'table'),
    ...bytes(9, new Uint8Array(Float32Array.from(table.flat()).buffer)),
  ];
  const gather = [
    ...text(1, 'table'),
    ...text(1, 'input_ids'),
    ...text(2, 'last_hidden_state'),
    ...text(4, 'Gather'),
  ];
  const graph = [
    ...bytes(1, gather),
    ...text(2, 'tiny'),
    ...bytes(5, initializer),
    ...inputs.flatMap((name) => bytes(11, tensor(name, INT64, ['texts', 'tokens']))),
    ...bytes(12, tensor('last_hidden_state', FLOAT, ['texts', 'tokens', dimensions])),
  ];
  return Uint8Array.from([
    ...number(1, 8),
    ...bytes(7, graph),
    ...bytes(8, [...text(1, ''), ...number(2, 13)]),
  ]);
}
