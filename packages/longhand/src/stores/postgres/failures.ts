import { ConcurrencyError, IOError, LonghandError, ValidationError } from '../../core/errors.ts';

export const HOW_TO_APPLY =
  'longhand serve applies it when --database-owner-url names the role that owns the tables; in code, applySchema does.';

/** Errors of the driver and of Postgres as errors of the family. Texts of Postgres may quote values: only codes are passed on. */
export function translated(error: unknown): unknown {
  if (LonghandError.isInstance(error)) return error;
  const code = codeOf(error);
  const options = { details: { code } };
  const io = (is: ConstructorParameters<typeof IOError>[0], text: string): IOError =>
    new IOError(is, text, options);
  if (code === '57014' || code === '55P03' || code === '25P03') {
    return new ConcurrencyError(
      'LOCK_TIMEOUT',
      `Postgres gave up on a statement that took too long (${code}): it waited for another writer, or the server is busy. Try again; statement_timeout and lock_timeout set the limit.`,
      options,
    );
  }
  if (code === '53100' || code === '53200')
    return io('STORAGE_FULL', `Postgres has no room left (${code}). Nothing was written.`);
  if (code === '42501')
    return io(
      'ACCESS_DENIED',
      'Postgres refused access (42501). The login must be a member of longhand_app (GRANT longhand_app TO it), and may reach its own account only.',
    );
  if (code === '53300')
    return io(
      'IO_FAILED',
      'Postgres has no connection left (53300). Raise max_connections, or make the pools smaller.',
    );
  if (['28000', '28P01', '3D000'].includes(code))
    return io(
      'ACCESS_DENIED',
      `Postgres refused the connection (${code}). Check user, password and database.`,
    );
  if (['3F000', '42P01', '42883', '42704'].includes(code))
    return io(
      'STORAGE_ROOT_UNUSABLE',
      `The database has no schema of Longhand, or an older one (${code}). ${HOW_TO_APPLY}`,
    );
  if (code === '22021' || code === '22P05') {
    return new ValidationError(
      'INVALID_TEXT',
      `Postgres keeps no zero bytes and no broken characters in texts (${code}). Take them out.`,
      options,
    );
  }
  if (code === '25006') return io('READ_ONLY', 'The database is read-only (25006).');
  if (code === '' && error instanceof Error && error.message.startsWith('timeout exceeded'))
    return io(
      'IO_FAILED',
      'No connection to Postgres came free in time. It may not be reachable, or the pool is too small for so many requests.',
    );
  if (isLostConnection(error)) {
    const what =
      code === '57P03'
        ? 'Postgres is starting or stopping (57P03). Try again in a moment.'
        : `Postgres cannot be reached (${code || 'the connection was lost'}). Check that it runs and that the address is right.`;
    return new IOError('IO_FAILED', what, { details: { code, isLost: true } });
  }
  if (/^[0-9A-Z]{5}$/.test(code)) return io('IO_FAILED', `Postgres refused a statement (${code}).`);
  return error;
}

/** Whether a statement may have been carried out although it failed. */
export function isLostConnection(error: unknown): boolean {
  if (LonghandError.isInstance(error)) return error.details.isLost === true;
  const code = codeOf(error);
  if (/^(08|57P0[123]$)/.test(code)) return true;
  if (/^E[A-Z]+$/.test(code)) return true;
  const message = error instanceof Error ? error.message : '';
  return code === '' && /connection|terminated|socket/i.test(message);
}

export function isDenied(error: unknown): boolean {
  return codeOf(error) === '42501';
}

/** Another had the lock for too long. */
export function isTimeout(error: unknown): boolean {
  return ['55P03', '57014', '40P01'].includes(codeOf(error));
}

/** Nothing was done, and the same may be tried again: a deadlock, or no connection was left. */
export function isToBeRepeated(error: unknown): boolean {
  return ['40001', '40P01', '53300'].includes(codeOf(error));
}

/** A translated error: the statement was refused for its values, and nothing was done. */
export function isRefusal(error: unknown): boolean {
  return LonghandError.isInstance(error) && /^(22|23|54)/.test(String(error.details.code));
}

function codeOf(error: unknown): string {
  const code = (error as { readonly code?: unknown } | null | undefined)?.code;
  return typeof code === 'string' ? code : '';
}
