import type { NewMemory } from 'longhand';

/** A store under measurement. Adds are acknowledged when the call returns or its promise is fulfilled. */
export interface Contender {
  readonly name: string;
  add(entry: NewMemory): void | Promise<unknown>;
  /** Many at once, the best way that the store offers. */
  addMany(entries: readonly NewMemory[]): void | Promise<unknown>;
  close(): void | Promise<void>;
}
