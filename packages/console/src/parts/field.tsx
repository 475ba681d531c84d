import { type ComponentProps, type ReactNode, useId } from 'react';

export interface FieldProps extends ComponentProps<'input'> {
  /** What stands above it; an `aria-label` where there is no room. */
  readonly label?: ReactNode;
  /** What is known of what may be written. */
  readonly known?: readonly string[] | undefined;
  readonly onWrite: (text: string) => void;
}

/** A line to write into. */
export function Field({ label, known, onWrite, className = 'field', ...input }: FieldProps): ReactNode {
  const id = useId();
  return (
    <>
      {label !== undefined && <label htmlFor={id}>{label}</label>}
      <input
        {...{ id, className }}
        dir="auto"
        list={known && `${id}-known`}
        onChange={({ target }) => onWrite(target.value)}
        {...input}
      />
      {known !== undefined && (
        <datalist id={`${id}-known`}>
          {known.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
      )}
    </>
  );
}
