import { nearestOf } from './nearest-name.ts';
import { SETTINGS } from './settings.ts';

/** Variables of ours that are no settings: where the settings are, who works with the memory, and what tests take. */
const OTHERS = [
  'LONGHAND_CONFIG',
  'LONGHAND_ACCOUNT',
  'LONGHAND_USER',
  'LONGHAND_AGENT',
  'LONGHAND_SESSION',
  'LONGHAND_SEED',
  'LONGHAND_TORTURE',
];

/**
 * A sentence for each unknown variable that looks like one of ours: a mistyped one would be ignored in silence. It
 * may also be a later version's, or another program's, so it stops nothing.
 */
export function unknownVariables(env: Readonly<Record<string, string | undefined>> = process.env): string[] {
  const known = [...SETTINGS.map(({ environment }) => environment), ...OTHERS];
  return Object.keys(env)
    .filter((name) => name.startsWith('LONGHAND_') && !known.includes(name))
    .map((name) => {
      const nearest = nearestOf(name, known);
      return `${name} is no setting, and is ignored.${nearest === undefined ? '' : ` Did you mean ${nearest}?`}`;
    });
}
