/** How a command ends, for scripts. */
export const EXIT = {
  done: 0,
  /** Something failed, or `verify` found damage. */
  failed: 1,
  /** An unknown command, flag or setting, or an invalid value. Nothing was done. */
  usage: 2,
  /** What was named is not there. */
  notFound: 3,
  /** Another process holds what was needed. Trying again may help. */
  busy: 4,
  /** The store cannot be used, or is full. */
  storage: 5,
  /** Ctrl-C. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** For the help page. */
export const EXIT_MEANINGS: readonly (readonly [ExitCode, string])[] = [
  [EXIT.done, 'done'],
  [EXIT.failed, 'failed, or verify found damage'],
  [EXIT.usage, 'wrong command, flag or setting'],
  [EXIT.notFound, 'not found'],
  [EXIT.busy, 'busy: another process is at work, try again'],
  [EXIT.storage, 'the store cannot be used, or is full'],
  [EXIT.interrupted, 'interrupted'],
];
