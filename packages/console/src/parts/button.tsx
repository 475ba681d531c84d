import type { ComponentProps, ReactNode } from 'react';

export interface ButtonProps extends ComponentProps<'button'> {
  /** `main`: the one that a form or page is about. `link`: within a text. */
  readonly look?: 'main' | 'danger' | 'link';
}

/** A button. It sends a form only when it is told to. */
export function Button({ look, type = 'button', className = '', ...rest }: ButtonProps): ReactNode {
  const name = look === undefined ? 'button' : look === 'link' ? 'link-button' : `button is-${look}`;
  return <button type={type} className={`${name} ${className}`.trim()} {...rest} />;
}
