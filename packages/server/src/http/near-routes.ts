import { nearestOf } from '../config/nearest-name.ts';

const MOST = 3;
/** Longer ones are no misspelt names, and comparing them would take time. */
const LONGEST = 64;

/**
 * The routes that a client may have meant by an unknown path: those that are spelt almost the same, or else those that
 * end as it does. The path itself is not repeated.
 */
export function nearRoutes(path: string, routes: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const asked = path.split('/').slice(1);
  const parts = [...routes.keys()].map((route) => ({ route, names: route.split('/').slice(1) }));
  const spelt = parts.filter(
    ({ names }) => names.length === asked.length && names.every((name, i) => isNear(asked[i]!, name)),
  );
  const last = asked.at(-1)!;
  const meant = spelt.length > 0 ? spelt : parts.filter(({ names }) => names.at(-1) === last);
  return meant
    .toSorted((left, right) => left.names.length - right.names.length)
    .slice(0, MOST)
    .map(({ route }) => `${routes.get(route)!.join(' or ')} ${route}`);
}

/** A name in braces takes anything. */
function isNear(asked: string, name: string): boolean {
  return name.startsWith('{') || (asked.length <= LONGEST && nearestOf(asked, [name]) !== undefined);
}
