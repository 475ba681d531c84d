import type { NewMemory } from 'longhand';

/** A store under measurement. What an add gives back is awaited when it is a promise. */
export interface Contender {
  readonly name: string;
  add(entry: NewMemory): unknown;
  /** Many at once, the best way that the store offers. */
  addMany(entries: readonly NewMemory[]): unknown;
  close(): unknown;
}
