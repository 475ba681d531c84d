import type { ReactNode } from 'react';

export interface ProgressBarProps {
  readonly label: string;
  readonly value: number;
  readonly max: number;
  /** When little is left. */
  readonly isNear?: boolean;
}

export function ProgressBar({ label, value, max, isNear = value >= max * 0.9 }: ProgressBarProps): ReactNode {
  return (
    <div
      className={isNear ? 'progress is-near' : 'progress'}
      role="progressbar"
      aria-label={label}
      aria-valuenow={value}
      aria-valuemin={0}
      aria-valuemax={max}
    >
      <i style={{ inlineSize: `${max === 0 ? 0 : Math.min(100, (value / max) * 100)}%` }} />
    </div>
  );
}
