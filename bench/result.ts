import type { Ratio, Summary } from './statistics.ts';

/** One figure of a run. */
export interface Measurement {
  readonly name: string;
  readonly unit: 'ms' | 'adds/s' | 'entries/s' | 'MB' | '%' | 'entries';
  /** One number, or a summary of many samples. */
  readonly value: number | Summary;
}

/** A figure that has to be reached. */
export interface Goal {
  readonly what: string;
  readonly bound: 'at most' | 'at least';
  readonly limit: number;
  readonly unit: '×' | 'ms' | 'adds/s' | 'MB' | '%' | 'entries' | 'questions' | 'trips';
  readonly measured: number;
  /** How far the rounds of the run lie apart, for ratios. */
  readonly spread?: Ratio;
  readonly isMet: boolean;
  /** True for the service levels that everything starts from: passing them is no achievement, missing them is a fault. */
  readonly isFloor: boolean;
}

export interface Table {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** What a part of the benchmark finds out. */
export interface Findings {
  readonly title: string;
  /** How it was measured, for the reader of the report. */
  readonly method: string;
  readonly measurements: readonly Measurement[];
  /** Figures of several contenders side by side, in place of `measurements`. */
  readonly table?: Table;
  readonly goals: readonly Goal[];
}

export interface PartOptions {
  /** Fewer rounds, for trying things out. Not for the records. */
  readonly isQuick: boolean;
}

export type Part = (options: PartOptions) => Promise<Findings>;

type GoalInput = Omit<Goal, 'isMet' | 'measured' | 'isFloor'> & {
  readonly measured: number | Ratio;
  readonly isFloor?: boolean;
};

export function goal({ measured, isFloor = false, ...rest }: GoalInput): Goal {
  const value = typeof measured === 'number' ? measured : measured.value;
  return {
    ...rest,
    measured: value,
    ...(typeof measured === 'number' ? {} : { spread: measured }),
    isMet: rest.bound === 'at most' ? value <= rest.limit : value >= rest.limit,
    isFloor,
  };
}
