/** How a command ends, for scripts. */
export const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  notFound: 3,
  busy: 4,
  storage: 5,
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
