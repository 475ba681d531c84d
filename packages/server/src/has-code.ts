import { LonghandError } from 'longhand';

export function hasCode(error: unknown, code: LonghandError['code']): error is LonghandError {
  return LonghandError.isInstance(error) && error.code === code;
}
