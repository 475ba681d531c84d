import { IOError, ValidationError } from 'longhand';
import { describe, expect, it } from 'vitest';
import { toProblem } from './problem.ts';

describe('a problem', () => {
  it('names no path of the server’s disk', () => {
    const error = new IOError(
      'IO_FAILED',
      'Messages cannot be written to /srv/longhand/server/spool (EIO).',
      {
        details: { path: '/srv/longhand', code: 'EIO' },
      },
    );
    const problem = toProblem(error, 'r1');
    expect(problem.detail).toBe('Messages cannot be written to … (EIO).');
    expect(JSON.stringify(problem)).not.toContain('/srv');
    const windows = new IOError('IO_FAILED', 'C:\\data\\longhand cannot be read: the system answered EIO.');
    expect(toProblem(windows, 'r1').detail).toBe('… cannot be read: the system answered EIO.');
  });

  it('keeps what the caller wrote', () => {
    const error = new ValidationError('INVALID_OPTION', 'pointer must be like /items/0.');
    expect(toProblem(error, 'r1').detail).toBe('pointer must be like /items/0.');
  });
});
