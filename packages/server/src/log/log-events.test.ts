import { EVENT_LEVELS, type EventKind, type LonghandEvent } from 'longhand';
import { expect, it } from 'vitest';
import { logEvent } from './log-events.ts';
import { Logger } from './logger.ts';

const KINDS = Object.keys(EVENT_LEVELS) as EventKind[];

it.each(KINDS)('%s is logged with the level that the library gives it', (kind) => {
  const lines: string[] = [];
  const logger = new Logger('debug', { write: (line) => lines.push(line) });
  const time = '2026-01-10T14:30:00.000Z';
  const event = { kind, time, level: EVENT_LEVELS[kind], session_id: 's', ids: ['a', 'b'] };
  logEvent(logger, event as unknown as LonghandEvent);
  expect(JSON.parse(lines.join(''))).toMatchObject({
    level: EVENT_LEVELS[kind],
    component: 'MemoryManager',
    session_id: 's',
    message: expect.stringMatching(/^[A-Z]/),
    metadata: { ids: 2 },
  });
});
