/** A name that nobody else has. Loads `node:crypto` when it is asked for: processes that only read do without. */
export function randomName(): string {
  return process.getBuiltinModule('node:crypto').randomUUID();
}
