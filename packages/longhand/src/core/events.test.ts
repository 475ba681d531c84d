import { expect, test, vi } from 'vitest';
import { EventHub, type LonghandEvent } from './events.ts';

const event: LonghandEvent = { kind: 'session-loaded', session_id: 's' };

test('everybody who listens hears everything until they stop', () => {
  const hub = new EventHub();
  const heard: string[] = [];
  const stop = hub.subscribe(() => heard.push('one'));
  hub.subscribe(() => heard.push('two'));
  hub.emit(event);
  stop();
  hub.emit(event);
  expect(heard).toEqual(['one', 'two', 'two']);
});

test('a listener that throws disturbs nobody, and its error comes to light', async () => {
  const hub = new EventHub();
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
  expect(heard).toHaveBeenCalledWith(event);
  expect(await surfaced).toBe(fault);
});
