import { type ComponentProps, type ReactNode, useId } from 'react';

export interface FieldProps extends ComponentProps<'input'> {
  readonly label: ReactNode;
  /** What is known of what may be written. */
  readonly known?: readonly string[] | undefined;
}

/** A line to write into, with its label above it. */
export function Field({ label, known, className = 'field', ...input }: FieldProps): ReactNode {
  const id = useId();
  return (
    <>
      <label htmlFor={id}>{label}</label>
      <input id={id} className={className} dir="auto" list={known && `${id}-known`} {...input} />
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
