const COUNT = new Intl.NumberFormat('en');

/** `12,480` */
export function count(value: number): string {
  return COUNT.format(value);
}

/** `1 memory`, `12 memories` */
export function counted(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

/** `18.4 MB` */
export function bytes(value: number): string {
  if (value < 1_000) return `${value} B`;
  const units = ['kB', 'MB', 'GB', 'TB'];
  let [size, unit] = [value / 1_000, 0];
  // What would be shown as 1000 of a unit is one of the next.
  while (size >= 999.5 && unit < units.length - 1) [size, unit] = [size / 1_000, unit + 1];
  return `${size < 10 ? size.toFixed(1) : Math.round(size)} ${units[unit]}`;
}
