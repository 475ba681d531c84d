/** The column itself when it is long enough, or a copy of at least twice the length. */
export function grown<Column extends Int32Array | Uint8Array | Int8Array | Float64Array | Float32Array>(
  column: Column,
  needed: number,
): Column {
  if (needed <= column.length) return column;
  const wider = new (column.constructor as new (length: number) => Column)(
    Math.max(needed, column.length * 2),
  );
  wider.set(column);
  return wider;
}
