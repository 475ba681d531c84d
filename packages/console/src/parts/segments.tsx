import type { ReactNode } from 'react';

export interface SegmentsProps {
  /** What is chosen, for screen readers. */
  readonly label: string;
  /** The words of each choice. */
  readonly options: Readonly<Record<string, ReactNode>>;
  /** The first when left out. */
  readonly chosen: string | undefined;
  /** Told `undefined` for the first, which the address leaves out. */
  readonly onChoose: (name: string | undefined) => void;
}

/** One of a few, side by side. */
export function Segments({ label, options, chosen, onChoose }: SegmentsProps): ReactNode {
  const [first] = Object.keys(options);
  return (
    <fieldset className="segments" aria-label={label}>
      {Object.entries(options).map(([name, words]) => (
        <button
          key={name}
          type="button"
          aria-pressed={(chosen ?? first) === name}
          onClick={() => onChoose(name === first ? undefined : name)}
        >
          {words}
        </button>
      ))}
    </fieldset>
  );
}
