import type { Interface } from 'node:readline';

/** Clears a line that is half typed, as shells do on Ctrl-C. False when there is none. */
export function clearLine(reader: Interface): boolean {
  if (reader.line === '') return false;
  reader.write(null, { ctrl: true, name: 'e' });
  reader.write(null, { ctrl: true, name: 'u' });
  return true;
}
