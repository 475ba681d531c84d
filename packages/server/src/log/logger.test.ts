import { expect, it } from 'vitest';
import { Logger, loggerOf } from './logger.ts';

const FIELDS = { component: 'HttpServer', session_id: 's1', metadata: { lines: 2, log: 'a\u001b[2J\u009b' } };

function written(isForPeople: boolean): string {
  const lines: string[] = [];
  const logger = new Logger('info', { isForPeople, write: (line) => lines.push(line) });
  logger.log('debug', 'Not worth it', FIELDS);
  logger.log('warn', 'Lock timeout', FIELDS);
  return lines.join('');
}

it('writes JSON, a line each, for machines', () => {
  expect(JSON.parse(written(false))).toEqual({
    timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
    level: 'WARN',
    component: 'HttpServer',
    session_id: 's1',
    message: 'Lock timeout',
    metadata: FIELDS.metadata,
  });
});

it('writes time, level and message for people, and nothing that a terminal obeys', () => {
  expect(written(true)).toMatch(
    /^\d\d:\d\d:\d\d WARN {2}Lock timeout \(session s1, lines 2, log "a\\u001b\[2J�"\)\n$/,
  );
});

it.each([
  ['auto', true, true],
  ['auto', false, false],
  ['json', true, false],
  ['text', false, true],
] as const)('%s with a terminal %s: for people %s', (format, isTTY, isForPeople) => {
  expect(loggerOf({ level: 'info', format }, { isTTY }).isForPeople).toBe(isForPeople);
});
