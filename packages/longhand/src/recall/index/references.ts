/** Id → the entries that reference it. */
export function reverseReferences(
  entries: Iterable<{ readonly id: string; readonly references: readonly string[] }>,
): Map<string, string[]> {
  const referencedBy = new Map<string, string[]>();
  for (const { id, references } of entries) {
    for (const target of new Set(references)) {
      const sources = referencedBy.get(target);
      if (sources) sources.push(id);
      else referencedBy.set(target, [id]);
    }
  }
  return referencedBy;
}
