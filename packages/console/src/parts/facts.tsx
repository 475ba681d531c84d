import type { ReactNode } from 'react';

export type Fact = readonly [name: string, value: ReactNode];

/** What is known of one thing, a line each; a fact without a value is not shown. */
export function Facts({ rows }: { readonly rows: readonly Fact[] }): ReactNode {
  return (
    <dl className="facts">
      {rows
        .filter(([, value]) => value)
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd dir="auto">{value}</dd>
          </div>
        ))}
    </dl>
  );
}
