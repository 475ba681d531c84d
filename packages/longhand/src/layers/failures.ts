import { LonghandError } from '../core/errors.ts';

/** The event for work in the background, which fails nothing else. */
export function failureOf(log: string, operation: string, error: unknown) {
  return { kind: 'io-failed', log, operation, reason: codeOf(error) } as const;
}

export function codeOf(error: unknown): string {
  return LonghandError.isInstance(error) ? error.code : String(error);
}

/** For `catch`: what the library refuses is not there for this caller. */
export function ifRefused(error: unknown): undefined {
  if (!LonghandError.isInstance(error)) throw error;
}

/** What the work gives; `undefined` when the library refuses it. */
export function unlessRefused<Result>(work: () => Result): Result | undefined {
  try {
    return work();
  } catch (error) {
    return ifRefused(error);
  }
}

/** What the work comes to, or `late` when it takes longer. */
export async function within<Result, Late>(
  timeoutMs: number,
  work: Promise<Result>,
  late: Late,
): Promise<Result | Late> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<Late>((resolve) => {
    timer = setTimeout(() => resolve(late), timeoutMs);
  });
  try {
    // A failure that comes late is handled by the race, too.
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

/** The fields of a JSON document beside the logs. One that is missing or invalid has none, and is rebuilt. */
export function fieldsOf(text: string | undefined): Readonly<Record<string, unknown>> {
  try {
    return (JSON.parse(text ?? '') as Record<string, unknown> | null) ?? {};
  } catch {
    return {};
  }
}
