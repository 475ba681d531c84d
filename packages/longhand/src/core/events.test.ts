import { expect, test, vi } from 'vitest';
import { FakeClock } from '../testing/index.ts';
import { type EventFacts, EventHub, type LonghandEvent } from './events.ts';

const event: EventFacts = { kind: 'session-loaded', session_id: 's' };

test('every listener gets every event until it stops', () => {
  const hub = new EventHub(new FakeClock(0));
  const heard: string[] = [];
  const stop = hub.subscribe(() => heard.push('one'));
  hub.subscribe(() => heard.push('two'));
  hub.emit(event);
  stop();
  hub.emit(event);
  expect(heard).toEqual(['one', 'two', 'two']);
});

test('events of locks and caches reach only listeners that ask for them', () => {
  const hub = new EventHub(new FakeClock(0));
  const heard: string[] = [];
  hub.subscribe(({ kind }) => heard.push(`usual ${kind}`));
  const stop = hub.subscribe(({ kind, level }) => heard.push(`all ${level} ${kind}`), { frequent: true });
  hub.emit({ kind: 'lock-released', log: 'session s' });
  hub.emit(event);
  stop();
  hub.emit({ kind: 'cache-hit', id: 'a' });
  expect(heard).toEqual(['all DEBUG lock-released', 'usual session-loaded', 'all INFO session-loaded']);
});

test('a listener that throws disturbs no other, and its error comes to light', async () => {
  const hub = new EventHub(new FakeClock(0));
  const heard = vi.fn();
  const surfaced = new Promise((resolve) => {
    const others = process.listeners('uncaughtException');
    process.removeAllListeners('uncaughtException');
    process.once('uncaughtException', (error) => {
      for (const other of others) process.on('uncaughtException', other);
      resolve(error);
    });
  });
  const fault = new Error('of the listener');
  hub.subscribe(() => {
    throw fault;
  });
  hub.subscribe(heard);
  expect(() => hub.emit(event)).not.toThrow();
  expect(heard).toHaveBeenCalledWith({ ...event, time: '1970-01-01T00:00:00.000Z', level: 'INFO' });
  expect(await surfaced).toBe(fault);
});

test('events say when they happened and how grave they are', () => {
  const clock = new FakeClock(Date.parse('2026-01-10T14:30:00.000Z'));
  const hub = new EventHub(clock);
  const heard: LonghandEvent[] = [];
  hub.subscribe((each) => heard.push(each));
  hub.emit({ kind: 'lock-timeout', log: 'session s', holder: 'process 1' });
  clock.advance(1_500);
  hub.emit({ kind: 'corruption-found', log: 'session s', lines: 1, first_offset: 0 });
  expect(heard.map(({ time, level }) => [time, level])).toEqual([
    ['2026-01-10T14:30:00.000Z', 'WARN'],
    ['2026-01-10T14:30:01.500Z', 'ERROR'],
  ]);
});
