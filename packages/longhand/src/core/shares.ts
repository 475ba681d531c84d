/** What sections of a prompt keep, and the most that they take, when not everything fits: see docs/context.md. */
export const DEFAULT_SHARES = {
  'private-memory': { floor: 0.1, ceiling: 0.25 },
  whiteboard: { floor: 0, ceiling: 0.1 },
  notes: { floor: 0.08, ceiling: 0.2 },
  group: { floor: 0.02, ceiling: 0.05 },
  summary: { floor: 0.08, ceiling: 0.15 },
  standing: { floor: 0.08, ceiling: 0.2 },
  conversation: { floor: 0.2, ceiling: 1 },
  memories: { floor: 0.15, ceiling: 1 },
  details: { floor: 0.03, ceiling: 1 },
  placeholders: { floor: 0.02, ceiling: 1 },
};
type SharedSection = keyof typeof DEFAULT_SHARES;
export type Shares = Readonly<Record<SharedSection, { readonly floor: number; readonly ceiling: number }>>;
export type ShareOptions = { readonly [Name in SharedSection]?: Partial<Shares[Name]> };

export function overDefaults(changes: unknown, base: Shares = DEFAULT_SHARES): Shares | undefined {
  if (typeof changes !== 'object' || changes === null || Array.isArray(changes)) return undefined;
  const shares: Record<string, Shares[SharedSection]> = { ...base };
  for (const [name, change] of Object.entries(changes)) {
    if (!Object.hasOwn(base, name) || typeof change !== 'object') return undefined;
    const { floor, ceiling, ...others } = { ...shares[name]!, ...change };
    if (!(floor >= 0 && floor <= ceiling && ceiling <= 1) || Object.keys(others).length > 0) return undefined;
    shares[name] = { floor, ceiling };
  }
  return shares as Shares;
}
