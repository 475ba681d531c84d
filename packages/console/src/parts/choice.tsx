import { type ComponentProps, type ReactNode, useId } from 'react';

export interface ChoiceProps extends ComponentProps<'select'> {
  /** What stands above it; an `aria-label` where there is no room. */
  readonly label?: string;
  /** What can be chosen; with its words where those are others. */
  readonly options: readonly (readonly [value: string, words?: string])[];
  readonly onChoose: (value: string) => void;
}

/** One of several, of which one is shown. */
export function Choice({ label, options, onChoose, ...rest }: ChoiceProps): ReactNode {
  const id = useId();
  return (
    <>
      {label !== undefined && <label htmlFor={id}>{label}</label>}
      <select id={id} className="field" onChange={({ target }) => onChoose(target.value)} {...rest}>
        {options.map(([value, words = value]) => (
          <option key={value} value={value}>
            {words}
          </option>
        ))}
      </select>
    </>
  );
}
