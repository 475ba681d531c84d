import { measureContext } from './context.ts';
import { measureEquals, measureNewerFacts } from './equals.ts';
import type { Column } from './rankers/longhand.ts';
import type { Figure } from './recall-set.ts';
import { readLocomo } from './sets/locomo.ts';

/** What is measured of Longhand alone: plain rankers assemble no context and know no time. */
export interface Extra {
  /** As `--only` names it. */
  readonly name: string;
  readonly measure: (column: Column) => Promise<readonly Figure[]>;
}

export function contextExtra(locomoFile: string): Extra {
  return {
    name: 'context',
    measure: ({ openManager }) => measureContext(readLocomo(locomoFile), openManager),
  };
}

export const equalsExtra: Extra = {
  name: 'equals',
  measure: async ({ openManager }) => {
    const { share } = await measureEquals(openManager);
    const newerFacts = await measureNewerFacts(openManager);
    return [
      { name: 'Of two equal matches 60 days apart the newer first', unit: '%', value: share },
      ...newerFacts.map(({ type, share }): Figure => {
        return { name: `Of two facts the newer first, type ${type}`, unit: '%', value: share };
      }),
    ];
  },
};
